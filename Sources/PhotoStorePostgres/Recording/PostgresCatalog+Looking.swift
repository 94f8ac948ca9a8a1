import Foundation
package import PhotoAttachments
import PhotoIngestion
import Records

/// What an import asks before it decides on a group.
extension PostgresCatalog {
  package func looks(
    at files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLook?] {
    try looks(at: files, origin: origin(of: files.first?.path))
  }

  /// The same for files of another machine.
  func looks(
    at files: [(path: [UInt8], identity: FileIdentity)], origin: String
  ) throws(StoreError) -> [SourceLook?] {
    // One statement sees one moment.
    let rows = try database.rows(
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
  package func knownSizes(among sizes: [Int]) throws(StoreError) -> Set<Int> {
    let rows = try database.rows(
      """
      SELECT bytes FROM unnest($1::bigint[]) AS asked (bytes)
      WHERE EXISTS (SELECT 1 FROM source_file WHERE size = bytes)
        OR EXISTS (SELECT 1 FROM photo WHERE "fileSizeBytes" = bytes)
      """, [.array(Set(sizes).sorted().map { Int64($0) })])
    return Set(rows.compactMap { $0.number(0).map { Int($0) } })
  }
}
