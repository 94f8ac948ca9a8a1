import Foundation
import GRDB
import PhotoAttachments

/// What SQLite says in its own way: one transaction writes at a time, so that there is nothing to hold.
struct SQLiteDialect: Dialect {
  let forUpdate = ""
  let forShare = ""
  let forKeyShare = ""
  let forUpdateOfFree = ""
  let byBytes = ""
  let secretTable = "server_secret"
  func holding(_: Lock) -> [Command] { [] }
  func holding(_: Set<BlobPath>) -> Question<HeldPictures> { Question(known: HeldPictures()) }
  let pictureColumns: [String] = []
  func dropping(_: HeldPictures) -> [Command] { [] }
  func numbered(_: Set<BlobPath>) -> Question<Set<BlobPath>> { Question(known: []) }
  func among(_ list: String) -> String { "IN (SELECT value FROM json_each(\(list)))" }

  func rows(_ list: String, _ columns: [(name: String, type: String)]) -> String {
    let values = columns.enumerated().map { "json_extract(value, '$[\($0)]') AS \($1.name)" }
    return "(SELECT \(values.joined(separator: ", ")) FROM json_each(\(list)))"
  }

  func typed(_ value: String, _: String) -> String { value }

  /// By a function that the connection gets from us.
  func differingBits(_ one: String, _ other: String) -> String {
    "differing_bits(\(one), \(other))"
  }

  static let differingBits = DatabaseFunction("differing_bits", argumentCount: 2, pure: true) {
    guard let one = Int64.fromDatabaseValue($0[0]), let other = Int64.fromDatabaseValue($0[1])
    else { return nil }
    return (one ^ other).nonzeroBitCount
  }

  let ticket = Command("UPDATE store SET last_ticket = last_ticket + 1 RETURNING last_ticket")
  /// Its lock tells.
  func isSeen(_: String) -> String { "false" }
  /// Others look for themselves.
  func telling(_: String) -> [Command] { [] }
  let waiting: [Command] = []
  let tidying: [Command] = []
  /// A trigger keeps it, where there are announcements.
  let isAnnounced = "false"
  let photoReferences = Command(
    """
    SELECT child.name, key."from"
    FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS key
    WHERE child.type = 'table' AND key."table" = 'photo' AND child.name <> 'photo_size'
    """)
}

/// What an import asks of every file: by look-ups of single rows.
extension SQLiteDialect {
  func looks(
    at files: [(path: [UInt8], identity: FileIdentity)], origin: String, _ t: Transaction
  ) throws -> [SourceLook?] {
    try files.map { path, identity in
      let found = try t.rows(
        Self.look + "WHERE origin = $1 AND path = $2", [.text(origin), .data(Data(path))]
      ).first
      if let found, let record = SourceRows.record(found, from: 0), record.identity == identity {
        return look(record, found, isSamePath: true)
      }
      let moved = try t.rows(
        """
        \(Self.look) WHERE origin = $1 AND device = $2 AND inode = $3 AND size = $4
          AND modified = $5 AND photo IS NOT NULL ORDER BY path LIMIT 1
        """,
        [
          .text(origin), .int(identity.device), .int(identity.inode), FieldValue(identity.size),
          .int(identity.modified),
        ]
      ).first
      guard let moved, let record = SourceRows.record(moved, from: 0) else { return nil }
      return look(record, moved, isSamePath: false)
    }
  }

  private static let look = """
    SELECT \(SourceRows.columns), "blobSHA256", "blobFormat", "blobSizeBytes"
    FROM source_file LEFT JOIN photo ON photo."id" = source_file.photo\u{20}
    """

  private func look(_ record: SourceRecord, _ row: AnswerRow, isSamePath: Bool) -> SourceLook {
    SourceLook(
      record: record, isSamePath: isSamePath,
      blob: RecordedPicture(row, from: SourceRows.columnCount))
  }

  /// A look-up of a digest costs no more than that of a size.
  func knownSizes(among _: Set<Int>) -> Question<Set<Int>> { Question(known: []) }
}
