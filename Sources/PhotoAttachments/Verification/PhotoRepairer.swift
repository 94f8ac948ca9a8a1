import Foundation
import ImageContainers
import PhotoIngestion

/// Repairs photos, files and catalog entries that `PhotoVerifier` found damaged, one at a time. All functions block.
struct PhotoRepairer: Sendable {
  let verifier: PhotoVerifier
  let originals: OriginalFinder
  /// The files in quarantine. If two pictures were swapped, the file moved here from the place of one may hold the
  /// bytes of the other.
  let quarantined: [BlobPath]

  var cache: PhotoAttachmentCache { verifier.cache }

  /// Repairs an item and returns the result. `nil` if the item no longer exists.
  func repair(_ subject: PhotoVerifier.Subject) throws(StoreError) -> VerifyReport.Repair? {
    do throws(StoreError) {
      switch subject {
      case .photo(let sequence): return try repair(sequence: sequence)
      // A file without a record cannot be restored. Removing it from the store is enough.
      case .file(let place):
        let isGone = try cache.blobs.findBlob(at: place, quickly: false) == nil
        return isGone ? .done(.released) : .failed(.noSource)
      case .folder: return .failed(.storage)
      case .entry(let entry): return try repair(entry)
      }
    } catch .storage, .serviceFailed {
      return .failed(.storage)
    }
  }

  // MARK: - A photo

  /// A photo's repair in progress, with the record that will replace the old one.
  struct Work {
    var photo: SealedRecord
    var method: VerifyReport.Method?
    var prepared: PreparedPhoto?
    /// The new blob and preview if the old ones cannot be restored exactly.
    var replacement: SealedRecord.Pictures?
  }

  private func repair(sequence: Int64) throws(StoreError) -> VerifyReport.Repair? {
    // Retry, because another process may change the record, or delete a file before the record protects it.
    for _ in 0..<5 {
      guard let old = try cache.catalog.photo(sequence: sequence) else { return nil }
      var work = Work(photo: old)
      if let reason = try repairRecord(&work) { return .failed(reason) }
      for kind in [BlobPath.Kind.blob, .preview] {
        if let reason = try repairFile(kind, &work) { return .failed(reason) }
      }
      let new = work.photo
      let isDone = try cache.catalog.replace(old, by: new, showing: work.replacement) {
        try cache.blobs.holds(new)
      }
      guard isDone else { continue }
      if work.replacement != nil {
        _ = cache.releaseNow(old.places)
      }
      return .done(work.method ?? .record)
    }
    return .failed(.storage)
  }

  /// Repairs the record in `work`. Returns a reason if it cannot be repaired.
  ///
  /// Looks for fields and an ID with which the recorded seal is valid: first the fields of the intact pictures, then
  /// those of an original that is prepared again. If there are none, seals the most likely record anew.
  private func repairRecord(_ work: inout Work) throws(StoreError) -> VerifyReport.Reason? {
    let photo = work.photo
    var facts: [String: FieldValue] = [:]
    var contradicts = false
    var soundFiles = 0
    for kind in BlobPath.Kind.ofRecords {
      guard let (place, file) = try soundFile(kind, of: photo) else { continue }
      soundFiles += 1
      if !photo.agrees(with: file, kind) || photo.place(kind) != place { contradicts = true }
      facts.merge(Self.facts(of: file, at: place)) { _, new in new }
    }
    if photo.isSealed, photo.isPossible, !contradicts { return nil }
    let ids = try possibleIDs(photo)
    if let found = Self.sealed(photo.with(facts), ids: ids) {
      work.photo = found
      work.method = .blob
      return nil
    }
    var likely: SealedRecord?
    let reason = try search(photo) { original in
      guard let prepared = try prepare(original.received, as: photo.form) else { return false }
      let described = photo.with(try self.facts(of: prepared))
      let names = [photo.text("fileName"), prepared.fileName]
      let forms = [photo.text("form"), prepared.form?.text, nil]
      // The stored pictures may have been made in another form than today's pipeline uses.
      for candidate in [described, described.with(facts)] {
        for (name, form) in names.flatMap({ name in forms.map { (name, $0) } }) {
          let named = candidate.with(["fileName": FieldValue(name), "form": FieldValue(form)])
          guard let found = Self.sealed(named, ids: ids) else { continue }
          work.photo = found
          work.method = .source
          work.prepared = prepared
          return true
        }
      }
      // Don't accept a truncated original, because the stored picture may be complete.
      guard prepared.normalization.signsOfCut.isEmpty else { return false }
      if likely == nil, original.isNoted || prepared.source.sha256 == photo.text("sourceSHA256") {
        likely = described.with(["form": FieldValue(prepared.form?.text)])
        work.prepared = prepared
      }
      return false
    }
    if reason == nil || reason == .storage { return reason }
    // Accept fields that can no longer be verified, such as the storage time or a name.
    let accepted = (likely ?? (soundFiles == 2 ? photo.with(facts) : nil))?.sealedAnew
    guard let accepted, accepted.isPossible else { return reason }
    work.photo = accepted
    work.method = .sealed
    return nil
  }

