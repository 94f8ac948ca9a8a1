"""Files that scripts read, write and compare."""

import hashlib
import os

LONG_AGO = 1_700_000_000  # so old that no file counts as still being written, and garbage counts as old


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data, at=None):
    """Writes a file and returns its path. If `at` is given, it becomes the modification time."""
    with open(path, "wb") as file:
        file.write(data)
    if at is not None:
        os.utime(path, (at, at))
    return path


def digest(path):
    return hashlib.sha256(read(path)).hexdigest()


def below(folder, *kinds):
    """Yields the paths of all files below these subfolders, or below the folder itself."""
    for kind in kinds or ("",):
        for parent, _, names in os.walk(os.path.join(folder, kind)):
            yield from (os.path.join(parent, name) for name in names)


def digests(folder, *kinds):
    """Returns the digest of each of these files, by its path relative to the folder."""
    return {os.path.relpath(path, folder): digest(path) for path in below(folder, *kinds)}
