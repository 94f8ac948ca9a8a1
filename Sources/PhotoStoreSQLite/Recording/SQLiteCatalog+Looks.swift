import Foundation
package import PhotoAttachments
import Records

/// What an import asks of every file, in SQLite's own way: by look-ups of single rows.
extension SQLiteCatalog {
  package func looks(
    at files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLook?] {
    try database.read { t in
      try files.map { path, identity in
        let found = try t.rows(
          Self.look + "WHERE origin = '' AND path = $1", [.data(Data(path))]
        ).first
        if let found, let record = SourceRows.record(found, from: 0), record.identity == identity {
          return look(record, found, isSamePath: true)
        }
        let moved = try t.rows(
          """
          \(Self.look) WHERE origin = '' AND device = $1 AND inode = $2 AND size = $3
            AND modified = $4 AND photo IS NOT NULL ORDER BY path LIMIT 1
          """,
          [
            .int(identity.device), .int(identity.inode), FieldValue(identity.size),
            .int(identity.modified),
          ]
        ).first
        guard let moved, let record = SourceRows.record(moved, from: 0) else { return nil }
        return look(record, moved, isSamePath: false)
      }
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

  /// One more connection to the same file.
  package func forLooks() throws(StoreError) -> any LibraryCatalog {
    try SQLiteCatalog(us, busyTimeout: busyTimeout, hasPictures: true, logger: logger)
  }
}
