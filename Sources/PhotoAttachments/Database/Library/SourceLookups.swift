import Foundation

/// The lookups that an import runs for every file. Each database has its own fastest way.
extension Dialect {
  /// See `Catalog.lookups`.
  func lookups(
    of files: [(path: [UInt8], identity: FileIdentity)], origin: String, _ t: Transaction
  ) throws -> [SourceLookup?] {
    switch self {
    case .sqlite: try files.map { try lookup(of: $0, $1, origin, t) }
    case .postgres: try lookupsAtOnce(files, origin, t)
    }
  }

  /// See `Catalog.knownSizes`. Runs no command if looking up a digest costs no more.
  func knownSizes(among sizes: Set<Int>) -> Query<Set<Int>> {
    if self == .sqlite { return Query(known: sizes) }
    return Query(
      """
      SELECT bytes FROM unnest($1::bigint[]) AS asked (bytes)
      WHERE EXISTS (SELECT 1 FROM source_file WHERE size = bytes)
        OR EXISTS (SELECT 1 FROM photo WHERE "fileSizeBytes" = bytes)
      """, [.array(sizes.sorted().map { Int64($0) })]
    ) { Set($0.rows.compactMap { $0.number(0).map { Int($0) } }) }
  }

  /// Looks up one file by queries for single rows.
  private func lookup(
    of path: [UInt8], _ identity: FileIdentity, _ origin: String, _ t: Transaction
  ) throws -> SourceLookup? {
    let found = try t.rows(
      Self.select + "WHERE origin = $1 AND path = $2 AND fate IS NULL",
      [.text(origin), .data(Data(path))]
    ).first
    if let found, let record = SourceRows.record(found, from: 0), record.identity == identity {
      return lookup(record, found, isSamePath: true)
    }
    let moved = try t.rows(
      """
      \(Self.select) WHERE origin = $1 AND device = $2 AND inode = $3 AND size = $4
        AND modified = $5 AND photo IS NOT NULL ORDER BY path LIMIT 1
      """,
      [
        .text(origin), .int(identity.device), .int(identity.inode), FieldValue(identity.size),
        .int(identity.modified),
      ]
    ).first
    guard let moved, let record = SourceRows.record(moved, from: 0) else { return nil }
    return lookup(record, moved, isSamePath: false)
  }

  private static let select = """
    SELECT \(SourceRows.columns), "blobSHA256", "blobFormat", "blobSizeBytes"
    FROM source_file LEFT JOIN photo ON photo."id" = source_file.photo\u{20}
    """

  private func lookup(_ record: SourceRecord, _ row: ResultRow, isSamePath: Bool) -> SourceLookup {
    SourceLookup(
      record: record, isSamePath: isSamePath,
      blob: RecordedPicture(row, from: SourceRows.columnCount))
  }

  /// Looks up all files in one statement.
  private func lookupsAtOnce(
    _ files: [(path: [UInt8], identity: FileIdentity)], _ origin: String, _ t: Transaction
  ) throws -> [SourceLookup?] {
    let rows = try t.rows(
      """
      SELECT asked.number, \(SourceRows.columns), "blobSHA256", "blobFormat", "blobSizeBytes", rank
      FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        WITH ORDINALITY AS asked (path, device, inode, size, modified, number)
      CROSS JOIN LATERAL (
        (SELECT *, 1 AS rank FROM source_file WHERE origin = $1 AND path = asked.path
          AND device = asked.device AND inode = asked.inode AND size = asked.size
          AND modified = asked.modified AND fate IS NULL)
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
    var lookups = [SourceLookup?](repeating: nil, count: files.count)
    for row in rows {
      guard let number = row.number(0).map({ Int($0) - 1 }),
        let record = SourceRows.record(row, from: 1)
      else { continue }
      lookups[number] = SourceLookup(
        record: record, isSamePath: row.number(4 + SourceRows.columnCount) == 1,
        blob: RecordedPicture(row, from: 1 + SourceRows.columnCount))
    }
    return lookups
  }
}
