"""A model of a disk that loses power. It plays back petspot's calls (the log of shim.c). At any moment only synced
data is certain; all other data is kept or dropped at random."""

import os

PAGE = 4096
SECTOR = 512


class File:
    """The synced bytes of a file, and the writes since then as (offset, bytes). Bytes of None truncate the file."""

    grows = False  # whether the file only grows; file systems never show a size without its bytes

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
        """Returns the bytes after a power cut."""
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
    """Splits a write into parts that reach the disk independently."""
    offset, data = step
    if data is None:
        return [step]
    return [(offset + at, data[at : at + size]) for at in range(0, len(data), size)]


class Folder:
    """The synced names of a folder, and the changes since then as (name, entry). An entry of None removes the name."""

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
    """The cache at `root`, whose parent folder counts as synced, and the effects of the log. `grows` returns for a
    path whether the file only grows."""

    def __init__(self, root, grows=lambda path: False):
        self.root, self.inodes, self.grows = root, {}, grows
        self.top = Folder()
        self.load(root, self.top)
        self.top.sync()

    def load(self, path, parent):
        """Loads what was there before the run as synced."""
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
        """Returns the folder of a path as the running system sees it, or None outside of the cache."""
        parts = os.path.relpath(path, os.path.dirname(self.root)).split("/")
        if parts[0] != os.path.basename(self.root):
            return None
        folder = self.top
        for part in parts[:-1]:
            folder = folder.after(folder.pending).get(part)
        return folder

    def play(self, line):
        """Applies a line of the log."""
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
        """Writes the cache as it may be after a power cut now. If `fate` is "mixed", each entry has its own fate."""

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
