"""Runs all checks with pytest, in its own environment under .build/.

Each suite is a folder with a `test_*.py`; `Scripts/conftest.py` has what all of them share. The script of a
suite takes these options and passes all others on to pytest (`-k WORDS`, `-x`, `--lf`, `--durations 10`,
`--junitxml FILE`):

  --only 6,9-12     run only these numbers or names (`--rows` is the same)
  --quick           skip checks that wait long, and shorten the others
  --list            list the checks and run none
  --count N         run each check N times
  --binary FILE     the petspot to check
  --seed N          the seed of all random choices"""

import os
import sys

import pythons

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTEST = "pytest==9.0.3"
QUICK_LIMIT = 600  # seconds for one check


def environment(name="pytest-venv", packages=(), bare=()):
    """Returns the Python of an environment with pytest and these packages. Those in `bare` are installed without
    their dependencies."""
    return os.path.join(pythons.environment(name, [PYTEST, *packages], bare), "python")


def run(folder, arguments, python):
    """Replaces this process with pytest. Its exit code is 0 if all checks passed and 5 if none ran."""
    command = [python, "-B", "-m", "pytest", "-c", os.path.join(SCRIPTS, "pytest.ini")]
    if "--quick" in arguments:  # a check that hangs prints where, and ends
        command += ["-o", f"faulthandler_timeout={QUICK_LIMIT}", "-o", "faulthandler_exit_on_timeout=true"]
    os.execv(python, [*command, os.path.join(SCRIPTS, folder), *arguments])


def main(folder, help_text, python=None):
    """Runs a suite's script."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(help_text.strip(), __doc__.split("\n\n", 1)[1], sep="\n\n")
        return
    python = python or environment()
    if sys.argv[1:] != ["--prepare"]:  # --prepare only installs the packages, so that the suite runs offline later
        run(folder, sys.argv[1:], python)
