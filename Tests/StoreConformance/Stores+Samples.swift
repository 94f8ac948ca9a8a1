import Foundation
import ImageContainers
package import PhotoAttachments
import PhotoIngestion
import TestPictures

/// The photos of the rules, identified by numbers. Photo `n` has the blob of `n` and the preview of `n + 1000`.
extension Stores {
  /// Returns a record of photo `number` without storing its pictures.
  static func sample(
    _ number: Int, id: UUID = UUID(), asset: String? = nil, source: Int? = nil
  ) throws -> SealedRecord {
    let prepared = PreparedPhoto.sample(number)
    var facts = prepared.facts
    facts.source.sha256 = digest(source ?? number)
    (facts.pixelWidth, facts.pixelHeight) = (1, 1)
    return try SealedRecord(
      PhotoAttachmentMetadata(
        id: id, facts: facts, assetIdentifier: asset, cachedURL: URL(fileURLWithPath: "/"),
        savedAt: moment(0), blob: StoredPicture(prepared.blob, at: blob(number)),
        preview: StoredPicture(prepared.preview, at: preview(number))))
  }

  /// Returns the digest of the original of photo `number`.
  static func digest(_ number: Int) -> String { sha256(of: Array("original \(number)".utf8)) }

  static func blob(_ number: Int) -> BlobPath { place(.blob, .png(number)) }
  static func preview(_ number: Int) -> BlobPath { place(.preview, .png(number + 1000)) }
  static func places(_ number: Int) -> [BlobPath] { [blob(number), preview(number)] }

  static func place(_ kind: BlobPath.Kind, _ picture: EncodedPicture) -> BlobPath {
    BlobPath(kind, sha256: picture.sha256, format: picture.format)!
  }

  /// Returns the pictures of photo `number`.
  static func pictures(_ number: Int) -> SealedRecord.Pictures {
    let prepared = PreparedPhoto.sample(number)
    return SealedRecord.Pictures(
      blob: StoredPicture(prepared.blob, at: blob(number)),
      preview: StoredPicture(prepared.preview, at: preview(number)), form: nil)
  }

  /// Stores the pictures of photo `number`.
  func put(_ number: Int) throws {
    _ = try storage.put(.png(number), kind: .blob)
    _ = try storage.put(.png(number + 1000), kind: .preview)
  }

  /// Confirms an attempt; returns `nil` if a picture is missing.
  func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket, at seconds: TimeInterval = 0
  ) throws -> AppliedEvent? {
    try catalog.confirm(photo, draft: draft, ticket: ticket, at: moment(seconds)) {
      try storage.holds(photo)
    }
  }

  /// Attaches photo `number` to a draft, from beginning to end.
  @discardableResult
  func attach(
    _ number: Int, to draft: String, of owner: AttachmentOwner = .report,
    at seconds: TimeInterval = 0, asset: String? = nil
  ) throws -> SealedRecord {
    let photo = try Self.sample(number, asset: asset)
    let ticket = try catalog.begin(draft: draft, of: owner, at: moment(seconds))
    defer { catalog.end(ticket) }
    try put(number)
    guard let applied = try confirm(photo, draft: draft, ticket: ticket, at: seconds) else {
      throw Missing(what: "a confirmed photo")
    }
    try giveUp(applied.gone)
    return try catalog.photo(id: photo.id) ?? photo
  }

  /// Adds photo `number` to the library, with the file that it was made from.
  @discardableResult
  package func join(
    _ number: Int, hash: UInt64 = 0, path: String? = nil, photo: SealedRecord? = nil
  ) throws -> SealedRecord {
    let photo = try photo ?? Self.sample(number)
    try put(number)
    var decision = GroupDecision()
    decision.photos = [.init(record: photo, perceptualHash: hash)]
    if let path {
      decision.sources = [
        SourceRecord(
          path: Array(path.utf8), identity: .sample(number), sha256: photo.text("sourceSHA256"),
          knowledge: .photo(photo.uuid, nil))
      ]
    }
    try record(decision)
    return try catalog.photo(id: photo.id) ?? photo
  }

  func record(_ decision: GroupDecision) throws {
    _ = try catalog.record(GroupQuery()) { _ in
      decision
    } naming: { _ in
    }
  }

  /// Deletes those of the pictures that no record refers to.
  @discardableResult
  func giveUp(_ places: [BlobPath]) throws -> (files: Int, bytes: Int) {
    try catalog.release(places, deleting: storage.remove)
  }

  /// Returns the pictures in the storage.
  func listed() throws -> Set<BlobPath> {
    var places: Set<BlobPath> = []
    for kind in BlobPath.Kind.allCases {
      for shard in StoreShard.whole.prefixes {
        places.formUnion(try storage.list(.shard(kind, shard)))
      }
    }
    return places
  }

  func machine(_ draft: String) throws -> Machine? {
    try catalog.attachment(draft: draft)?.machine
  }

  /// Returns all photos in the order of recording.
  func photos(attachedOnly: Bool = false) throws -> [SealedRecord] {
    try catalog.page(after: 0, limit: 100_000, attachedOnly: attachedOnly)
  }
}

extension Catalog {
  func remove(photo: UUID, at now: Date) throws(StoreError) -> [BlobPath] {
    try database.write { try remove(photo: photo, at: now, $0) }
  }

  func forget(asset: UUID) throws(StoreError) -> (drafts: [String], gone: [BlobPath]) {
    try database.write { try forget(asset: asset, $0) }
  }

  /// Confirms an attempt of a draft. Returns `nil` and records nothing if `naming` returns `false`.
  func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket, at now: Date,
    naming: @escaping () throws -> Bool
  ) throws(StoreError) -> AppliedEvent? {
    try database.write { t in
      let stored = StoredPhoto(photo, try PhotoRows.lock(photo.places, t), areThere: naming)
      let applied = try confirm(stored, of: draft, ticket: ticket, at: now, t)
      return t.rollsBack ? nil : applied
    }
  }
}

extension SealedRecord {
  /// The ID; a new one if it isn't a UUID.
  var uuid: UUID { UUID(uuidString: id) ?? UUID() }
}

extension FileIdentity {
  /// Returns the identity of file `number`.
  static func sample(_ number: Int) -> FileIdentity {
    FileIdentity(
      device: 1, inode: Int64(number), size: 100 + number, modified: Int64(number) * 1_000_000_007)
  }
}

/// The state machine of attachments.
typealias Machine = AttachmentRecord.Machine
