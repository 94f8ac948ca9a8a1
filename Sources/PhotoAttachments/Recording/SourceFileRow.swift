import Foundation
import GRDB

/// What is known of a file that an import looked at: the photo it became or equals, or why it was
/// refused.
struct SourceFileRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "sourceFile"

  /// Absolute path, any bytes.
  var path: Data
  var device: Int64
  var inode: Int64
  var sizeBytes: Int
  var mtimeNanoseconds: Int64
  /// SHA-256 of the file; nil when it was refused by its first bytes.
  var sha256: String?
  /// The library photo it became or equals.
  var photo: String?
  /// How it equals that photo; nil for the file that the photo was made from.
  var tier: ImportOutcome.DuplicateTier?
  /// `ImportRefusal` as JSON.
  var refusal: String?

  init(path: [UInt8], _ identity: FileIdentity, sha256: String?) {
    self.path = Data(path)
    (device, inode) = (identity.device, identity.inode)
    (sizeBytes, mtimeNanoseconds) = (identity.size, identity.modified)
    self.sha256 = sha256
  }

  /// Reads a row of `SELECT *` by hand: a second import looks at one for every file, and decoding
  /// through `Codable` costs more than the query.
  init(row: Row) {
    path = row["path"]
    (device, inode) = (row["device"], row["inode"])
    (sizeBytes, mtimeNanoseconds) = (row["sizeBytes"], row["mtimeNanoseconds"])
    sha256 = row["sha256"]
    photo = row["photo"]
    tier = (row["tier"] as String?).flatMap(ImportOutcome.DuplicateTier.init(rawValue:))
    refusal = row["refusal"]
  }

  var identity: FileIdentity {
    FileIdentity(device: device, inode: inode, size: sizeBytes, modified: mtimeNanoseconds)
  }

  /// What it says; nil when the row is none of ours.
  var knowledge: Knowledge? {
    if let photo, let id = UUID(uuidString: photo) { return .photo(id, tier) }
    guard let refusal,
      let reason = try? JSONDecoder().decode(ImportRefusal.self, from: Data(refusal.utf8))
    else { return nil }
    return .refused(reason)
  }

  /// What an earlier look at a file, or at equal bytes, found.
  enum Knowledge: Equatable, Sendable {
    case photo(UUID, ImportOutcome.DuplicateTier?)
    case refused(ImportRefusal)
  }

  /// The row of a path.
  static func fetch(_ db: Database, path: [UInt8]) throws -> SourceFileRow? {
    try SourceFileRow.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM sourceFile WHERE path = ?"), arguments: [Data(path)])
  }

  /// A row of the same file under another name: a hard link, or what it was called before.
  static func fetch(_ db: Database, identity: FileIdentity) throws -> SourceFileRow? {
    try SourceFileRow.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT * FROM sourceFile
          WHERE device = ? AND inode = ? AND sizeBytes = ? AND mtimeNanoseconds = ? LIMIT 1
          """),
      arguments: [identity.device, identity.inode, identity.size, identity.modified])
  }

  /// What is known of these bytes, whatever file they came from.
  static func knowledge(_ db: Database, sha256: String) throws -> Knowledge? {
    let photo = try String.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT photo.id FROM photo JOIN libraryPhoto ON libraryPhoto.photo = photo.id
          WHERE sourceSHA256 = ? ORDER BY sequence LIMIT 1
          """),
      arguments: [sha256])
    if let id = photo.flatMap(UUID.init(uuidString:)) { return .photo(id, nil) }
    return try SourceFileRow.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM sourceFile WHERE sha256 = ? LIMIT 1"),
      arguments: [sha256])?.knowledge
  }

  /// Forgets the row of a path.
  static func delete(_ db: Database, path: Data) throws {
    try db.cachedStatement(sql: "DELETE FROM sourceFile WHERE path = ?")
      .execute(arguments: [path])
  }
}
