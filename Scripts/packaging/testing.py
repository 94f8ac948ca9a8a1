#!/usr/bin/env python3
"""Runs Scripts/test in a clean Debian of a suite, on a clone of what is committed here, as root.

  Scripts/packaging/testing.py SUITE [WORDS …]    what Scripts/test --suite SUITE does"""

import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts/packaging"))
from debian import Debian  # noqa: E402


def main(suite, *words):
    """The exit code of Scripts/test in there."""
    with Debian(suite) as debian:
        path = debian.add_swift()
        # Terminals and memory as a file system.
        debian.show(Path("/dev"))
        clone = debian.folder / "usr/src/petspot"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, clone], check=True)
        # With the packages that this machine can fetch, as for packages.
        subprocess.run(["swift", "package", "--package-path", clone, "resolve"], check=True)
        return subprocess.run(debian.command("/usr/src/petspot/Scripts/test", *words, PATH=path)).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
