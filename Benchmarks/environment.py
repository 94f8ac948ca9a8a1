"""The peers' virtual environment, and a description of this machine."""

import os
import platform
import shutil
import subprocess
import sys
import venv

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".build", "bench-venv")
PYTHON = os.path.join(VENV, "bin", "python")
PACKAGES = [
    "pillow==13.0.0", "pillow-heif==1.8.1", "pyvips[binary]==3.2.0", "pyvips-binary==8.18.7", "numpy==2.4.6",
    "granian==2.8.9", "ssimulacra2==0.3.0", "scipy==1.17.1",
    "fastapi==0.165.0", "uvicorn[standard]==0.54.0", "python-multipart==0.0.34", "flask==3.1.3", "gunicorn==27.0.1",
]  # fmt: skip
TOOLS = {  # tool: Debian package
    "convert": "imagemagick",
    "vips": "libvips-tools",
    "heif-enc": "libheif-examples",
    "puma": "puma",
}
RAILS = ["ruby-activestorage", "ruby-vips", "libvips42", "ruby-image-processing", "puma", "ruby-sqlite3"]

VERSIONS = """
import numpy, PIL, pillow_heif, pyvips
from PIL import features
vips = ".".join(str(pyvips.version(part)) for part in range(3))
heif = pillow_heif.libheif_info()
print(f"Pillow {PIL.__version__} (libjpeg-turbo {features.version('libjpeg_turbo')}, zlib {features.version('zlib')})")
print(f"pillow-heif {pillow_heif.__version__} (libheif {heif['libheif']})")
print(f"pyvips {pyvips.__version__} (libvips {vips})")
"""


def set_up():
    """Installs the peers. Prints nothing if they are already installed."""
    ready = os.path.join(VENV, "ready")
    wanted = " ".join(PACKAGES)
    if not os.path.exists(ready) or open(ready).read() != wanted:
        print("Installing the peers into .build/bench-venv …", file=sys.stderr)
        venv.create(VENV, with_pip=True, clear=True)
        # With libvips-dev installed, pip would build pyvips against Debian's libvips.
        subprocess.run(
            [PYTHON, "-m", "pip", "install", "--quiet", *PACKAGES], check=True,
            env=os.environ | {"PKG_CONFIG_LIBDIR": "/nonexistent"})  # fmt: skip
        with open(ready, "w") as file:
            file.write(wanted)
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if missing:
        sys.exit(f"bench: {', '.join(missing)} missing: run Scripts/bootstrap --bench")


def versions():
    """Returns one line per contender with the versions of its libraries."""
    lines = subprocess.run([PYTHON, "-c", VERSIONS], capture_output=True, text=True, check=True).stdout
    magick = subprocess.run(["convert", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    return [*lines.splitlines(), magick.removeprefix("Version: ").split(" https")[0]]


def web_versions():
    """Returns the versions of the services' libraries, one line each."""
    wanted = ("fastapi", "uvicorn", "granian", "python-multipart", "flask", "gunicorn")
    return [package.replace("[standard]", "").replace("==", " ") for package in PACKAGES if package.startswith(wanted)]


def rails_versions():
    """Returns the versions of Rails' packages from Debian."""
    told = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *RAILS], capture_output=True, text=True)
    ruby = subprocess.run(["ruby", "-e", "print RUBY_VERSION"], capture_output=True, text=True).stdout
    return [f"ruby {ruby}", *told.stdout.splitlines()]


def machine():
    """Returns processor, cores, memory and system as one line."""
    processor = platform.processor() or platform.machine()
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    with open("/proc/meminfo") as file:
        kilobytes = int(file.readline().split()[1])
    processor = names[0] if names else processor
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{os.cpu_count()} cores of {processor}, {kilobytes / 1048576:.0f} GiB, {system}"


def commit():
    """Returns the commit of this tree, with a mark if more than saved results differs from it."""
    asked = subprocess.run(["git", "-C", ROOT, "describe", "--always"], capture_output=True, text=True)
    others = [".", ":!Benchmarks/results"]
    dirty = subprocess.run(["git", "-C", ROOT, "diff", "--quiet", "HEAD", "--", *others]).returncode
    return (asked.stdout.strip() or "unknown") + ("-dirty" if dirty else "")
