import Foundation
import GRDB
import PhotoIngestion

/// What the transaction decides: other imports may have recorded the same picture meanwhile.
extension LibraryWriter {
  /// Records one finding in the transaction of `db`.
  ///
  /// - Parameters:
  ///   - twin: a picture that has the same pixels in another coding.
  ///   - files: what became of those before it in the group.
  func record(
    _ finding: ImportFinding, twin: Twin?, files: [ImportedFile], _ db: Database
  ) throws -> ImportedFile {
    if let told = finding.told { return told }
    guard case .file(let file, let sha256) = finding.path else {
      throw PhotoError.fault(what: "import-finding")
    }
    var row = SourceFileRow(path: file.key, file.identity, sha256: sha256)
    let outcome =
      switch finding.verdict {
      case .told(let known): known
      case .moved(let photo, _): ImportOutcome.unchanged(photo)
      case .refused(let refusal): refusal.outcome
      case .duplicate(let photo, let tier):
        try duplicate(of: photo, tier, sha256: row.sha256, db)
      case .staged(let staged): try record(staged, twin: twin, files: files, db)
      }
    switch outcome {
    case .imported(let photo): row.photo = photo.id.uuidString
    case .duplicate(let photo, let tier): (row.photo, row.tier) = (photo.uuidString, tier)
    case .unchanged(let photo):
      row.photo = photo.uuidString
      if case .moved(_, let tier) = finding.verdict { row.tier = tier }
    case .failed(let refusal), .skipped(let refusal):
      row.refusal = refusal.isLasting ? try Self.json(refusal) : nil
    }
    if row.photo == nil, row.refusal == nil {
      // What was known of this path is of an older file.
      try SourceFileRow.delete(db, path: row.path)
    } else {
      try row.insert(db, onConflict: .replace)
    }
    return ImportedFile(path: file.path, sizeBytes: file.identity.size, outcome: outcome)
  }

  /// Bytes that came before in this run, or by another import meanwhile.
  private func duplicate(
    of photo: UUID?, _ tier: ImportOutcome.DuplicateTier, sha256: String?, _ db: Database
  ) throws -> ImportOutcome {
    if let photo, try LibraryRow.fetch(db, id: photo) != nil {
      return .duplicate(of: photo, tier: tier)
    }
    switch try sha256.flatMap({ try SourceFileRow.knowledge(db, sha256: $0) }) {
    case .photo(let id, _)?: return .duplicate(of: id, tier: tier)
    case .refused(let refusal)?: return refusal.outcome
    // Its photo was forgotten a moment ago; the next run takes it.
    case nil: return ImportRefusal.changing.outcome
    }
  }

  private func record(
    _ staged: StagedPhoto, twin: Twin?, files: [ImportedFile], _ db: Database
  ) throws -> ImportOutcome {
    // Another import may have been faster.
    if case .photo(let id, _)? = try SourceFileRow.knowledge(
      db, sha256: staged.prepared.source.sha256)
    {
      try renew(id, with: staged, db)
      return .duplicate(of: id, tier: .bytes)
    }
    // Equal blobs have equal pixels: only metadata differed.
    if let id = try LibraryRow.photo(db, blob: staged.blob.picture) {
      return .duplicate(of: id, tier: .pixels)
    }
    switch twin {
    case .inLibrary(let id)? where try LibraryRow.fetch(db, id: id) != nil:
      return .duplicate(of: id, tier: .pixels)
    case .inGroup(let index)?:
      if case .imported(let photo) = files[index].outcome {
        return .duplicate(of: photo.id, tier: .pixels)
      }
    default: break
    }
    let photo = metadata(of: staged)
    try PhotoRow(photo).insertSealed(db)
    try LibraryRow(photo: photo.id, perceptualHash: staged.prepared.perceptualHash).insert(db)
    return .imported(photo)
  }

  /// Gives a photo on record that has lost its blob the one just made from the same original. Its
  /// bytes may differ from the lost ones, because it may be made in another form.
  private func renew(_ id: UUID, with staged: StagedPhoto, _ db: Database) throws {
    guard let photo = try RawPhoto.fetch(db, id: id.uuidString), photo.isSealed,
      photo.place(.blob) != staged.blob.place,
      try !PhotoRow.isStored(db, id: id, in: cache.blobs)
    else { return }
    try photo.show(
      blob: staged.blob.picture, preview: staged.preview.picture, form: staged.prepared.form, db)
  }

  private func metadata(of staged: StagedPhoto) -> PhotoAttachmentMetadata {
    let facts = staged.prepared
    return PhotoAttachmentMetadata(
      id: cache.newID(), fileName: facts.fileName, fileSizeBytes: facts.fileSizeBytes,
      uti: facts.uti, pixelWidth: facts.pixelWidth, pixelHeight: facts.pixelHeight,
      assetIdentifier: nil,
      cachedURL: URL(fileURLWithPath: cache.blobs.absolute(staged.blob.place)),
      savedAt: Date(milliseconds: cache.now().milliseconds), source: facts.source,
      blob: staged.blob.picture, preview: staged.preview.picture,
      normalization: facts.normalization, form: facts.form)
  }

  private static func json(_ refusal: ImportRefusal) throws -> String {
    String(decoding: try JSONEncoder().encode(refusal), as: UTF8.self)
  }
}
