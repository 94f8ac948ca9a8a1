import Foundation
import GRDB
import PhotoAttachments

/// What is known of a file that an import looked at, as rows of the table `sourceFile`.
extension SourceRecord {
  /// Reads a row of `SELECT *` by hand: a second import looks at one for every file, and decoding
  /// through `Codable` costs more than the query.
  init(_ row: Row) {
    self.init(
      path: Array(row["path"] as Data),
      identity: FileIdentity(
        device: row["device"], inode: row["inode"], size: row["sizeBytes"],
        modified: row["mtimeNanoseconds"]),
      sha256: row["sha256"], knowledge: Self.knowledge(row))
  }

  private static func knowledge(_ row: Row) -> SourceKnowledge? {
    if let photo = row["photo"] as String?, let id = UUID(uuidString: photo) {
      return .photo(
        id, (row["tier"] as String?).flatMap(ImportOutcome.DuplicateTier.init(rawValue:)))
    }
    guard let refusal = row["refusal"] as String?,
      let reason = try? JSONDecoder().decode(ImportRefusal.self, from: Data(refusal.utf8))
    else { return nil }
    return .refused(reason)
  }

  /// Takes the place of what was known of the same path.
  func upsert(_ db: Database) throws {
    var (photo, tier, refusal): (String?, String?, String?)
    switch knowledge {
    case .photo(let id, let equality)?: (photo, tier) = (id.uuidString, equality?.rawValue)
    case .refused(let reason)?:
      refusal = String(decoding: try JSONEncoder().encode(reason), as: UTF8.self)
    case nil: break
    }
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO sourceFile
          (path, device, inode, sizeBytes, mtimeNanoseconds, sha256, photo, tier, refusal)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        Data(path), identity.device, identity.inode, identity.size, identity.modified, sha256,
        photo, tier, refusal,
      ])
  }

  /// The record of a path.
  static func fetch(_ db: Database, path: [UInt8]) throws -> SourceRecord? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM sourceFile WHERE path = ?"), arguments: [Data(path)]
    ).map(SourceRecord.init)
  }

  /// A record of the same file under another name (a hard link, or what it was called before) that
  /// became or equals a photo.
  static func fetch(_ db: Database, identity: FileIdentity) throws -> SourceRecord? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT * FROM sourceFile
          WHERE device = ? AND inode = ? AND sizeBytes = ? AND mtimeNanoseconds = ?
            AND photo IS NOT NULL LIMIT 1
          """),
      arguments: [identity.device, identity.inode, identity.size, identity.modified]
    ).map(SourceRecord.init)
  }

  /// Forgets what is known of a path.
  static func delete(_ db: Database, path: Data) throws {
    try db.cachedStatement(sql: "DELETE FROM sourceFile WHERE path = ?")
      .execute(arguments: [path])
  }
}

extension SourceKnowledge {
  /// What is known of these bytes, whatever file they came from.
  static func fetch(_ db: Database, sha256: String) throws -> SourceKnowledge? {
    let photo = try String.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT photo.id FROM photo JOIN libraryPhoto ON libraryPhoto.photo = photo.id
          WHERE sourceSHA256 = ? ORDER BY sequence LIMIT 1
          """),
      arguments: [sha256])
    if let id = photo.flatMap(UUID.init(uuidString:)) { return .photo(id, nil) }
    return try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM sourceFile WHERE sha256 = ? LIMIT 1"),
      arguments: [sha256]
    ).flatMap { SourceRecord($0).knowledge }
  }
}
