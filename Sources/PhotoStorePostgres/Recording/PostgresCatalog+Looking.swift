import Foundation
import PhotoAttachments
import PhotoIngestion

/// What an import asks before it decides on a group.
extension PostgresDialect {
  func looks(
    at files: [(path: [UInt8], identity: FileIdentity)], origin: String, _ t: Transaction
  ) throws -> [SourceLook?] {
    let rows = try t.rows(
      """
      SELECT asked.number, \(SourceRows.columns), "blobSHA256", "blobFormat", "blobSizeBytes"
      FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        WITH ORDINALITY AS asked (path, device, inode, size, modified, number)
      CROSS JOIN LATERAL (
        (SELECT *, 1 AS rank FROM source_file WHERE origin = $1 AND path = asked.path
          AND device = asked.device AND inode = asked.inode AND size = asked.size
          AND modified = asked.modified)
        UNION ALL
        (SELECT *, 2 AS rank FROM source_file WHERE origin = $1 AND device = asked.device
          AND inode = asked.inode AND size = asked.size AND modified = asked.modified
          AND photo IS NOT NULL ORDER BY path LIMIT 1)
        ORDER BY rank LIMIT 1
      ) AS source_file
      LEFT JOIN photo ON photo."id" = source_file.photo
      """,
      [
        .text(origin), .array(bytes: files.map(\.path)), .array(files.map(\.identity.device)),
        .array(files.map(\.identity.inode)), .array(files.map { Int64($0.identity.size) }),
        .array(files.map(\.identity.modified)),
      ])
    var looks = [SourceLook?](repeating: nil, count: files.count)
    for row in rows {
      guard let number = row.number(0).map({ Int($0) - 1 }),
        let record = SourceRows.record(row, from: 1)
      else { continue }
      looks[number] = SourceLook(
        record: record, isSamePath: record.path == files[number].path,
        blob: RecordedPicture(row, from: 1 + SourceRows.columnCount))
    }
    return looks
  }

  /// Of most files nothing is known, and their size tells it.
  func knownSizes(among sizes: Set<Int>) -> Question<Set<Int>> {
    Question(
      """
      SELECT bytes FROM unnest($1::bigint[]) AS asked (bytes)
      WHERE EXISTS (SELECT 1 FROM source_file WHERE size = bytes)
        OR EXISTS (SELECT 1 FROM photo WHERE "fileSizeBytes" = bytes)
      """, [.array(sizes.sorted().map { Int64($0) })]
    ) { Set($0.rows.compactMap { $0.number(0).map { Int($0) } }) }
  }
}
