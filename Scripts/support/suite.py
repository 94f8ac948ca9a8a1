"""The one runner of all checks: pytest, in an environment of its own under .build/.

Each suite is a folder with a `test_*.py`; `Scripts/conftest.py` has what all share. A script that runs one
takes these options, and passes every other on to pytest (`-k WORDS`, `-x`, `--lf`, `--durations 10`,
`--junitxml FILE`):

  --only 6,9-12     these numbers, or names (`--rows` is the same)
  --quick           none that waits for long, and less of the others
  --list            names them
  --count N         runs each N times
  --binary FILE     petspot to check
  --seed N          what is chosen by chance"""

import os
import sys

import pythons

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTEST = "pytest==9.0.3"
QUICK_LIMIT = 600  # seconds for one check


def environment(name="pytest-venv", packages=(), bare=()):
    """The Python of an environment with pytest and these packages, `bare` without what they ask for."""
    return os.path.join(pythons.environment(name, [PYTEST, *packages], bare), "python")


def run(folder, arguments, python):
    """Ends this process as pytest of a suite does: 0 when all passed, 5 when there was none."""
    command = [python, "-B", "-m", "pytest", "-c", os.path.join(SCRIPTS, "pytest.ini")]
    if "--quick" in arguments:  # what waits for ever says where, and ends
        command += ["-o", f"faulthandler_timeout={QUICK_LIMIT}", "-o", "faulthandler_exit_on_timeout=true"]
    os.execv(python, [*command, os.path.join(SCRIPTS, folder), *arguments])


def main(folder, help_text, python=None):
    """The script of a suite."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(help_text.strip(), __doc__.split("\n\n", 1)[1], sep="\n\n")
        return
    python = python or environment()
    if sys.argv[1:] != ["--prepare"]:  # only installs what is needed, so that it runs offline later
        run(folder, sys.argv[1:], python)
