"""Lays out the package's contents and packs them. The same files, commit and time produce the same bytes."""

import gzip
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path

import origins
from building import PRODUCTS, Commit, objcopy, said, scratch
from legal import copyright_text, notices
from units import NAMES as UNITS
from units import unit

DATA = Path(__file__).resolve().parent
# Libraries that are loaded at run time if needed. Debian tells which package has them.
OPENED = {"Suggests": ["libpq.so.5"]}
# Libraries without which photos, or HEICs, can't be decoded, with their minimum versions.
NEEDED = {"libvips.so.42": "8.14", "libcurl.so.4": "7.74", "libheif.so.1": "1.15", "libavcodec.so.*": "7:5.1"}
# The last two sections differ between two builds of the same sources: the compiler's note about its arguments,
# which nothing reads at run time, and a digest of the file with that note.
DROPPED = (".comment", ".note", ".swift_modhash", ".note.gnu.build-id")
SHELLS = {
    "bash": "usr/share/bash-completion/completions/petspot",
    "zsh": "usr/share/zsh/vendor-completions/_petspot",
    "fish": "usr/share/fish/vendor_completions.d/petspot.fish",
}
CONTROL = """\
Package: petspot
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}, adduser
{opened}Section: graphics
Priority: optional
Description: attach a pet's photo without its metadata, report a missing pet
 Turns the photo of a missing pet, from any phone, into a picture that every
 browser shows: upright, in true colors, and without a trace of where and when
 it was taken. Then helps to report the pet, at the
 terminal or, with the server, in a browser.
 .
 Photos are decoded in processes that can reach no files and no network.
"""


def place(file, text, mode=0o644):
    """Writes a file and creates its folder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    file.chmod(mode)


def compressed(file, text):
    """Writes a file compressed like gzip, without name and time."""
    place(file.with_name(file.name + ".gz"), gzip.compress(text.encode(), 9, mtime=0))


def programs(root, products, tree, commit):
    """Copies both programs and their resources into the folder where the programs look for them."""
    home = tree / "usr/lib/petspot"
    home.mkdir(parents=True)
    for product in PRODUCTS:
        subprocess.run([objcopy(), "--strip-unneeded", *[f"--remove-section={name}" for name in DROPPED],
                        products / product, home / product], check=True)  # fmt: skip
        (home / product).chmod(0o755)
        if "GNU_RELRO" not in said("readelf", "--program-headers", "--wide", home / product):
            raise SystemExit(f"Scripts/package: {product} has lost its RELRO segment.")
    for bundle in products.glob("PetSpot_*.resources"):
        shutil.copytree(bundle, home / bundle.name)
    place(home / "petspot.commit", commit.name + "\n")
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/petspot").symlink_to("../lib/petspot/petspot")


def words(root, tree, program):
    """Writes the shell completions and the manual, as the program generates them."""
    for shell, file in SHELLS.items():
        script = said(program, "--generate-completion-script", shell) + "\n"
        # A running shell reads the file; it isn't executed.
        place(tree / file, script.removeprefix("#!/bin/bash\n"))
    manual = tree / "usr/share/man"
    subprocess.run([root / "Scripts/make-manual", manual, "--program", program], check=True, stdout=subprocess.DEVNULL)
    for page in sorted(manual.rglob("*.1")):
        compressed(page, page.read_text("utf-8"))
        page.unlink()


def changelog(root, version, commit):
    """Returns the newest section of the release notes in Debian's format."""
    notes = (root / "CHANGELOG.md").read_text("utf-8")
    newest = re.split(r"^## .*$", notes, flags=re.M)[1]
    points = [" ".join(point.split()) for point in re.split(r"^- ", newest, flags=re.M)[1:]]
    text = "\n".join(textwrap.fill(point, 78, initial_indent="  * ", subsequent_indent="    ") for point in points)
    return f"petspot ({version}) unstable; urgency=medium\n\n{text}\n\n -- {commit.maintainer}  {commit.date}\n"


