#!/usr/bin/env python3
"""The systemd units of the package, including the hardening that they share.

  Scripts/packaging/units.py DIR    writes them into a folder, for a server without the package"""

import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent
NAMES = sorted(file.name for pattern in ("petspot*.service", "petspot*.timer") for file in DATA.glob(pattern))


def unit(name):
    """Returns a unit's text. Units that run petspot are hardened. A failure report isn't, because it may send mail."""
    text = (DATA / name).read_text("utf-8")
    if "/usr/bin/petspot " not in text:
        return text
    return text.replace("[Service]\n", "[Service]\n" + (DATA / "hardening.conf").read_text("utf-8"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name in NAMES:
        Path(sys.argv[1], name).write_text(unit(name), "utf-8")
