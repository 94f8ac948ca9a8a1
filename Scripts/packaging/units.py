#!/usr/bin/env python3
"""The systemd units of the package, with what hardens all of them.

  Scripts/packaging/units.py DIR    writes them into a folder, for a server without the package"""

import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent
NAMES = sorted(file.name for pattern in ("petspot*.service", "petspot*.timer") for file in DATA.glob(pattern))


def unit(name):
    """A unit's text: what runs petspot is hardened; a report of a failure may need to send mail."""
    text = (DATA / name).read_text("utf-8")
    if "/usr/bin/petspot " not in text:
        return text
    return text.replace("[Service]\n", "[Service]\n" + (DATA / "hardening.conf").read_text("utf-8"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name in NAMES:
        Path(sys.argv[1], name).write_text(unit(name), "utf-8")
