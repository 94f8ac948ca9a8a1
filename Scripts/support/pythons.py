"""Python packages of others, each set in a virtual environment of its own under .build/."""

import os
import subprocess
import sys
import venv

from petspot import ROOT


def environment(name, packages):
    """The folder of programs of an environment with exactly these packages, made when it is not there or
    holds others. Needs the network only then."""
    folder = os.path.join(ROOT, ".build", name)
    ready, wanted = os.path.join(folder, "ready"), "\n".join(packages)
    try:
        with open(ready) as file:
            if file.read() == wanted:
                return os.path.join(folder, "bin")
    except FileNotFoundError:
        pass
    print(f"Installing {', '.join(packages)} into .build/ …", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    python = os.path.join(folder, "bin", "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    with open(ready, "w") as file:
        file.write(wanted)
    return os.path.join(folder, "bin")
