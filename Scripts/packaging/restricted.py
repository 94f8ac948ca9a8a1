#!/usr/bin/env python3
"""Runs a command under the restrictions of a unit, on systems without systemd: read-only mounts, another user without
capabilities, and the unit's filters for system calls, address families and executable memory.

  Scripts/packaging/restricted.py [--writable DIR …] petspot.service COMMAND …    as root

/tmp is empty and private. PrivateTmp, ProtectHome, ProtectSystem=strict and the rest are as in hardening.conf."""

import argparse
import errno
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from seccomp import ALLOW, EPERM, MASKED_EQUAL, Filter  # noqa: E402
from units import unit  # noqa: E402

UNFAMILIAR = 0x00050000 | errno.EAFNOSUPPORT
NAMESPACES = 0x7E020080  # CLONE_NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWNS, NEWTIME
READ_ONLY = """
mount --make-rprivate /
for place in "$@"; do mount --bind "$place" "$place"; done
mount -t tmpfs -o mode=1777 tmpfs /tmp
findmnt -rno TARGET | while read -r place; do
  case " /tmp $* " in *" $place "*) continue ;; esac
  case $place in /proc*|/dev*|/sys*) continue ;; esac
  mount -o remount,bind,ro "$place" || true
done
mount -t tmpfs -o mode=0,ro tmpfs /root; mount -t tmpfs -o mode=0,ro tmpfs /home
mount -o remount,ro,bind /proc/sys 2>/dev/null || { mount --bind /proc/sys /proc/sys; mount -o remount,ro,bind /proc/sys; }
"""


def setting(text, name):
    """Returns the words of a unit's setting."""
    return next((line.partition("=")[2].split() for line in text.split("\n") if line.startswith(name + "=")), [])


def calls(words):
    """Yields the system calls of a list of names and groups, as systemd expands them."""
    for word in words:
        if not word.startswith("@"):
            yield word
            continue
        told = subprocess.run(["systemd-analyze", "syscall-filter", word], check=True, capture_output=True, text=True)
        members = [line.split()[0] for line in told.stdout.splitlines()[1:] if line.startswith("    ")]
        yield from calls(name for name in members if name != "#")


def filtered(text):
    """Loads the filters that systemd derives from a unit. All of them apply together."""
    allowed = Filter(otherwise=EPERM)
    for name in set(calls(setting(text, "SystemCallFilter"))):
        allowed.rule(ALLOW, name)
    rest = Filter()
    families = [getattr(__import__("socket"), name) for name in setting(text, "RestrictAddressFamilies")]
    for family in set(range(46)) - set(map(int, families)):
        rest.rule(UNFAMILIAR, "socket", (0, 4, family, 0))
    rest.rule(EPERM, "mmap", (2, MASKED_EQUAL, 6, 6))
    for name in ("mprotect", "pkey_mprotect"):
        rest.rule(EPERM, name, (2, MASKED_EQUAL, 4, 4))
    rest.rule(EPERM, "shmat", (2, MASKED_EQUAL, 0o100000, 0o100000))
    for name in ("unshare", "clone"):
        for bit in range(32):
            if NAMESPACES >> bit & 1:
                rest.rule(EPERM, name, (0, MASKED_EQUAL, 1 << bit, 1 << bit))
    rest.refuse("clone3", errno.ENOSYS)
    rest.refuse("setns", errno.EPERM)
    for policy in (1, 2, 6):  # SCHED_FIFO, SCHED_RR, SCHED_DEADLINE
        rest.rule(EPERM, "sched_setscheduler", (1, 4, policy, 0))
    for name in ("chmod", "fchmod"):
        for bit in (0o4000, 0o2000):
            rest.rule(EPERM, name, (1, MASKED_EQUAL, bit, bit))
    # The larger filter comes last, because it would forbid loading the other.
    rest.load()
    allowed.load()


def main():
    """Enters the restrictions in two steps: mounts and user as root, then the filters."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("unit")
    parser.add_argument("--writable", action="append", default=[])
    parser.add_argument("--entered", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    text = unit(given.unit)
    if not given.entered:
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all",
                "--inh-caps=-all", "--no-new-privs"]  # fmt: skip
        again = ["/usr/bin/python3", os.path.abspath(__file__), "--entered", given.unit, *given.command]
        os.execvp("unshare", ["unshare", "--mount", "sh", "-ec", READ_ONLY + 'writable=$#; exec ' + " ".join(
            f"'{word}'" for word in user + again), "sh", *given.writable])  # fmt: skip
    filtered(text)
    os.umask(0o077)
    os.environ["HOME"] = "/nonexistent"
    os.execvp(given.command[0], given.command)


if __name__ == "__main__":
    main()