  /// Restores a picture that is missing or damaged. Returns a reason if it cannot be restored.
  private func repairFile(
    _ kind: BlobPath.Kind, _ work: inout Work
  ) throws(StoreError) -> VerifyReport.Reason? {
    guard let place = work.photo.place(kind) else { return .otherBytes }
    let file = try verifier.inspect(at: place)
    switch file {
    case .sound: return nil
    // The recorded bytes themselves are bad, so restoring them would not help.
    case .unsound where kind == .blob: return try replace(&work)
    case .unsound, .missing, .unreadable, .other, .unavailable: break
    }
    if let bytes = copy(of: place) ?? originals.copy(of: place) {
      try put(bytes, place, over: file)
      work.method = work.method ?? (copy(of: place) == nil ? .source : .quarantine)
      return nil
    }
    var prepared = work.prepared.flatMap { $0.picture(kind).sha256 == place.sha256 ? $0 : nil }
    var other: PreparedPhoto?
    var reason: VerifyReport.Reason?
    if prepared == nil {
      let form = work.photo.form
      let source = work.photo.text("sourceSHA256")
      reason = try search(work.photo) { original in
        guard let made = try prepare(original.received, as: form) else { return false }
        if made.picture(kind).sha256 == place.sha256 {
          prepared = made
        } else if made.source.sha256 == source, made.normalization.signsOfCut.isEmpty {
          other = made
        }
        return prepared != nil || other != nil
      }
    }
    if let prepared {
      work.prepared = prepared
      try put(prepared.picture(kind).bytes, place, over: file)
      work.method = work.method ?? .source
      return nil
    }
    if kind == .blob, let other {
      try replace(&work, by: other, .remade)
      return nil
    }
    guard kind == .preview, let remade = try preparedBlob(work.photo)?.preview ?? other?.preview
    else { return reason }
    // A preview made from the blob may differ slightly from one made from the original.
    let stored = try put(remade, .preview, over: file)
    if stored.sha256 != place.sha256 {
      work.photo = work.photo.with(stored.fields(.preview)).sealedAnew
    }
    work.method = work.method ?? .blob
    return nil
  }

  func search(
    _ photo: SealedRecord, _ use: (OriginalFinder.Original) throws -> Bool
  ) throws(StoreError) -> VerifyReport.Reason? {
    let ids = [photo.text("id"), photo.text("assetIdentifier")].compactMap { $0 }
    return try originals.search(ids: ids, digest: photo.text("sourceSHA256"), use)
  }

  /// Prepares an original again. `nil` if the pipeline now refuses it.
  ///
  /// - Parameter form: the form in which the photo was made before. `nil` uses today's form.
  func prepare(
    _ received: ReceivedFile, as form: PhotoForm? = nil
  ) throws(StoreError) -> PreparedPhoto? {
    var pipeline = verifier.pipeline
    if let form { pipeline.policy = form.applied(to: pipeline.policy) }
    do throws(PhotoError) {
      var times = StageTimes()
      return try pipeline.prepare(received, &times)
    } catch {
      if error.blame == .photo { return nil }
      throw StoreError(error)
    }
  }

