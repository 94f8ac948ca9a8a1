#!/usr/bin/env python3
"""Runs Scripts/test in a clean Debian of a suite, on a clone of the committed state, as root.

  Scripts/packaging/testing.py SUITE [WORDS …]    the same as Scripts/test --suite SUITE"""

import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts/packaging"))
from debian import Debian  # noqa: E402


def main(suite, *words):
    """Returns the exit code of Scripts/test in the clean Debian."""
    with Debian(suite) as debian:
        path = debian.add_swift()
        # For terminals and /dev/shm.
        debian.show(Path("/dev"))
        clone = debian.folder / "usr/src/petspot"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, clone], check=True)
        # This machine resolves the Swift packages, as for building packages.
        subprocess.run(["swift", "package", "--package-path", clone, "resolve"], check=True)
        return subprocess.run(debian.command("/usr/src/petspot/Scripts/test", *words, PATH=path)).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
