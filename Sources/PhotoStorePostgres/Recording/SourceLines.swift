import Foundation
import ImageContainers
import PhotoAttachments

/// The library and the files it was made from, as rows of `library_photo` and `source_file`.
enum SourceLines {
  /// What `record` reads.
  static let columns = """
    source_file.path, source_file.device, source_file.inode, source_file.size,
    source_file.modified, source_file.sha256, source_file.photo, source_file.tier,
    source_file.refusal
    """
  /// How many those are.
  static let columnCount = 9

  /// The file in a row's columns from `first` on.
  static func record(_ row: PostgresRow, from first: Int) -> SourceRecord? {
    guard let path = row.data(first), let device = row.number(first + 1),
      let inode = row.number(first + 2), let size = row.number(first + 3),
      let modified = row.number(first + 4)
    else { return nil }
    return SourceRecord(
      path: Array(path),
      identity: FileIdentity(device: device, inode: inode, size: Int(size), modified: modified),
      sha256: row.text(first + 5), knowledge: knowledge(row, from: first + 6))
  }

  private static func knowledge(_ row: PostgresRow, from first: Int) -> SourceKnowledge? {
    if let id = row.text(first).flatMap(UUID.init(uuidString:)) {
      return .photo(id, row.text(first + 1).flatMap(ImportOutcome.DuplicateTier.init(rawValue:)))
    }
    guard let refusal = row.text(first + 2),
      let reason = try? JSONDecoder().decode(ImportRefusal.self, from: Data(refusal.utf8))
    else { return nil }
    return .refused(reason)
  }

  /// What is known of files by their digests.
  static func ofFiles(_ digests: Set<String>) -> PostgresQuestion<[String: SourceKnowledge]> {
    PostgresQuestion(
      """
      SELECT DISTINCT ON (sha256) sha256, photo, tier, refusal FROM source_file
      WHERE sha256 = ANY($1) ORDER BY sha256, origin, path
      """, [.list(digests.sorted())]
    ) { answer in
      var known: [String: SourceKnowledge] = [:]
      for row in answer.rows {
        if let digest = row.text(0) { known[digest] = knowledge(row, from: 1) }
      }
      return known
    }
  }

  /// The library's oldest photos of these digests; they count more than what is known of files.
  static func ofPhotos(_ digests: Set<String>) -> PostgresQuestion<[String: SourceKnowledge]> {
    PostgresQuestion(
      """
      SELECT DISTINCT ON ("sourceSHA256") "sourceSHA256", photo."id"
      FROM photo JOIN library_photo ON library_photo.photo = photo."id"
      WHERE "sourceSHA256" = ANY($1) ORDER BY "sourceSHA256", sequence
      """, [.list(digests.sorted())]
    ) { answer in
      var known: [String: SourceKnowledge] = [:]
      for row in answer.rows {
        guard let digest = row.text(0), let id = row.text(1).flatMap(UUID.init(uuidString:)) else {
          continue
        }
        known[digest] = .photo(id, nil)
      }
      return known
    }
  }

  /// The records of photos that files of these digests came to.
  static func records(_ digests: Set<String>) -> PostgresQuestion<[UUID: SealedRecord]> {
    PostgresQuestion(
      """
      SELECT \(PhotoLines.columns) FROM photo JOIN library_photo ON library_photo.photo = photo."id"
      WHERE photo."id" IN (
        SELECT photo FROM source_file WHERE sha256 = ANY($1)
        UNION SELECT "id" FROM photo WHERE "sourceSHA256" = ANY($1))
      """, [.list(digests.sorted())]
    ) { answer in
      let records = answer.rows.compactMap { PhotoLines.record($0) }
      return Dictionary(
        records.compactMap { record in UUID(uuidString: record.id).map { ($0, record) } }
      ) { first, _ in first }
    }
  }

