"""Installs Python packages, each set into its own virtual environment under .build/."""

import os
import subprocess
import sys
import venv

from petspot import ROOT


def environment(name, packages, bare=()):
    """Returns the folder of programs of an environment with exactly these packages. Those in `bare` are installed
    without their dependencies. Creates the environment if it is missing or has other packages, and only then needs
    the network."""
    folder = os.path.join(ROOT, ".build", name)
    ready, wanted = os.path.join(folder, "ready"), "\n".join([*packages, *bare])
    try:
        with open(ready) as file:
            if file.read() == wanted:
                return os.path.join(folder, "bin")
    except FileNotFoundError:
        pass
    print(f"Installing {', '.join([*packages, *bare])} into .build/ …", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    python = os.path.join(folder, "bin", "python")
    for list in (packages, ["--no-deps", *bare]) if bare else (packages,):
        subprocess.run([python, "-m", "pip", "install", "--quiet", *list], check=True)
    with open(ready, "w") as file:
        file.write(wanted)
    return os.path.join(folder, "bin")
