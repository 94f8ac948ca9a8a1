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


INGESTION = "Sources/PhotoIngestion/"
PHOTOS = "Sources/PhotoAttachments/"
STORE = "Sources/PhotoStoreSQLite/"
RECORDS = PHOTOS + "Recording/"
REPORTS = "Sources/ReportFlow/"
PROOF = "Sources/ImageContainers/Proof/"
QUICK = "Scripts/faults {} --quick".format

MUTATIONS = [
    Mutation(
        "ticket-ignored", "the outcome of a superseded attempt changes nothing",
        PHOTOS + "Records/AttachmentStateMachine.swift",
        "if case .loading(ticket, _) = state { true } else { false }",
        "if case .loading = state { true } else { false }",
        "AttachmentStateMachineTests"),
    Mutation(
        "proof-off", "nothing is stored that is not accounted for byte by byte",
        PROOF + "ContainerProof.swift",
        "    case .jpeg: try JPEGProof.account(for: bytes)\n",
        "    case .jpeg:\n      if let proved = try? JPEGProof.account(for: bytes) { proved }\n      else {\n"
        "        ProvedPicture(\n          width: try JPEGProofHeader(bytes).width, height: try JPEGProofHeader(bytes).height)\n      }\n",
        "ProverTests"),
    Mutation(
        "sizes-outlive-photos", "a size goes with its photo",
        RECORDS + "PhotoRows.swift",
        "return deleted > 0 ? photo.places + sizes : []",
        "return deleted > 0 ? photo.places + sizes.prefix(0) : []",
        "StoreRulesTests"),
    Mutation(
        "size-of-no-photo", "a size is recorded only while its photo shows the blob that it was made of",
        RECORDS + "Sizes.swift",
        "      if found.isEmpty { return false }\n", "      if found.count > 1 { return false }\n",
        "StoreRulesTests"),
    Mutation(
        "sizes-unreferenced", "a size on record is not deleted as rubbish",
        RECORDS + "PhotoRows.swift",
        "{ pictures.intersection($0 + $1 + $2).union($3) }", "{ pictures.intersection($0 + $1).union($3) }",
        "StoreRulesTests"),
    Mutation(
        "newest-sizes-go", "sizes that were used last stay",
        RECORDS + "Sizes.swift",
        "ORDER BY used_at DESC, photo, rung, format", "ORDER BY used_at, photo, rung, format",
        "StoreRulesTests"),
    Mutation(
        "sizes-by-every-other-row", "a size is made of all rows",
        INGESTION + "Painting/SizeScaler.swift",
        "factor: factor,\n        readsEveryRow: true)", "factor: factor)",
        "SizeScalerTests"),
    Mutation(
        "sizes-behind-acts", "what is there is shown while others record",
        "Sources/PhotoAttachments/Attaching/PhotoAttachmentCache+Sizes.swift",
        "(try await catalog.lookUp(name, of: photo), now())",
        "(try await act { [catalog] () throws(StoreError) in try catalog.size(name, of: photo) }, now())",
        "CacheSizesTests"),
    Mutation(
        "bodies-behind-photos", "what is there is shown while photos are prepared",
        "Sources/PhotoAttachments/Attaching/PhotoAttachmentCache+Photos.swift",
        "    try await look { [self] () throws(StoreError) in\n      let body", "    try await run { [self] in\n      let body",
        "CacheSizesTests"),
    Mutation(
        "refusals-forgotten", "a picture that no size can be made of costs no decoder at every request",
        "Sources/PetSpotServer/Guarding/SizeMaker.swift",
        "      state.refused[size] = (.photo(error), now())\n", "",
        "SizeMakerTests"),
    Mutation(
        "far-unproved", "what comes from a store of objects is proved before its last piece goes out",
        "Sources/PhotoAttachments/Storing/RemotePicture.swift",
        "guard end < sizeBytes || state.digest.digest.hexadecimal == sha256 else { return false }", "_ = sha256",
        "RemotePictureTests"),
    Mutation(
        "any-size", "only the sizes of the ladder are made",
        "Sources/PetSpotServer/Images/ImagesResource.swift",
        "        .first(where: { $0.name == name })\n", "        .last\n",
        "SizesOverHTTPTests"),
    Mutation(
        "size-shown-after-erasure", "a size is shown while its announcement is",
        "Sources/PetSpotServer/Images/ImagesResource.swift",
        "      try await site.announcements.shows(photo: name.photo)\n    else", "      true\n    else",
        "SizesOverHTTPTests"),
    Mutation(
        "proof-size-off", "a product has the size that was promised",
        INGESTION + "Proving/Prover.swift",
        "guard proved.width == width, proved.height == height else {",
        "guard proved.width > 0 else {",
        "ProverTests"),
    Mutation(
        "sync-left-out", "a picture is safe on the disk before it is on record",
        PHOTOS + "Storing/BlobStorage.swift",
        "      try file.sync()\n",
        "      guard file.descriptor >= 0 else { throw .fault(what: \"file\") }\n",
        scripts=(QUICK("power"),)),
    Mutation(
        "rotten-copy-put-back", "bytes that rotted in quarantine are not put back",
        PHOTOS + "Verifying/PhotoRepairer.swift",
        "if let bytes = try? cache.blobs.read(file), sha256(of: bytes) == place.sha256 { return bytes }",
        "if let bytes = try? cache.blobs.read(file), !bytes.isEmpty { return bytes }",
        "PhotoRepairerTests"),
    Mutation(
        "retired-writer-gives-up", "a process that was taken for gone while it stored stores once more",
        PHOTOS + "Storing/BlobStorage.swift",
        "guard case .overloaded = error, tries == 1 else { throw error }",
        "guard case .overloaded = error, tries == 0 else { throw error }",
        "S3BlobStorageTests"),
    Mutation(
        "reference-check-off", "nothing deletes a picture that another record names",
        RECORDS + "PhotoRows.swift",
        "pictures.intersection($0 + $1 + $2).union($3)",
        "pictures.intersection($2).union($3)",
        "StoreRulesTests"),
    Mutation(
        "owner-check-off", "a sweep takes nothing away that a living process writes",
        STORE + "FolderStorage.swift",
        "if owner.isAlive(in: folder) { continue }",
        "if owner.isAlive(in: folder), isOld(0) { }",
        "AbandonedWorkTests"),
    Mutation(
        "frame-bounds-off", "a worker's answer is no larger than its photo can yield",
        INGESTION + "Decoding/DecoderMessage.swift",
        "header.json <= json && header.first <= first && header.second <= second",
        "header.json <= 64 << 20",
        "DecoderMessageTests"),
    Mutation(
        "filter-off", "a decoder makes no system call that it does not need",
        INGESTION + "Decoding/Sandbox.swift",
        "posture.seccomp = filtersCalls && petspot_seccomp_start() == 0",
        "posture.seccomp = filtersCalls",
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
        "if CacheDetector.isStored(name) || isStored(status) { return .kept(.stored) }\n", "",
        "SourceRemovalTests"),
    Mutation(
        "losses-ignored", "an original that holds more than its blob is kept",
        PHOTOS + "Importing/LibraryWriter+Originals.swift",
        "if !losses.isEmpty { return .kept(.losses(losses)) }",
        "if losses.count > 99 { return .kept(.losses(losses)) }",
        "SourceRemovalTests"),
    Mutation(
        "revision-ignored", "of two changes to one draft none is lost",
        REPORTS + "Persistence/RecordedDrafts.swift",
        "WHERE id = $1 AND revision = $8\n",
        "WHERE id = $1 AND $8 IS NOT NULL\n",
        "SQLiteDraftsTests"),
    Mutation(
        "password-off", "nobody changes an announcement without its code",
        "Sources/ReportFlow/Persistence/AnnouncementStore.swift",
        "guard try await passwords.verify(password, against: hash) else {",
        "guard try await passwords.verify(password, against: hash) || !hash.isEmpty else {",
        "AnnouncementRepositoryTests"),
    Mutation(
        "naming-unchecked", "no record is written of pictures that are not there",
        PHOTOS + "Attaching/PhotoAttachmentCache.swift",
        "() throws(StoreError) in try blobs.holds(record)",
        "() throws(StoreError) in try blobs.holds(record) || !record.id.isEmpty",
        "PhotoAttachmentCacheTests"),
    Mutation(
        "stale-group", "of two imports that find the same picture one keeps it",
        PHOTOS + "Importing/GroupResolver.swift",
        "if let id = knowledge.blobs[staged.blob.place] { return .duplicate(of: id, tier: .pixels) }",
        "if let id = knowledge.blobs[staged.blob.place], id.uuidString.isEmpty { return .duplicate(of: id, tier: .pixels) }",
        "GroupResolverTests"),
    Mutation(
        "digest-ignored", "a photo is shown only while its blob holds the very bytes that were stored",
        PHOTOS + "Attaching/AttachmentSnapshot.swift",
        "return try blobs.body(place, inPieces: false).isSound(sha256: place.sha256) ? nil : .damaged",
        "return try blobs.body(place, inPieces: false).count == 0 ? .damaged : nil",
        "AttachmentSnapshotTests"),
    Mutation(
        "seal-ignored", "a record that was altered is found",
        PHOTOS + "Records/SealedRecord.swift",
        "var isSealed: Bool { text(\"seal\") == Seal.photo(fields) }",
        "var isSealed: Bool { text(\"seal\") != nil }",
        "PhotoVerifierTests"),
    Mutation(
        "pixel-limit-off", "more pixels than allowed are refused before anything is decoded",
        "Sources/ImageContainers/Facts/ContainerLimits.swift",
        "guard !overflow, area <= pixels else {",
        "guard !overflow else {",
        "JPEGContainerTests"),
    Mutation(
        "jpeg-padding-off", "behind a JPEG's last code there is nothing but ones",
        PROOF + "JPEGProofBits.swift",
        "guard left == 0 || peek(left) == 1 << left - 1 else {",
        "guard left < 8 || peek(left) == 1 << left - 1 else {",
        "JPEGProofDataTests"),
    Mutation(
        "jpeg-read-late", "a JPEG whose proof is likely to fail is not decoded for a preview before",
        INGESTION + "Normalizing/Normalizer.swift",
        "if isLeft || ContainerProof.hasStandardSteps(clean) {", "if isLeft || size.width > 0 {",
        "ProverTests"),
    Mutation(
        "png-surplus-off", "below a PNG's last row there is no other",
        PROOF + "PNGProof.swift",
        "guard inflate.isAtEnd, inflate.count == consumed else {",
        "guard inflate.count >= consumed else {",
        "PNGProofTests"),
    Mutation(
        "png-checksum-off", "the checksum of a PNG's data says nothing but what it has to",
        PROOF + "PNGProofInflate.swift",
        "guard !isAtEnd || adler.value == storedChecksum else { throw failure(\"adler\") }",
        "guard !isAtEnd || adler.value | storedChecksum > 0 else { throw failure(\"adler\") }",
        "PNGProofTests"),
    Mutation(
        "png-hidden-color-off", "a pixel of a PNG that is wholly transparent has no color",
        PROOF + "PNGProofRows.swift", "if hasHiddenColor { return \"png-hidden-color\" }", "",
        "PNGTrimmingTests"),
    Mutation(
        "png-apart-off", "a picture that is no frame of an APNG is zero",
        PROOF + "PNGProof.swift", "isBlank: !startsWithDefault", "isBlank: false", "PNGTrimmingTests"),
    Mutation(
        "png-twins-off", "no two entries of a PNG's palette show the same",
        PROOF + "PNGProof.swift", "guard shown.insert(color << 8 | Int(alpha)).inserted else {",
        "guard shown.insert(color << 8 | Int(alpha)).inserted || true else {", "PNGTrimmingTests"),
    Mutation(
        "gif-twins-off", "no two entries of a frame of a GIF show the same",
        PROOF + "GIFProof.swift", "shown.insert(color).inserted)", "shown.insert(color).inserted || true)",
        "GIFCleaningTests"),
    Mutation(
        "vp8l-hidden-color-off", "a pixel of VP8L that is wholly transparent has no color of its own",
        PROOF + "VP8LProofRows.swift", "hasAlpha && hasOwn && !areSame", "hasAlpha && hasOwn && areSame && !areSame",
        "VP8LProofTests"),
    Mutation(
        "vp8-hidden-off", "what a VP8 picture's alpha hides is flat",
        PROOF + "WebPProofHidden.swift", "guard own <= 2 else { return false }",
        "guard own <= 25 else { return false }", "WebPProofTests"),
    Mutation(
        "lossy-unprovable", "a lossy WebP that the proof refuses is encoded without loss",
        INGESTION + "Normalizing/PictureDecoder.swift",
        "!Prover.accepts(try Prover.clean(bytes, as: .webp), as: .webp)", "bytes.isEmpty",
        "CodingAnewTests"),
    Mutation(
        "probe-size-off", "a size that libvips does not see is refused",
        INGESTION + "Probing/Prober.swift", "guard sizeAgrees || facts.format == .gif else {",
        "guard sizeAgrees || facts.format != .heic else {", "ProberTests"),
    Mutation(
        "gif-end-code-off", "behind a GIF's end code there is nothing",
        PROOF + "GIFProofCodes.swift",
        "guard position == blockEnd, bits == 0 else {",
        "guard position <= blockEnd else {",
        "GIFProofTests"),
    Mutation(
        "vp8-lowest-off", "of all ends of a VP8 partition that tell the same, only the lowest is proved",
        PROOF + "VP8ProofReader.swift",
        "guard bits == 0 || aboveLowest == 0 else {",
        "guard bits == 0 || aboveLowest < 256 else {",
        "VP8ProofTests"),
    Mutation(
        "client-whole-address", "the addresses of one /64 of IPv6 are one client",
        "Sources/PetSpotServer/Guarding/ClientNetwork.swift",
        "self = isIPv4 ? .ipv4(Array(bytes[12...])) : .ipv6(Array(bytes[..<8]))",
        "self = isIPv4 ? .ipv4(Array(bytes[12...])) : .ipv6(bytes)",
        "ClientNetworkTests|ClientConnectionsTests"),
    Mutation(
        "key-of-any-client", "an Idempotency-Key answers a management password only to the client that used it",
        "Sources/ReportFlow/Persistence/CreateRequest.swift",
        "    return self.network == network\n", "    return !network.isEmpty\n",
        "AnnouncementRepositoryTests"),
    Mutation(
        "key-for-ever", "an Idempotency-Key answers a management password for a day",
        "Sources/ReportFlow/Persistence/CreateRequest.swift",
        "now - 24 * 3600)", "now - 1e6 * 3600)",
        "AnnouncementRepositoryTests"),
    Mutation(
        "hidden-photo-taken", "the owner of a hidden announcement gives it no photo",
        REPORTS + "Persistence/RecordedAnnouncements+Rows.swift",
        "    if let reason = row.text(2) { return .takenDown(id: id, reason: reason) }\n", "",
        "AnnouncementRepositoryTests"),
    Mutation(
        "closed-photo-taken", "a photo that comes when its announcement is closed is not recorded",
        REPORTS + "Persistence/RecordedAnnouncements.swift",
        "whenClosed: .closed(id: id), t)", "whenClosed: nil, t)",
        "AnnouncementRepositoryTests"),
    Mutation(
        "made-before-photo", "an announcement is made with its photo, or not at all",
        REPORTS + "Persistence/RecordedAnnouncements.swift",
        "kept.hash == hash {", "kept.hash.isEmpty {",
        "AnnouncementRepositoryTests"),
    Mutation(
        "refused-photo-left", "a photo that an announcement does not take leaves no pictures",
        PHOTOS + "Attaching/PhotoAttachmentCache.swift",
        "var gone = record.places\n", "var gone: [BlobPath] = []\n",
        "AnnouncementRepositoryTests"),
    Mutation(
        "hidden-lists-closed", "operators list what is hidden, and nothing that is only closed",
        REPORTS + "Persistence/RecordedAnnouncements.swift",
        "FROM announcement WHERE hidden_reason IS NOT NULL\n", "FROM announcement WHERE closed_at IS NOT NULL\n",
        "AnnouncementRepositoryTests"),
    Mutation(
        "sweep-trims-sizes", "a sweep leaves a server's sizes alone unless it is given a space",
        "Sources/petspot/Subcommands/Sweep.swift",
        "sizeSpace: sizeSpace,", "sizeSpace: sizeSpace ?? PhotoAttachmentCache.sizeSpace,",
        "SubmittedRunTests"),
    Mutation(
        "unhide-beside-chip", "what is unhidden is no second open announcement of its chip",
        REPORTS + "Persistence/RecordedAnnouncements+Rows.swift",
        "      if row.number(2) == nil {\n        try t.lock(chip: row.text(0))\n",
        "      if now < 0 {\n        try t.lock(chip: row.text(0))\n",
        "AnnouncementRepositoryTests"),
    Mutation(
        "unhide-reopens", "unhiding opens nothing that its owner closed",
        REPORTS + "Persistence/RecordedAnnouncements+Rows.swift",
        "UPDATE announcement SET closed_at = owner_closed_at, updated_at = $1,",
        "UPDATE announcement SET closed_at = NULL, updated_at = $1,",
        "AnnouncementRepositoryTests"),
    Mutation(
        "closed-changed", "a closed announcement is not changed",
        REPORTS + "Persistence/RecordedAnnouncements+Rows.swift",
        "    if field(\"closed_at\") != .null { return .failure(.closed(id: id)) }\n", "",
        "AnnouncementRepositoryTests"),
    Mutation(
        "change-unchecked", "a change keeps the rules of a creation",
        "Sources/ReportFlow/Persistence/AnnouncementStore.swift",
        "      return invalid.isEmpty ? nil : .invalid(invalid)\n",
        "      return invalid.count < 99 ? nil : .invalid(invalid)\n",
        "AnnouncementRepositoryTests"),
    Mutation(
        "null-empties-required", "a change empties no field that is required",
        "Sources/PetSpotServer/Parsing/FieldReader.swift",
        "if required { add(.missingValue", "if required, !isPartial { add(.missingValue",
        "FieldReaderTests"),
    Mutation(
        "taken-down-untold", "who visits a hidden announcement is told that it was taken down",
        "Sources/Announcements/Announcement.swift",
        "    if let reason = details.hiddenReason { throw .takenDown(id: id, reason: reason) }\n", "",
        "AnnouncementRepositoryTests"),
    Mutation(
        "breed-limit-off", "one limit holds for a breed, in the form and in an announcement",
        "Sources/ReportFlow/Validating/DescriptionRules.swift",
        "if race.count > Announcement.maxBreedLength {", "if race.count > 1000 {",
        "DescriptionRulesTests"),
    Mutation(
        "surplus-typed", "what a field can't hold is left out of what is typed",
        "Sources/ReportFlow/Details/Inputs.swift",
        "field.maxLength.map { String(newValue.prefix($0)) } ?? newValue", "newValue",
        "ReportDraftTests"),
    Mutation(
        "published-unchecked", "a text that others read is as long as its field allows",
        "Sources/Announcements/NewAnnouncement.swift",
        "isStorable(text) && text.count <= field.maxLength ?? .max", "isStorable(text)",
        "allBrokenRulesAreNamedAtOnce"),
    Mutation(
        "list-forgotten", "the transaction that changes a list reads it again before it is committed",
        "Sources/PhotoStoreSQLite/Recording/SQLiteCatalog.swift",
        "if !dryRun, changes.areSeen { again", "if dryRun, changes.areSeen { again",
        "QueryCacheTests"),
    Mutation(
        "list-of-undone", "what a transaction read that was undone is no answer",
        "Sources/PhotoStoreSQLite/Recording/SQLiteCatalog.swift",
        "    if !isCommitted { again = [:] }\n", "",
        "QueryCacheTests"),
    Mutation(
        "answer-held-idle", "an idle connection keeps next to nothing of an answer",
        "Sources/PetSpotServer/Serving/HTTPService.swift",
        """        let task = Task {
          var response = try await respond(request, channel)
          response.headers[.date] = date.text
          try await writer.take()!.write(response: response.head, body: response.body)
        }
        try await withTaskCancellationHandler {
          try await task.value
        } onCancel: {
          task.cancel()
        }
""",
        """        var response = try await respond(request, channel)
        response.headers[.date] = date.text
        try await writer.take()!.write(response: response.head, body: response.body)
""",
        scripts=("Scripts/http-abuse --quick --rows 96",)),
    Mutation(
        "no-date", "every response says when it was made",
        "Sources/PetSpotServer/Serving/HTTPService.swift",
        "response.headers[.date] = date.text", "response.headers[.age] = date.text",
        scripts=("Scripts/http-abuse --quick --rows 6",)),
    Mutation(
        "date-of-a-store", "a text that is no date of HTTP is none",
        "Sources/HTTPClient/CurlTransport.swift",
        "return seconds == -1 ? nil : seconds", "return seconds",
        "HTTPDateTests"),
    Mutation(
        "body-share-off", "of one client's bodies no more than its share are under way",
        "Sources/PetSpotServer/Guarding/BodyLimiter.swift",
        "if let perClient = limits.perClient, count >= perClient {",
        "if let perClient = limits.perClient, count >= perClient * 1000 {",
        "BodyLimiterTests"),
    Mutation(
        "body-room-unfair", "only a client that has more bodies makes room for another's",
        "Sources/PetSpotServer/Guarding/BodyLimiter.swift",
        "?? 0 > count, end(slowest, &state)", "?? 0 >= count, end(slowest, &state)",
        "BodyLimiterTests"),
    Mutation(
        "decoder-turns-off", "clients take turns at the decoders",
        "Sources/PetSpotServer/Guarding/AdmissionGate.swift",
        "          state.clients.append(client)\n", "          state.clients.insert(client, at: 0)\n",
        "AdmissionGateTests"),
    Mutation(
        "admission-off", "no more work than there is room for waits for a decoder",
        "Sources/PetSpotServer/Guarding/AdmissionGate.swift",
        "    if isFull { throw .busy(retryAfter: 5) }\n", "    _ = isFull\n",
        "AdmissionGateTests"),
    Mutation(
        "size-share-off", "half of the decoders stay to photos that come in",
        "Sources/PetSpotServer/Guarding/AdmissionGate.swift",
        "(work == .photo || state.sizesInside < limits.mostSizes)", "limits.mostSizes > 0",
        "AdmissionGateTests"),
    Mutation(
        "decoder-places-off", "no more photos are decoded at the same time than a pool has places",
        INGESTION + "Decoding/DecoderPool.swift",
        "while places.wait(timeout: .now() + .milliseconds(50))", "if places.wait(timeout: .now() + .milliseconds(50))",
        "DecoderLeaseTests"),
    Mutation(
        "pace-low", "a body below 8 KB a second over 20 seconds is ended",
        "Sources/PetSpotServer/Guarding/GuardLimits.swift",
        "var bodyBytesPerSecond = 8000", "var bodyBytesPerSecond = 1024",
        "ConnectionStateTests"),
    Mutation(
        "slow-body-unanswered", "a slow body is answered where a handler waits for it",
        "Sources/PetSpotServer/Guarding/ConnectionGuard.swift",
        "case .endBody where self.onSlowBody(context.channel): self.endBody(context)",
        "case .endBody where self.onSlowBody(context.channel) && !self.isParsing: self.endBody(context)",
        "ConnectionGuardTests"),
    Mutation(
        "base64-surplus-ignored", "what is not base64 in a photo's text is refused",
        "Sources/PetSpotServer/Parsing/PhotoSplitter.swift",
        "surplus += bytes.count", "surplus += bytes.isEmpty ? 1 : 0",
        "PhotoSplitterTests"),
    Mutation(
        "picture-unbounded", "pictures that are not read wait on the disk",
        "Sources/PetSpotServer/Images/ImagesResource.swift",
        "try await loop.submit {}.get()", "_ = loop",
        scripts=("Scripts/http-abuse --quick --rows 94",)),
    Mutation(
        "draft-cached", "no cache keeps a page of a draft",
        "Sources/PetSpotServer/Pages/PageView.swift",
        'caching = step == nil ? "private, no-cache" : "no-store"', 'caching = "private, no-cache"',
        scripts=("Scripts/http-abuse --quick --rows 95",)),
    Mutation(
        "retired-writer-names", "a writer that was taken for gone names nothing",
        PHOTOS + "Recording/ObjectLedger.swift",
        "      guard areAlive else {\n", "      guard areAlive || inserted > 0 else {\n",
        "S3BlobStorageTests"),
    Mutation(
        "replaced-object-kept", "the object that stood for a picture before is deleted",
        PHOTOS + "Recording/ObjectLedger.swift",
        "return before.filter { !again.contains($0) }", "return before.filter { again.contains($0) && inserted == 0 }",
        "S3BlobStorageTests"),
    Mutation(
        "lost-claim-counts", "nothing is counted for a worker whose claim is lost",
        PHOTOS + "Distributing/ImportRuns+Parts.swift",
        "WHERE run = $1 AND number = $2 AND token = $3 AND state = 'taken' FOR UPDATE",
        "WHERE run = $1 AND number = $2 AND ($3 = token OR true) FOR UPDATE",
        "ImportRunsTests"),
    Mutation(
        "idle-place-kept", "an upload without a byte for ten minutes gives up its place",
        PHOTOS + "Uploading/Upload.swift",
        "min(created.addingTimeInterval(life), touched.addingTimeInterval(idle))",
        "max(created.addingTimeInterval(life), touched.addingTimeInterval(idle))",
        "UploadStoreTests"),
    Mutation(
        "place-unfair", "only a client that has more open uploads gives a place to another",
        "Sources/PetSpotServer/Uploading/UploadTally.swift",
        "counts[idlest.value.client] ?? 0 > theirs else", "counts[idlest.value.client] ?? 0 >= theirs else",
        "UploadStoreTests"),
    Mutation(
        "postgres-place-unfair", "only a client that has more open uploads gives a place to another",
        "Sources/PhotoStorePostgres/Uploading/PostgresUploads.swift",
        "WHERE theirs > $1 ORDER BY theirs DESC", "WHERE theirs >= $1 ORDER BY theirs DESC",
        "PostgresUploadsTests"),
    Mutation(
        "unfinished-unbounded", "what a client leaves unfinished has a limit",
        "Sources/PetSpotServer/Uploading/UploadTally.swift",
        "total <= limits.bytes && bytes[client] ?? 0 <= limits.bytesPerClient", "total <= limits.bytes",
        "UploadStoreTests"),
    Mutation(
        "detail-off", "no JPEG keeps detail that a decoder clamps away",
        PROOF + "JPEGProofData.swift",
        "if reach > JPEGProofDetail.room(average),", "if reach > JPEGProofDetail.room(average), start.isOverrun,",
        "JPEGProofDetailTests"),
    Mutation(
        "detail-rounding-off", "what a JPEG clamps is no more than rounding leaves of a picture in range",
        PROOF + "JPEGProofDetail.swift",
        "return energy <= share * sum", "return energy <= share * sum * 1_000",
        "JPEGProofDetailTests"),
    Mutation(
        "detail-range-off", "a JPEG block hides no more than twice the range that it shows",
        PROOF + "JPEGProofDetail.swift",
        "guard highest - lowest - shown <= 2 * shown + 2 else { return true }",
        "guard highest - lowest - shown <= 1_000 * shown + 1_000 else { return true }",
        "JPEGProofDetailTests"),
    Mutation(
        "detail-reach-short", "every coefficient counts where a JPEG block is looked into for hidden detail",
        PROOF + "JPEGProofCodes.swift",
        "word >> 16 & 0xFFFF)", "word >> 16 & 0)",
        "JPEGProofDetailTests"),
    Mutation(
        "tries-without-end", "a client has so many tries a minute",
        "Sources/ReportFlow/Persistence/ClientTries.swift",
        "return next <= now + shared * interval ? next : nil", "return next",
        "AnnouncementRepositoryTests"),
    Mutation(
        "no-reserved-try", "guesses of a neighbor lock out no right code",
        "Sources/ReportFlow/Persistence/ClientTries.swift",
        "return (now + 1...now + reservedInterval).contains(reserved) ? min(shared, reserved) : nil",
        "return min(shared, max(reserved, now + 1))",
        "AnnouncementRepositoryTests"),
    Mutation(
        "queue-unshared", "one client has a quarter of the queue before scrypt",
        "Sources/ReportFlow/Persistence/PasswordQueue.swift",
        "share.all >= Self.maxPlacesOfClient\n          || isGuess", "isGuess",
        "AuthorizingTests"),
    Mutation(
        "chips-uncounted", "a refused chip is a try of its client",
        REPORTS + "Persistence/RecordedAnnouncements+Passwords.swift",
        "    if let client { _ = try useTry(of: client, at: now, t) }\n", "",
        "AnnouncementRepositoryTests"),
    Mutation(
        "draft-share-off", "a client's drafts take no more than its share",
        "Sources/ReportFlow/Persistence/DraftSpace.swift",
        "if client != nil, space.limitsClients {", "if client == nil {",
        "SQLiteDraftsTests"),
    Mutation(
        "loading-draft-goes", "a draft whose photo is loading never gives way",
        REPORTS + "Persistence/RecordedDrafts+Space.swift",
        "coalesce(state, '') <> 'loading'\n", "coalesce(state, '') <> ''\n",
        "SQLiteDraftsTests"),
    Mutation(
        "submitted-draft-goes", "a draft that is being submitted never gives way",
        REPORTS + "Persistence/RecordedDrafts+Space.swift",
        "OR \\(touched) < $2)", "OR \\(touched) <> $2)",
        "SQLiteDraftsTests"),
    Mutation(
        "verify-ends-at-a-sick-object", "a verification goes on past a picture that the store cannot give",
        PHOTOS + "Verifying/UnavailablePictures.swift",
        "guard case .serviceFailed(_, let answer) = error else { throw error }",
        "guard case .serviceFailed(_, let answer) = error, answer.isEmpty else { throw error }",
        "S3VerifyTests"),
    Mutation(
        "sick-object-kept", "in the place of a picture that the store cannot give another object is stored",
        PHOTOS + "Verifying/PhotoRepairer.swift",
        "try cache.blobs.put(picture, kind: kind, anew: file == .unavailable)",
        "try cache.blobs.put(picture, kind: kind, anew: file == .missing)",
        "S3VerifyTests"),
    Mutation(
        "own-objects-by-host", "a stored picture is never imported, by whatever name its host is called",
        "Sources/BlobStoreS3/Storing/S3ObjectSource.swift",
        "    if S3BlobStorage.isPicture(key) { return true }\n", "",
        "S3ImportTests"),
    Mutation(
        "cache-as-destination", "originals are not moved into the cache, also before it is made",
        PHOTOS + "Importing/SourceDestination.swift",
        "    if let cache, place(of: path).starts(with: place(of: FilePath(cache.path))) { return true }\n", "",
        "ImportRunTests"),
    Mutation(
        "file-limit-kills", "a limit on the size of files ends no server",
        "Sources/petspot-server/Program.swift",
        "    signal(SIGXFSZ, SIG_IGN)\n", "    signal(SIGXFSZ, SIG_DFL)\n",
        "ServeTests"),
    Mutation(
        "file-limit-unnamed", "a file that may not grow is told as a full disk",
        PHOTOS + "Records/StoreError.swift",
        "case ENOSPC, EDQUOT, EFBIG: self = .storageFull",
        "case ENOSPC, EDQUOT: self = .storageFull",
        "LimitsRunTests"),
    Mutation(
        "nameless-alone", "a file system without nameless files takes imports and uploads",
        PHOTOS + "Storing/SystemCalls.swift",
        "guard errno == EOPNOTSUPP || errno == EISDIR else {",
        "guard errno == EISDIR else {",
        "SystemCallsTests"),
    Mutation(
        "override-ignored", "a client of tus that can only send POST says what it means",
        "Sources/PetSpotServer/Tus/TusResource.swift",
        "guard path.suffix(2).contains(\"uploads\") else { return request }",
        "guard path.suffix(2).contains(\"none\") else { return request }",
        "ResumableOverHTTPTests"),
    Mutation(
        "gps-edited", "a position that differs from what the browser found is the reporter's own",
        "Sources/PetSpotServer/Pages/DescriptionForm.swift",
        "      capture.latitude == latitude, capture.longitude == longitude,\n", "      capture.latitude != \"\",\n",
        "ReportPagesTests"),
    Mutation(
        "photo-position-gps", "the photo's own position does not count as GPS",
        "Sources/ReportFlow/Steps/AnimalDescriptionViewModel.swift",
        "take(photoPosition, as: .manual)", "take(photoPosition, as: .gps)",
        "AnimalDescriptionViewModelTests"),
    Mutation(
        "long-ago-always", "a day long ago is asked about once",
        "Sources/PetSpotServer/Pages/DescriptionForm.swift",
        "      posted[\"askedDate\"] != day.description\n", "      posted[\"askedDate\"] != day.description + \" \"\n",
        "ReportPagesTests"),
    Mutation(
        "zero-with-sign", "a zero has no sign",
        "Sources/ReportFlow/Validating/CoordinateRules.swift",
        ".map { $0 + 0 }", "",
        "CoordinateRulesTests"),
    Mutation(
        "heic-chroma-spread", "a HEIC with 4:2:0 becomes a JPEG with 4:2:0",
        INGESTION + "Normalizing/PictureDecoder.swift",
        "jpegQuality, subsampled: facts.chromaSubsampled", "jpegQuality, subsampled: false",
        "HEICStripsTests"),
    Mutation(
        "heic-strips-upside-down", "strips come from top to bottom of the upright picture",
        "Sources/ImageContainers/HEIC/HEVCPicture.swift",
        "[3, 4, 7, 8].contains(orientation)", "[3, 4, 6, 8].contains(orientation)",
        "HEVCDecoderTests"),
    Mutation(
        "heic-row-left-of-canvas", "nothing is written beside the canvas",
        INGESTION + "Painting/UprightCanvas.swift",
        "top < height, left >= 0, left + count", "top < height, left + count",
        "HEVCDecoderTests"),
    Mutation(
        "heic-stage-per-strip", "a worker reports a stage once",
        INGESTION + "Decoding/DecoderWorker.swift",
        " || stage == reported { return }", " { return }",
        "HEICStripsTests"),
    Mutation(
        "text-unnamed", "a text file is refused by what it is",
        "Sources/PhotoIngestion/Sniffing/Sniffer.swift",
        "textType(of: bytes) ?? mediaType", "bytes.isEmpty ? textType(of: bytes) ?? mediaType : mediaType",
        "ImportRunTests"),
    Mutation(
        "erased-without-mark", "an erased announcement leaves a mark, by which nothing brings it back",
        REPORTS + "Persistence/RecordedAnnouncements+Rows.swift",
        "[ErasureMark.announcement(id), ErasureMark.submission(key)], t)", "[ErasureMark.submission(key)], t)",
        "AnnouncementRepositoryTests"),
    Mutation(
        "forgotten-comes-back", "an import leaves out files whose photos were forgotten",
        PHOTOS + "Importing/GroupResolver.swift",
        "!takesForgotten, knowledge.erased.contains(mark)", "!takesForgotten, mark.isEmpty",
        "LibraryTests"),
    Mutation(
        "move-leaves-marks", "a move takes marks along, and what they are of goes in the target",
        REPORTS + "Moving/StoreMove.swift",
        "    try move(.erasures, &summary)\n", "",
        "StoreMoveTests"),
    Mutation(
        "move-adds-erased", "what was erased while a move looked at it is not recorded by it",
        REPORTS + "Moving/RecordsToMove.swift",
        "let new = rows.filter { !erased.contains($0) }", "let new = rows.filter { _ in !erased.isEmpty || true }",
        "StoreMoveTests"),
    Mutation(
        "failed-command-committed", "a failed command ends its transaction, whoever catches the error",
        PHOTOS + "Database/Transaction.swift", "      hasFailed = true\n", "",
        "StoreRulesTests"),
    Mutation(
        "values-by-appearance", "a value is bound by its number, not by its first appearance",
        STORE + "Recording/SQLiteCommandSender.swift",
        "      bytes[index] = UInt8(ascii: \"?\")\n", "      bytes[index] = UInt8(ascii: \"$\")\n",
        "StoreRulesTests"),
    Mutation(
        "released-unheld", "a picture is deleted while no record can come to refer to it",
        RECORDS + "Photos.swift",
        "      try database.write { t in\n        let locked", "      try database.read { t in\n        let locked",
        "StoreRulesTests"),
    Mutation(
        "groups-lose-the-last", "a list that is taken in pieces is taken to its end",
        RECORDS + "PhotoRows.swift",
        "stride(from: 0, to: list.count, by: most)", "stride(from: 0, to: list.count - 1, by: most)",
        "StoreRulesTests"),
    Mutation(
        "remade-although-there", "a record is remade only where an entry points at nothing",
        RECORDS + "Verifying.swift",
        "      guard try problem(of: .library(photo: photo.id), t) == .reference else { return false }\n", "",
        "StoreRulesTests"),
    Mutation(
        "replaced-although-changed", "a record is replaced only while it is as it was",
        RECORDS + "Verifying.swift",
        "      guard found.first == old else { return false }", "      guard found.count < 2 else { return false }",
        "StoreRulesTests"),
    Mutation(
        "lets-go-of-the-sound", "an entry is let go only where it points at nothing",
        RECORDS + "Verifying.swift",
        "func isGone() throws -> Bool { try problem(of: entry, t) == .reference }",
        "func isGone() throws -> Bool { true }",
        "StoreRulesTests"),
    Mutation(
        "forgotten-files-kept", "with a library photo goes what is known of its files",
        STORE + "Recording/Migrations.swift",
        "photo TEXT REFERENCES library_photo (photo) ON DELETE CASCADE",
        "photo TEXT REFERENCES library_photo (photo) ON DELETE SET NULL",
        "StoreRulesTests"),
    Mutation(
        "half-submitted", "a draft is submitted once that is complete",
        REPORTS + "Persistence/DraftMarks.swift",
        'submission?["isComplete"] as? Bool ?? false', "submission != nil",
        "SQLiteDraftsTests"),
    Mutation(
        "draft-id-cut", "an id with a zero byte is none",
        REPORTS + "Persistence/RecordedDrafts.swift",
        '    guard id.isStorable else { throw .fault(what: "draft-id") }\n', "",
        "SQLiteDraftsTests"),
    Mutation(
        "undone-committed", "what an act undoes leaves nothing",
        RECORDS + "Verifying.swift",
        "    t.rollsBack = !areNamed\n", "",
        "StoreRulesTests"),
    Mutation(
        "search-hears-accents", "a search finds words with and without accents",
        "Sources/Announcements/AnnouncementFilter.swift",
        'folded.append(scalar == "ł" ? "l" : scalar)',
        "folded.append(scalar)",
        "ListPageTests|AnnouncementRule"),
    Mutation(
        "place-exact-in-address", "a position in the address of the list has two decimals",
        "Sources/PetSpotServer/Pages/AnnouncementsPage.swift",
        "if isUntidy || wanted.place.isUnrounded { return .see(wanted.text) }",
        "if isUntidy { return .see(wanted.text) }",
        "ListPageTests"),
    Mutation(
        "breed-repeats-species", "a breed that only repeats the species is not shown",
        "Sources/ReportFlow/Listing/AnnouncementCard.swift",
        "$0.lowercased() == breed.lowercased() } ? nil : breed",
        "$0 == breed } ? nil : breed",
        "LandingTests|AnnouncementCardViewModelTests|ListPageTests"),
    Mutation(
        "published-unseen", "only what the review showed is published",
        "Sources/PetSpotServer/Pages/ReviewPage.swift",
        "if let seen = form.given(\"seen\"), seen != (try await contents(of: visit)?.fingerprint) {",
        "if let seen = form.given(\"seen\"), seen.isEmpty, try await contents(of: visit) == nil {",
        "ReportPagesTests"),
    Mutation(
        "code-longer-than-an-hour", "the code can be seen for an hour, whatever a cookie says",
        "Sources/PetSpotServer/Pages/DraftCookie.swift",
        'hmac(Array("published:\\(secret).\\(end)".utf8), key: key)',
        'hmac(Array("published:\\(secret)".utf8), key: key)',
        "ReportPagesTests"),
    Mutation(
        "owner-of-all", "the right to change an announcement is that one's",
        "Sources/PetSpotServer/Pages/OwnerCookie.swift",
        'hmac(Array("owner \\(id):".utf8) + bytes, key: key)',
        'hmac(Array("owner:".utf8) + bytes, key: key)',
        "OwnerPageTests"),
    Mutation(
        "owner-overwrites-owner", "the second of two owners who save at once sees both",
        "Sources/PetSpotServer/Pages/OwnerPage.swift",
        "if let seen = posted.given(\"seen\"), seen != now.entries.fingerprint {", "if posted.given(\"seen\") == \"\" {",
        "OwnerPageTests"),
    Mutation(
        "continue-does-not-wait", "Continue waits for a photo that is being sent, and goes on",
        "Sources/PetSpotServer/Resources/assets/photo-step.js",
        "    upload.next = event.submitter;\n", "",
        scripts=("Scripts/pages --only 58",)),
    Mutation(
        "toast-anywhere", "a toast covers no field and no button",
        "Sources/PetSpotServer/Resources/assets/page.js",
        "if (!covers(low)) return", "return",
        scripts=("Scripts/pages --only 59",)),
    Mutation(
        "poster-two-days-ago", "a poster says the day, which stays true",
        "Sources/PetSpotServer/Pages/AnnouncementPage.swift",
        "isPrinted ? card.longDateText : card.fullDateText()",
        "card.fullDateText(today: card.announcement.details.dateOfDisappearance ?? CalendarDay(Date(), in: .gmt))",
        "OwnerPageTests"),
    Mutation(
        "typed-not-kept", "what is typed is kept before Continue",
        "Sources/PetSpotServer/Pages/StepVisit.swift",
        'PostedForm(form, action: "typed"), of: step, facts: .now(), edit: edit)',
        'PostedForm(form, action: "typed"), of: step, facts: .now())',
        "ReportPagesTests"),
    Mutation(
        "refused-answer-offered", "a refused answer is not the next default",
        "Sources/petspot/Conversation/Conversation.swift",
        "      set(question.current)\n",
        "      if case .text(let text) = answer { question.current = text }\n      set(question.current)\n",
        "petspotTests.AnsweringTests"),
    Mutation(
        "rows-too-wide", "a row of photos fits the terminal",
        "Sources/petspot/Output/ConfirmationCard.swift",
        "TextCells.shortened(name, to: max(8, room))", "TextCells.shortened(name, to: max(80, room))",
        "petspotTests.ImportReportRunTests"),
    Mutation(
        "words-broken", "what a command prints breaks between words",
        "Sources/petspot/Output/Output.swift",
        "isShown ? TextCells.wrapped(text, columns: Terminal.standardOutput().columns) : text",
        "isShown ? text : text",
        "petspotTests.AnsweringTests"),
    Mutation(
        "errors-in-one-language", "an error is said in the reader's language",
        "Sources/petspot/Output/ErrorSentence.swift",
        "default: L10n.words(text(about: path))", "default: ReportFlow.Words(.en)(text(about: path))",
        "petspotTests.TellingTheTruthTests"),
    Mutation(
        "missing-photo-said-twice", "a report without a photo says how to attach one",
        "Sources/petspot/Conversation/ReportSession.swift",
        "? words(.reportPhotoMissing)", "? error.message(in: words)",
        "petspotTests.TellingTheTruthTests"),
    Mutation(
        "scans-counted", "a limit that no one counts is not said as a number",
        "Sources/ReportFlow/Localization/FailureText.swift",
        "default: return words(.failurePhotoTooComplex)", "default: return text { String($0) }",
        "ReportFlowTests.WordsTests"),
    Mutation(
        "unchanged-listed", "an import in a pipe prints what changed",
        "Sources/petspot/Output/ImportOutput.swift",
        "case .unchanged: false", "case .unchanged: options.listsFiles",
        "petspotTests.ImportRunTests"),
    Mutation(
        "ids-not-completed", "Tab completes the ids of photos",
        "Sources/petspot/Parsing/PhotoReference.swift",
        "return ids + others(typed)", "return ids.filter { _ in false } + others(typed)",
        "petspotTests.HelpRunTests"),
]