  /// The library's oldest photo with each of these blobs.
  static func photos(with blobs: Set<BlobPath>) -> PostgresQuestion<[BlobPath: UUID]> {
    PostgresQuestion(
      """
      SELECT "blobSHA256", "blobFormat", photo."id"
      FROM photo JOIN library_photo ON library_photo.photo = photo."id"
      WHERE "blobSHA256" = ANY($1) ORDER BY sequence
      """, [.list(blobs.map(\.sha256).sorted())]
    ) { answer in
      var photos: [BlobPath: UUID] = [:]
      for row in answer.rows {
        guard let digest = row.text(0),
          let format = row.text(1).flatMap(ImageFormat.init(rawValue:)),
          let place = BlobPath(.blob, sha256: digest, format: format), blobs.contains(place),
          photos[place] == nil
        else { continue }
        photos[place] = row.text(2).flatMap(UUID.init(uuidString:))
      }
      return photos
    }
  }

  /// Those of the photos that are in the library.
  static func library(_ photos: Set<UUID>) -> PostgresQuestion<Set<UUID>> {
    PostgresQuestion(
      "SELECT photo FROM library_photo WHERE photo = ANY($1)",
      [.list(photos.map(\.uuidString).sorted())]
    ) { answer in
      Set(answer.rows.compactMap { $0.text(0).flatMap(UUID.init(uuidString:)) })
    }
  }

  /// Lets recorded photos join the library.
  static func join(_ photos: [GroupDecision.NewPhoto]) -> [PostgresQuestion<Void>] {
    if photos.isEmpty { return [] }
    let hashes = photos.map { Int64(bitPattern: $0.perceptualHash) }
    let seals = zip(photos, hashes).map { Seal.library(photo: $0.record.id, perceptualHash: $1) }
    return [
      PostgresQuestion(
        """
        INSERT INTO library_photo (photo, perceptual_hash, seal)
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
        """, [.list(photos.map(\.record.id)), .list(hashes), .list(seals)])
    ]
  }

  /// Takes the place of what was known of the same paths; of one path the last counts.
  static func write(
    _ sources: [SourceRecord], origin: String
  ) throws -> [PostgresQuestion<Void>] {
    let last = Dictionary(sources.map { ($0.path, $0) }) { $1 }
    let all = last.values.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    return try stride(from: 0, to: all.count, by: 1000).map { start in
      let some = try all[start..<min(start + 1000, all.count)].map { try values($0, origin) }
      let marks = some.indices.map { row in
        "(" + (1...10).map { "$\(row * 10 + $0)" }.joined(separator: ", ") + ")"
      }
      return PostgresQuestion(
        """
        INSERT INTO source_file
          (origin, path, device, inode, size, modified, sha256, photo, tier, refusal)
        VALUES \(marks.joined(separator: ", "))
        ON CONFLICT (origin, path) DO UPDATE SET device = excluded.device,
          inode = excluded.inode, size = excluded.size, modified = excluded.modified,
          sha256 = excluded.sha256, photo = excluded.photo, tier = excluded.tier,
          refusal = excluded.refusal
        """, Array(some.joined()), isRepeated: some.count == 1)
    }
  }

  private static func values(_ source: SourceRecord, _ origin: String) throws -> [FieldValue] {
    var (photo, tier, refusal): (String?, String?, String?)
    switch source.knowledge {
    case .photo(let id, let equality)?: (photo, tier) = (id.uuidString, equality?.rawValue)
    case .refused(let reason)?:
      refusal = String(decoding: try JSONEncoder().encode(reason), as: UTF8.self)
    case nil: break
    }
    return [
      .text(origin), .data(Data(source.path)), .int(source.identity.device),
      .int(source.identity.inode), FieldValue(source.identity.size),
      .int(source.identity.modified), FieldValue(source.sha256), FieldValue(photo),
      FieldValue(tier), FieldValue(refusal),
    ]
  }

  /// Forgets what is known of paths.
  static func delete(_ paths: [[UInt8]], origin: String) -> [PostgresQuestion<Void>] {
    if paths.isEmpty { return [] }
    return [
      PostgresQuestion(
        "DELETE FROM source_file WHERE origin = $1 AND path = ANY($2::bytea[])",
        [.text(origin), .list(bytes: paths)])
    ]
  }
}