def dependencies(tree):
    """Returns the packages with the libraries that the programs are linked with, or can't work without."""
    with tempfile.TemporaryDirectory() as folder:
        place(Path(folder, "debian/control"), "Source: petspot\n\nPackage: petspot\nArchitecture: any\n")
        told = said("dpkg-shlibdeps", "-O", *[str(tree / "usr/lib/petspot" / name) for name in PRODUCTS], cwd=folder)
    needed = "".join(f", {bringing(library)} (>= {version})" for library, version in NEEDED.items())
    return told.removeprefix("shlibs:Depends=") + needed


def bringing(library):
    """Returns the package that contains a library."""
    return said("dpkg-query", "--search", f"*/{library}").split("\n")[0].split(":")[0]


def opened():
    """Returns the control fields for libraries that are loaded only if needed."""
    fields = ""
    for field, libraries in OPENED.items():
        fields += f"{field}: {', '.join(map(bringing, libraries))}\n"
    return fields


def pack(root, products, output, version=None, compression="xz"):
    """Packs the products of a build. Returns the package's file."""
    commit = Commit(root)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "petspot")
        tree.mkdir(mode=0o755)
        programs(root, products, tree, commit)
        program = tree / "usr/lib/petspot/petspot"
        version = version or commit.version(said(program, "--version").split()[1])
        words(root, tree, program)
        for name in UNITS:
            place(tree / "usr/lib/systemd/system" / name, unit(name))
        place(tree / "usr/lib/petspot/report-failure", (DATA / "report-failure").read_bytes(), 0o755)
        place(tree / "etc/default/petspot", (DATA / "petspot.default").read_bytes(), 0o640)
        # The settings may contain passwords and keys, so others can't read them.
        place(tree / "usr/share/lintian/overrides/petspot", "petspot: non-standard-file-perm 0640 * [etc/default/petspot]\n")
        documents = tree / "usr/share/doc/petspot"
        place(documents / "copyright", copyright_text(scratch(root) / "checkouts"))
        compressed(documents / "NOTICE", notices(scratch(root) / "checkouts"))
        compressed(documents / "changelog", changelog(root, version, commit))
        package = packed(tree, output, version, commit, compression)
    origins.write(root, package, version, commit)
    return package


def packed(tree, output, version, commit, compression):
    """Packs a tree into a package file."""
    files = sorted(file for file in tree.rglob("*") if file.is_file() and not file.is_symlink())
    sums = "".join(f"{line}\n" for file in files for line in [said("md5sum", file.relative_to(tree), cwd=tree)])
    size = sum(file.stat().st_size for file in files) // 1024
    architecture = said("dpkg", "--print-architecture")
    control = CONTROL.format(version=version, architecture=architecture, maintainer=commit.maintainer, size=size,
                             depends=dependencies(tree), opened=opened())  # fmt: skip
    place(tree / "DEBIAN/control", control)
    place(tree / "DEBIAN/md5sums", sums)
    place(tree / "DEBIAN/conffiles", "/etc/default/petspot\n")
    for script in ("postinst", "prerm", "postrm"):
        place(tree / "DEBIAN" / script, (DATA / script).read_bytes(), 0o755)
    for file in [tree, *tree.rglob("*")]:
        if file.is_dir():
            file.chmod(0o755)
        os.utime(file, (commit.seconds, commit.seconds), follow_symlinks=False)
    output.mkdir(parents=True, exist_ok=True)
    package = output / f"petspot_{version}_{architecture}.deb"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(commit.seconds)}
    subprocess.run(["dpkg-deb", "--root-owner-group", "--threads-max=1", f"-Z{compression}", "--build", tree, package],
                   check=True, env=environment, stdout=subprocess.DEVNULL)  # fmt: skip
    return package


def lint(package):
    """Runs lintian. Returns a nonzero exit code if it reports an error."""
    return subprocess.run(["lintian", "--fail-on", "error", "--allow-root", package]).returncode
