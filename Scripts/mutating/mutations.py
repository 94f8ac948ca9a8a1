"""Each mutation breaks one rule that keeps a promise."""

import dataclasses


@dataclasses.dataclass
class Mutation:
    name: str
    rule: str
    file: str
    find: str  # stands once in the file
    replace: str
    tests: str = ""  # a filter of `swift test`: those that have to notice
    scripts: tuple = ()  # command lines that have to notice what no test can


PHOTOS = "Sources/PhotoAttachments/"
QUICK = "Scripts/faults {} --quick".format

MUTATIONS = [
    Mutation(
        "ticket-ignored", "the outcome of a superseded attempt changes nothing",
        PHOTOS + "Attaching/AttachmentStateMachine.swift",
        "if case .loading(ticket, _) = state { true } else { false }",
        "if case .loading = state { true } else { false }",
        "AttachmentStateMachineTests"),
    Mutation(
        "proof-off", "nothing is stored that is not accounted for byte by byte",
        PHOTOS + "Proving/Prover.swift",
        "      throw .fault(what: \"product-\\(error.what)\")\n",
        "      guard error.what == \"\" else {\n        return (EncodedPicture(\n          bytes: bytes, format: format,"
        " pixelWidth: width, pixelHeight: height,\n          frameCount: frames, sha256: sha256(of: bytes)), nil)\n      }\n"
        "      throw .fault(what: \"product-\\(error.what)\")\n",
        "ProverTests"),
    Mutation(
        "proof-size-off", "a product has the size that was promised",
        PHOTOS + "Proving/Prover.swift",
        "guard proved.width == width, proved.height == height else {",
        "guard proved.width > 0 else {",
        "ProverTests"),
    Mutation(
        "sync-left-out", "a blob is safe on the disk before it is on record",
        PHOTOS + "Storing/BlobStore.swift",
        "        try SystemCalls.check(\"fsync\", path) { Int(fsync(file)) }\n", "",
        "", (QUICK("power"), QUICK("errors"))),
    Mutation(
        "reference-check-off", "a sweep deletes no picture that a record names",
        PHOTOS + "Attaching/PhotoAttachmentCache+Sweep.swift",
        "return try age.isOld(facts.modified) && !PhotoRow.isReferenced(db, place)",
        "return age.isOld(facts.modified)",
        "SweepAndVerifyTests|PhotoAttachmentCacheTests"),
    Mutation(
        "owner-check-off", "a sweep takes nothing away that a living process writes",
        PHOTOS + "Attaching/PhotoAttachmentCache+Sweep.swift",
        "if owner.isAlive(in: folder) { continue }",
        "if owner.isAlive(in: folder), age.isOld(0) { }",
        "OwnerLockTests|NamespaceRunTests|AbandonedWorkTests|SweepAndVerifyTests"),
    Mutation(
        "pixel-limit-off", "more pixels than allowed are refused before anything is decoded",
        "Sources/ImageContainers/ContainerLimits.swift",
        "guard !overflow, area <= pixels else {",
        "guard !overflow else {",
        "PNG|GIF|PhotoPipelineTests"),
    Mutation(
        "frame-bounds-off", "a worker's answer is no larger than its photo can yield",
        PHOTOS + "Decoding/DecoderFrame.swift",
        "header.json <= json && header.first <= first && header.second <= second",
        "header.json <= 64 << 20",
        "DecoderFrameTests|DecoderOutcomeTests"),
    Mutation(
        "filter-off", "a decoder makes no system call that it does not need",
        PHOTOS + "Interop/Sandbox.swift",
        "posture.seccomp = filtersCalls && petspot_seccomp_start() == 0",
        "posture.seccomp = true",
        "EscapeAttemptTests"),
    Mutation(
        "source-identity-off", "an original is deleted only when it is the very file that was read",
        PHOTOS + "Importing/SourceRemoval.swift",
        "status.map { $0.st_mode & S_IFMT == S_IFREG && FileIdentity($0) == file.identity } ?? false",
        "status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false",
        "SourceRemovalTests"),
    Mutation(
        "stored-source", "a stored picture is never an original to delete",
        PHOTOS + "Importing/SourceRemoval.swift",
        "if CacheMark.isStored(name) || isStored(status) { return .stored }\n", "",
        "SourceRemovalTests"),
    Mutation(
        "losses-ignored", "an original that holds more than its blob is kept",
        PHOTOS + "Importing/LibraryWriter+Originals.swift",
        "if !losses.isEmpty { return .losses(losses) }",
        "if losses.count > 99 { return .losses(losses) }",
        "SourceRemovalTests|PhotoImporterTests|ImportRunTests|LibraryTests"),
    Mutation(
        "revision-ignored", "of two changes to one draft none is lost",
        "Sources/ReportFlow/Drafting/DraftStore.swift",
        "WHERE id = ? AND revision = ?\n",
        "WHERE id = ? AND ? > 0\n",
        "ReportFlowTests"),
    Mutation(
        "password-off", "nobody gives a photo to an announcement without its code",
        "Sources/ReportFlow/Submitting/SQLiteAnnouncementRepository+Rows.swift",
        "          WHERE id = ? AND password_hash = ?\n          \"\"\", arguments: [id, hash])",
        "          WHERE id = ? AND length(?) > 0\n          \"\"\", arguments: [id, hash])",
        "ReportFlowTests"),
]
