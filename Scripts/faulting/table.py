"""The table of fault classes: the title and the parts of each.

A part takes `Work` and returns a line of the board, or yields several. A `Line` hits scenes with a fault at points;
functions have loops of their own, and the first line of their docstring is their class's title."""

import importlib
from functools import partial

import backups
import disk
import http_errors
import kills
import sets
import sizes
import sources
import unreadable
from caches import PHOTO, scenes
from clocks import ClockedImport, far, settings
from driving import (
    Failure, FullDisk, Kill, KillAgain, KillLater, Line, ReadOnlyDisk, ShortWrite, TracedFailure, Unreadable,
    WrongClock, during,
)  # fmt: skip

COMMANDS = scenes("attach", "attach-new", "import-few", quick=("attach", "import-few"))
FULL = partial(FullDisk, room=disk.room(48, PHOTO), inodes=range(16))
moving = partial(during, sets.disk)

CLASSES = {
    "kill-attach-calls": (
        "SIGKILL at every call of `attach` that changes a file, with an empty cache and with an earlier photo.",
        Line("kill-attach-calls", Kill, scenes("attach-new", "attach"), quick=5),
    ),
    "kill-attach": (
        "SIGKILL of `attach` at random moments, with an empty cache and with an earlier photo.",
        Line("kill-attach", partial(KillLater, moments=20), kills.attachments, quick=4),
    ),
    "kill-import-calls": (
        "SIGKILL at every call that changes a file, during an import of 20 small files.",
        Line("kill-import-calls", Kill, scenes("import"), quick=3),
    ),
    "kill-import": (
        "SIGKILL of an import of 20 small files at random moments, at the same cache until it completes.",
        Line("kill-import", partial(KillAgain, moments=5000), scenes("import"), quick=8),
    ),
    "resume-import": (
        "One import of 1,500 files, killed and resumed many times: its library equals that of an undisturbed import.",
        Line("resume-import", partial(KillAgain, moments=50), lambda work: [kills.ManyPhotos(work, "many")], quick=8),
    ),
    "errors": (
        "Failing system calls: each of eight errors at calls of `attach` and `import`, once and permanently.",
        Line("errors", Failure, COMMANDS, quick=6, full=2400),
        Line("errors: short writes", ShortWrite, COMMANDS, quick=1),
        Line("errors: starting and serving", TracedFailure, COMMANDS, quick=2),
    ),
    "disk": (
        "Full disks (tmpfs with few bytes or few inodes), read-only disks, and folders of another user.",
        Line("disk: full", FULL, scenes("attach", "attach-new", "import-few", quick=("attach",)), quick=4, needs_root=True),
        Line(
            "disk: read-only", ReadOnlyDisk, needs_root=True, quick=1,
            scenes=scenes("attach", "attach-new", "import-few", "remove", "sweep", quick=("remove",)),
        ),
        disk.permissions,
    ),
    "clocks": (
        "Clocks that are wrong, jump and run backwards: the order of photos, owners, and what a sweep deletes.",
        Line("clocks", partial(WrongClock, settings=settings), lambda work: [ClockedImport(work, "import")], quick=2),
    ),
    "sources": (
        "Originals and stores under `import --delete-source`: caches as sources, exchanged files, and kills.",
        sources.stores, sources.lossy, sources.exchanged,
        Line("sources: kills while deleting", Kill, sources.deleting, quick=4),
        Line("sources: only copies after kills", Kill, sources.only_copies, quick=4),
    ),
    "sets": (
        "Films, edits and metadata next to photos, moved within and across file systems: odd files, kills and errors.",
        moving(sets.odd), moving(sets.full),
        moving(Line("sets: kills", Kill, sets.moves, quick=6)),
        moving(Line("sets: failing calls", Failure, sets.moves, quick=6, full=1200)),
        sets.large,
    ),
    "unreadable": (
        "Files that can't be read, foreign files, newer catalogs and wrong clocks: no file is deleted by mistake.",
        *(
            Line(f"unreadable: {name}", partial(Unreadable, errors=unreadable.errors), unreadable.worlds(name), 6, 400)
            for name in unreadable.WORLDS
        ),
        unreadable.newer,
        Line("unreadable: clocks", partial(WrongClock, settings=far), unreadable.worlds("sweep", "verify"), quick=4),
    ),
    "backups": (
        "Backs up, restores and erases in old snapshots, with kills, errors, full disks, damage and wrong clocks.",
        Line("backups: killed", Kill, backups.scenes("backup", "erase", "restore"), quick=24, full=450),
        Line("backups: unreadable", partial(Unreadable, errors=backups.errors), backups.scenes("backup"), 12, 400),
        backups.unreadable,
        Line(
            "backups: full disks", partial(FullDisk, room=disk.room(320)[::8]), backups.scenes("backup", "erase"), 4,
            needs_root=True,
        ),
        backups.flipped, backups.erased, backups.foreign,
        Line("backups: clocks", partial(WrongClock, settings=far), backups.scenes("backup"), quick=2),
    ),
    "sizes": (
        "Making a size: kills at every call, a full disk, dead decoders, a missing store, two servers, an erasure.",
        Line("sizes: kills", Kill, sizes.exported, quick=3),
        Line("sizes: full disk", partial(FullDisk, room=disk.room(16), inodes=range(8)), sizes.exported, 2, needs_root=True),
        sizes.dead_decoders, sizes.two_servers, sizes.erased, sizes.store_gone,
    ),
    "http-calls": (
        "SIGKILL of the server at every call that changes a file, in forms, tus, the page and creation.",
        Line("http-calls", http_errors.KilledServer, http_errors.acts(quick=2), quick=2),
    ),
    "http-errors": (
        "Failing calls of a running server, full disks, killed decoders, and a catalog that others hold.",
        Line("http-errors", http_errors.FailingServer, http_errors.acts(quick=1), quick=6, full=3000),
        http_errors.full, http_errors.killed_decoders, http_errors.held,
    ),
}  # fmt: skip
# Classes of one function, by module.
FUNCTIONS = """concurrent_imports damage databases escapes hostile http_kills power.http_power leaks namespaces postgres
  power heics.random_heics rot s3 servers stopped_writers s3.store_kills two_at_once worker_kills workers"""
for module, _, name in (path.partition(".") for path in FUNCTIONS.split()):
    function = getattr(importlib.import_module(module), name or module)
    CLASSES[function.__name__.replace("_", "-")] = (function.__doc__.splitlines()[0], function)