  /// Prepares a photo from its own blob. `nil` if the blob is damaged too.
  func preparedBlob(_ photo: SealedRecord) throws(StoreError) -> PreparedPhoto? {
    guard let place = photo.place(.blob), case .sound = try verifier.inspect(at: place) else {
      return nil
    }
    let bytes = try cache.blobs.readPicture(place)
    return try prepare(
      ReceivedFile(name: "blob", bytes: bytes, sha256: place.sha256), as: photo.form)
  }

  /// Returns the exact bytes of a picture from quarantine.
  private func copy(of place: BlobPath) -> [UInt8]? {
    // A file that was unreadable when it was moved may be the picture itself.
    for file in quarantined
    where file.holds == place.sha256 || file.holds == "unread" && file.origin == place {
      if let bytes = try? cache.blobs.readPicture(file), sha256(of: bytes) == place.sha256 {
        return bytes
      }
    }
    return nil
  }

  private func put(
    _ bytes: [UInt8], _ place: BlobPath, over file: StoredFile
  ) throws(StoreError) {
    _ = try put(EncodedPicture(bytes, at: place), place.kind, over: file)
  }

  /// Stores a picture. If the store could not provide the old one, overwrites it in any case.
  private func put(
    _ picture: EncodedPicture, _ kind: BlobPath.Kind, over file: StoredFile
  ) throws(StoreError) -> StoredPicture {
    try cache.blobs.put(picture, kind: kind, anew: file == .unavailable)
  }

  // MARK: - Fields of records

  /// Returns the intact picture with the recorded digest. Tries every format, because the recorded one may be wrong.
  private func soundFile(
    _ kind: BlobPath.Kind, of photo: SealedRecord
  ) throws(StoreError) -> (BlobPath, StoredFile)? {
    guard let digest = photo.text(kind.column + "SHA256") else { return nil }
    for format in ImageFormat.allCases {
      guard let place = BlobPath(kind, sha256: digest, format: format) else { continue }
      let file = try verifier.inspect(at: place)
      if case .sound = file { return (place, file) }
    }
    return nil
  }

  private static func facts(of file: StoredFile, at place: BlobPath) -> [String: FieldValue] {
    guard case .sound(let size, let width, let height, let frames) = file else { return [:] }
    let picture = StoredPicture(
      path: place.relativePath, format: place.format, sizeBytes: size, sha256: place.sha256,
      pixelWidth: width, pixelHeight: height, frameCount: frames)
    return picture.fields(place.kind)
  }

  /// Returns all record fields that a prepared original determines.
  func facts(of prepared: PreparedPhoto) throws(StoreError) -> [String: FieldValue] {
    let photo = cache.newPhoto(
      prepared.facts, id: UUID(),
      blob: StoredPicture(prepared.blob, at: try prepared.blob.place(.blob)),
      preview: StoredPicture(prepared.preview, at: try prepared.preview.place(.preview)))
    var facts = try SealedRecord(photo).fields
    let own = [
      "id", "assetIdentifier", "savedAtMilliseconds", "fileName", "form", "seal",
    ]
    for name in own { facts[name] = nil }
    return facts
  }

  /// Returns the record with the ID, among these, that makes its seal valid. `nil` if the seal never matches.
  private static func sealed(_ photo: SealedRecord, ids: [String]) -> SealedRecord? {
    ids.lazy.map { photo.with(["id": .text($0)]) }.first { $0.isSealed && $0.isPossible }
  }

  /// Returns the IDs that a photo may have had before its record was altered: its current one, and those of missing
  /// photos that other records refer to.
  private func possibleIDs(_ photo: SealedRecord) throws(StoreError) -> [String] {
    [photo.id] + (try cache.catalog.missedPhotos())
  }
}

extension PreparedPhoto {
  func picture(_ kind: BlobPath.Kind) -> EncodedPicture { kind == .blob ? blob : preview }
}
