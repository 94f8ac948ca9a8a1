"""Lists what a package was made of, next to the package: Debian's .buildinfo, and the components in CycloneDX."""

import hashlib
import json
import os
import re
import uuid
from email.utils import formatdate

from building import release, said

ENVIRONMENT = ("DEB_BUILD_OPTIONS", "LANG", "LC_ALL", "SOURCE_DATE_EPOCH", "TZ")


def installed():
    """Returns the version and architecture of every package of this system, by name."""
    lines = said("dpkg-query", "--show", "--showformat", "${Package}\t${Version}\t${Architecture}\t${db:Status-Status}\n")
    rows = [line.split("\t") for line in lines.split("\n")]
    return {name: (version, architecture) for name, version, architecture, status in rows if status == "installed"}


def pins(root):
    """Yields the name, version, commit and address of each Swift package that the build resolved."""
    for pin in json.loads((root / "Package.resolved").read_text("utf-8"))["pins"]:
        state = pin["state"]
        yield pin["identity"], state.get("version", state["revision"]), state["revision"], pin["location"]


def components(root, depends):
    """Yields the components that are linked into the programs, and the packages that they need."""
    swift = said("swiftc", "--version").split("\n")[0]
    version = re.search(r"Swift version (\S+)", swift)
    yield {"type": "framework", "name": "swift-runtime", "version": version.group(1) if version else swift}
    for name, version, commit, address in pins(root):
        path = re.sub(r"^https://|\.git$", "", address)
        yield {"type": "library", "name": name, "version": version, "purl": f"pkg:swift/{path}@{version}",
               "externalReferences": [{"type": "vcs", "url": address, "comment": commit}]}  # fmt: skip
    system, here = release(), installed()
    for name in dict.fromkeys(re.findall(r"(?:^|, )([a-z0-9.+-]+)", depends)):
        version, architecture = here.get(name, ("unknown", "unknown"))
        yield {"type": "library", "name": name, "version": version, "scope": "required",
               "purl": f"pkg:deb/{system['ID']}/{name}@{version}?arch={architecture}"
                       f"&distro={system['ID']}-{system.get('VERSION_ID', 'unknown')}"}  # fmt: skip


def bill(root, package, version, commit):
    """Returns a package's components as CycloneDX 1.5. The result is the same for the same bytes."""
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    depends = said("dpkg-deb", "--field", package, "Depends")
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.UUID(digest[:32])}",
        "metadata": {
            "timestamp": said("date", "--utc", "+%Y-%m-%dT%H:%M:%SZ", f"--date=@{commit.seconds}"),
            "component": {"type": "application", "name": "petspot", "version": version,
                          "hashes": [{"alg": "SHA-256", "content": digest}]},
        },
        "components": list(components(root, depends)),
    }  # fmt: skip


def buildinfo(root, package, version):
    """Returns the description of the build environment (deb-buildinfo(5))."""
    bytes = package.read_bytes()
    architecture = said("dpkg", "--print-architecture")
    packages = ",\n".join(f" {name} (= {version})" for name, (version, _) in sorted(installed().items()))
    values = "\n".join(f' {name}="{os.environ[name]}"' for name in ENVIRONMENT if name in os.environ)
    return (
        f"Format: 1.0\nSource: petspot\nBinary: petspot\nArchitecture: {architecture}\nVersion: {version}\n"
        f"Checksums-Sha256:\n {hashlib.sha256(bytes).hexdigest()} {len(bytes)} {package.name}\n"
        f"Build-Origin: {release()['NAME']}\nBuild-Architecture: {architecture}\nBuild-Date: {formatdate()}\n"
        f"Build-Path: {root}\nX-Swift: {said('swiftc', '--version').split(chr(10))[0]}\n"
        f"Installed-Build-Depends:\n{packages}\nEnvironment:\n{values}\n"
    )


def write(root, package, version, commit):
    """Writes both files next to the package."""
    text = json.dumps(bill(root, package, version, commit), indent=1) + "\n"
    package.with_suffix(".cdx.json").write_text(text, "utf-8")
    package.with_suffix(".buildinfo").write_text(buildinfo(root, package, version), "utf-8")
