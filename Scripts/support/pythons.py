"""Python packages of others, each set in a virtual environment of its own under .build/."""

import os
import subprocess
import sys
import venv

from petspot import ROOT


def environment(name, packages, bare=()):
    """The folder of programs of an environment with exactly these packages, `bare` without what they ask for,
    made when it is not there or has others. Needs the network only then."""
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
