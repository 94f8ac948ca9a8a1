import Foundation
package import PhotoAttachments
import PhotoIngestion

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
    let rows = try database.ask(
      """
      SELECT asked.number, \(SourceLines.columns), "blobSHA256", "blobFormat", "blobSizeBytes"
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
        .text(origin), .list(bytes: files.map(\.path)), .list(files.map(\.identity.device)),
        .list(files.map(\.identity.inode)), .list(files.map { Int64($0.identity.size) }),
        .list(files.map(\.identity.modified)),
      ])
    var looks = [SourceLook?](repeating: nil, count: files.count)
    for row in rows {
      guard let number = row.number(0).map({ Int($0) - 1 }),
        let record = SourceLines.record(row, from: 1)
      else { continue }
      looks[number] = SourceLook(
        record: record, isSamePath: record.path == files[number].path,
        blob: RecordedPicture(row, from: 1 + SourceLines.columnCount))
    }
    return looks
  }

  /// Of most files nothing is known, and their size tells it.
  package func knownSizes(among sizes: [Int]) throws(StoreError) -> Set<Int> {
    let rows = try database.ask(
      """
      SELECT bytes FROM unnest($1::bigint[]) AS asked (bytes)
      WHERE EXISTS (SELECT 1 FROM source_file WHERE size = bytes)
        OR EXISTS (SELECT 1 FROM photo WHERE "fileSizeBytes" = bytes)
      """, [.list(Set(sizes).sorted().map { Int64($0) })])
    return Set(rows.compactMap { $0.number(0).map { Int($0) } })
  }

  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    try database.read { t in
      let (files, photos, records) = try t.ask(
        SourceLines.ofFiles([sha256]), SourceLines.ofPhotos([sha256]),
        SourceLines.records([sha256]))
      guard let knowledge = photos[sha256] ?? files[sha256] else { return nil }
      let photo = knowledge.photo.flatMap { records[$0] }
      return KnownSource(knowledge, blob: photo?.recorded(.blob))
    }
  }

  package func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    if pictures.isEmpty { return [] }
    let (blobs, previews) = (pictures.map(\.0.blob), pictures.map(\.0.preview))
    let alike = """
      "blobWidth" = width AND "blobHeight" = height AND "blobFrameCount" = 1 AND "blobSHA256" <> blob
      """
    let from = "FROM photo JOIN library_photo ON library_photo.photo = photo.\"id\""
    let rows = try database.ask(
      """
      SELECT asked.number, photo.*
      FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[])
        WITH ORDINALITY AS asked (width, height, blob, preview, hash, made, number)
      CROSS JOIN LATERAL (
        (SELECT 1 AS rank, \(PhotoLines.columns) \(from)
          WHERE "previewSHA256" = preview AND \(alike) ORDER BY sequence LIMIT 4)
        UNION ALL
        (SELECT 2 AS rank, \(PhotoLines.columns) \(from)
          WHERE perceptual_hash = hash AND \(alike) AND "previewSHA256" <> preview
            AND form IS DISTINCT FROM nullif(made, '') ORDER BY sequence LIMIT 4)
      ) AS photo
      ORDER BY number, rank, sequence
      """,
      [
        .list(blobs.map { Int64($0.pixelWidth) }), .list(blobs.map { Int64($0.pixelHeight) }),
        .list(blobs.map(\.sha256)), .list(previews.map(\.sha256)),
        .list(pictures.map { Int64(bitPattern: $0.perceptualHash) }),
        .list(pictures.map { $0.0.form?.text ?? "" }),
      ])
    var candidates = [[SealedRecord]](repeating: [], count: pictures.count)
    for row in rows {
      guard let number = row.number(0), let record = PhotoLines.record(row, from: 2) else {
        continue
      }
      candidates[Int(number) - 1].append(record)
    }
    return candidates
  }
}
