"""A model of a disk that loses power: what petspot did (the log of shim.c) is played back, and at any
moment only what was synced is sure. Everything else is kept or dropped at random."""

import os

PAGE = 4096
SECTOR = 512


class File:
    """Bytes on the disk, and what was written since the last sync: (offset, bytes), bytes None cuts."""

    grows = False  # whether it only grows: file systems never show a size whose bytes they do not have

    def __init__(self, data=b""):
        self.safe, self.pending = bytearray(data), []

    def sync(self):
        self.safe, self.pending = self.after(self.pending), []

    def after(self, steps):
        data = bytearray(self.safe)
        for offset, piece in steps:
            if piece is None:
                del data[offset:]
                data.extend(bytes(max(0, offset - len(data))))
            else:
                data.extend(bytes(max(0, offset - len(data))))
                data[offset : offset + len(piece)] = piece
        return data

    def lost(self, fate, dice):
        """The bytes after a power cut."""
        if fate in ("nothing", "all") or not self.pending:
            return self.after(self.pending if fate == "all" else [])
        if fate == "prefix":
            return self.after(self.pending[: dice.randint(0, len(self.pending))])
        torn = PAGE if fate == "pages" else SECTOR
        parts = [piece for step in self.pending for piece in pieces(step, torn)]
        if self.grows:
            return self.after(parts[: dice.randint(0, len(parts))])
        return self.after([piece for piece in parts if dice.random() < 0.5])


def pieces(step, size):
    """A write in parts that reach the disk, or not, each by itself."""
    offset, data = step
    if data is None:
        return [step]
    return [(offset + at, data[at : at + size]) for at in range(0, len(data), size)]


class Folder:
    """Names on the disk, and what was done since the last sync: (name, entry), entry None removes."""

    def __init__(self):
        self.safe, self.pending = {}, []

    def sync(self):
        self.safe, self.pending = self.after(self.pending), []

    def after(self, steps):
        names = dict(self.safe)
        for name, entry in steps:
            if entry is None:
                names.pop(name, None)
            else:
                names[name] = entry
        return names

    def lost(self, fate, dice):
        if fate in ("nothing", "all"):
            return self.after(self.pending if fate == "all" else [])
        if fate == "prefix":
            return self.after(self.pending[: dice.randint(0, len(self.pending))])
        return self.after([step for step in self.pending if dice.random() < 0.5])


FATES = ("nothing", "all", "prefix", "pages", "sectors")


class Disk:
    """The cache at `root` (a folder above it counts as synced), and what the log does to it. `grows`
    tells by its path whether a file only grows."""

    def __init__(self, root, grows=lambda path: False):
        self.root, self.inodes, self.grows = root, {}, grows
        self.top = Folder()
        self.load(root, self.top)
        self.top.sync()

    def load(self, path, parent):
        """What lay there before the run is on the disk."""
        if not os.path.lexists(path):
            return
        name, inode = os.path.basename(path), os.lstat(path).st_ino
        if os.path.isdir(path):
            entry = self.inodes[inode] = Folder()
            for child in os.listdir(path):
                self.load(os.path.join(path, child), entry)
            entry.sync()
        else:
            with open(path, "rb") as file:
                entry = self.inodes[inode] = File(file.read())
            entry.grows = self.grows(path)
        parent.pending.append((name, entry))

    def folder(self, path):
        """The folder that holds a path, as the running system sees it; None outside the cache."""
        parts = os.path.relpath(path, os.path.dirname(self.root)).split("/")
        if parts[0] != os.path.basename(self.root):
            return None
        folder = self.top
        for part in parts[:-1]:
            folder = folder.after(folder.pending).get(part)
        return folder

    def play(self, line):
        """Does what a line of the log says."""
        verb, _, rest = line.partition(" ")
        getattr(self, verb)(rest)

    def create(self, rest, kind=File):
        inode, _, path = rest.partition(" ")
        if (folder := self.folder(path)) is not None:
            entry = self.inodes[int(inode)] = kind()
            entry.grows = self.grows(path)
            folder.pending.append((os.path.basename(path), entry))
        else:
            self.inodes.pop(int(inode), None)

    def forget(self, inode):
        self.inodes.pop(int(inode), None)

    def mkdir(self, rest):
        self.create(rest, Folder)

    def write(self, rest):
        inode, offset, data = rest.split(" ")
        if file := self.inodes.get(int(inode)):
            file.pending.append((int(offset), bytes.fromhex(data)))

    def truncate(self, rest):
        inode, size = rest.split(" ")
        if file := self.inodes.get(int(inode)):
            file.pending.append((int(size), None))

    def sync(self, rest):
        inode, _, path = rest.partition(" ")
        if path == os.path.dirname(self.root):
            self.top.sync()
        elif entry := self.inodes.get(int(inode)):
            entry.sync()

    def rename(self, rest):
        old, new = rest.split("\t")
        source, target = self.folder(old), self.folder(new)
        entry = source.after(source.pending)[os.path.basename(old)]
        target.pending.append((os.path.basename(new), entry))
        source.pending.append((os.path.basename(old), None))

    def unlink(self, path):
        if (folder := self.folder(path)) is not None:
            folder.pending.append((os.path.basename(path), None))

    def materialize(self, target, fate, dice):
        """Writes the cache as it may be after a power cut now; `fate` of each entry by itself when it
        is "mixed"."""

        def one():
            return dice.choice(FATES) if fate == "mixed" else fate

        def build(entry, path):
            if isinstance(entry, Folder):
                os.mkdir(path)
                for name, child in entry.lost(one(), dice).items():
                    build(child, os.path.join(path, name))
            else:
                with open(path, "wb") as file:
                    file.write(entry.lost(one(), dice))

        if root := self.top.lost(one(), dice).get(os.path.basename(self.root)):
            build(root, target)
