"""The licenses and notices of everything that is linked into the programs."""

HEAD = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: PetSpot
Comment:
 Linked into the programs are the Swift runtime with Foundation, and the packages named below; what their
 authors ask to be passed on is in NOTICE.gz beside this file.

Files: *
Copyright: the authors of PetSpot
License: unstated
 The tree that this package was made from names no license of its own.

Files: linked/swift
Copyright: 2014-2026 Apple Inc. and the Swift project authors
License: Apache-2.0-with-Swift-exception
"""
APACHE = """\
 Licensed under the Apache License, Version 2.0; on Debian systems its text is in
 /usr/share/common-licenses/Apache-2.0.
"""
EXCEPTION = """\
 .
 As an exception, if you use this Software to compile your source code and portions of this Software are
 embedded into the binary product as a result, you may redistribute such product without providing
 attribution as would otherwise be required by Sections 4(a), 4(b) and 4(d) of the License.
"""


def texts(checkouts, beginning):
    """Yields the first file of each package whose name begins with `beginning`, by the package's name."""
    for folder in sorted(checkouts.iterdir()):
        for file in sorted(folder.glob(beginning + "*")):
            yield folder.name, file.read_text("utf-8").strip()
            break


def indented(text):
    """Returns a text as the continuation lines of a field."""
    return "".join(f" {line.rstrip() or '.'}\n" for line in text.split("\n"))


def copyright_text(checkouts):
    """Returns the text of the package's file `copyright`."""
    parts = [HEAD + APACHE + EXCEPTION]
    for name, text in texts(checkouts, "LICENSE"):
        head = f"Files: linked/{name}\n"
        if "Apache License" in text:
            parts.append(head + f"Copyright: the authors of {name}\nLicense: Apache-2.0-{name}\n" + APACHE)
        else:
            owner, _, rest = text.partition("\n")
            owner = owner.removeprefix("Copyright").strip()
            parts.append(head + f"Copyright: {owner}\nLicense: {name}\n" + indented(rest.strip()))
    return "\n".join(parts)


def notices(checkouts):
    """Returns all notices, one after another."""
    return "\n\n".join(f"==== {name} ====\n\n{text}" for name, text in texts(checkouts, "NOTICE")) + "\n"
