import Foundation
import PhotoIngestion
import SystemPackage

/// The library and its source files, as rows of `library_photo` and `source_file`.
package enum SourceRows {
  /// The columns that `record` reads.
  package static let columns = """
    source_file.path, source_file.device, source_file.inode, source_file.size,
    source_file.modified, source_file.sha256, source_file.photo, source_file.tier,
    source_file.refusal
    """
  /// The number of these columns.
  package static let columnCount = 9

  /// Returns the file in a row's columns from `first` on.
  package static func record(_ row: ResultRow, from first: Int) -> SourceRecord? {
    guard let path = row.data(first), let identity = identity(row, from: first + 1) else {
      return nil
    }
    return SourceRecord(
      path: Array(path), identity: identity, sha256: row.text(first + 5),
      knowledge: knowledge(row, from: first + 6))
  }

  /// Returns device, inode, size and time from a row's columns from `first` on.
  static func identity(_ row: ResultRow, from first: Int) -> FileIdentity? {
    guard let device = row.number(first), let inode = row.number(first + 1),
      let size = row.number(first + 2), let modified = row.number(first + 3)
    else { return nil }
    return FileIdentity(device: device, inode: inode, size: Int(size), modified: modified)
  }

  private static func knowledge(_ row: ResultRow, from first: Int) -> SourceKnowledge? {
    if let id = row.id(first) {
      return .photo(id, row.text(first + 1).flatMap(ImportOutcome.DuplicateTier.init(rawValue:)))
    }
    return ImportRefusal(json: row.text(first + 2)).map { .refused($0) }
  }

  /// Returns the results of files by their digests. If several files have the same digest, the first one counts.
  static func ofFiles(
    _ digests: Set<String>, _ dialect: Dialect
  ) -> Query<[String: SourceKnowledge]> {
    known(
      """
      SELECT sha256, photo, tier, refusal FROM source_file
      WHERE sha256 \(dialect.among("$1")) AND NOT EXISTS (
        SELECT 1 FROM source_file AS other WHERE other.sha256 = source_file.sha256
          AND (other.origin, other.path) < (source_file.origin, source_file.path))
      """, digests)
  }

  /// Returns the oldest library photo of each digest. Photos take precedence over the results of files.
  static func ofPhotos(
    _ digests: Set<String>, _ dialect: Dialect
  ) -> Query<[String: SourceKnowledge]> {
    known(
      """
      SELECT "sourceSHA256", photo."id", NULL, NULL
      FROM photo JOIN library_photo ON library_photo.photo = photo."id"
      WHERE "sourceSHA256" \(dialect.among("$1")) ORDER BY sequence DESC
      """, digests)
  }

  private static func known(
    _ sql: String, _ digests: Set<String>
  ) -> Query<[String: SourceKnowledge]> {
    if digests.isEmpty { return Query(known: [:]) }
    return Query(sql, [.list(digests.sorted())]) { answer in
      var known: [String: SourceKnowledge] = [:]
      for row in answer.rows {
        if let digest = row.text(0) { known[digest] = knowledge(row, from: 1) }
      }
      return known
    }
  }

  /// Returns the oldest library photo of this digest (see `ofPhotos`).
  static func photo(of digest: String) -> Query<KnownSource?> {
    known(
      """
      SELECT photo."id", NULL, NULL, "blobSHA256", "blobFormat", "blobSizeBytes"
      FROM photo JOIN library_photo ON library_photo.photo = photo."id"
      WHERE "sourceSHA256" = $1 ORDER BY sequence LIMIT 1
      """, digest)
  }

  /// Returns the result of the first file of this digest (see `ofFiles`).
  static func file(of digest: String) -> Query<KnownSource?> {
    known(
      """
      SELECT source_file.photo, tier, refusal, "blobSHA256", "blobFormat", "blobSizeBytes"
      FROM source_file LEFT JOIN photo ON photo."id" = source_file.photo
      WHERE sha256 = $1 ORDER BY origin, path LIMIT 1
      """, digest)
  }

  private static func known(_ sql: String, _ digest: String) -> Query<KnownSource?> {
    Query(sql, [.text(digest)]) { answer in
      guard let row = answer.rows.first, let knowledge = knowledge(row, from: 0) else { return nil }
      return KnownSource(knowledge, blob: RecordedPicture(row, from: 3))
    }
  }

  /// Returns the records of photos that files of these digests became or equal.
  static func records(
    _ digests: Set<String>, _ dialect: Dialect
  ) -> Query<[UUID: SealedRecord]> {
    if digests.isEmpty { return Query(known: [:]) }
    return Query(
      """
      SELECT \(PhotoRows.columns) FROM photo JOIN library_photo ON library_photo.photo = photo."id"
      WHERE photo."id" IN (
        SELECT photo FROM source_file WHERE sha256 \(dialect.among("$1"))
        UNION SELECT "id" FROM photo WHERE "sourceSHA256" \(dialect.among("$1")))
      """, [.list(digests.sorted())]
    ) { answer in
      let records = answer.rows.compactMap { PhotoRows.record($0) }
      return Dictionary(
        records.compactMap { record in UUID(uuidString: record.id).map { ($0, record) } }
      ) { first, _ in first }
    }
  }

  /// Returns the oldest library photo with each of these blobs.
  static func photos(
    with blobs: Set<BlobPath>, _ dialect: Dialect
  ) -> Query<[BlobPath: UUID]> {
    if blobs.isEmpty { return Query(known: [:]) }
    return Query(
      """
      SELECT "blobSHA256", "blobFormat", photo."id"
      FROM photo JOIN library_photo ON library_photo.photo = photo."id"
      WHERE "blobSHA256" \(dialect.among("$1")) ORDER BY sequence DESC
      """, [.list(blobs.map(\.sha256).sorted())]
    ) { answer in
      var photos: [BlobPath: UUID] = [:]
      for row in answer.rows {
        let place = BlobPath(.blob, sha256: row.text(0), format: row.text(1))
        if let place, blobs.contains(place) { photos[place] = row.id(2) }
      }
      return photos
    }
  }

  /// Returns those of the photos that are in the library.
  static func library(_ photos: Set<UUID>, _ dialect: Dialect) -> Query<Set<UUID>> {
    if photos.isEmpty { return Query(known: []) }
    return Query(
      "SELECT photo FROM library_photo WHERE photo \(dialect.among("$1"))",
      [.list(photos.map(\.uuidString).sorted())]
    ) { answer in Set(answer.rows.compactMap { $0.id(0) }) }
  }

  /// Adds a group's new photos to the library, the places in which it found copies, and better dates.
  ///
  /// - Parameters:
  ///   - roots: the imported folders. Photos' folders are recorded relative to them.
  ///   - run: the import that adds the photos.
  static func join(
    _ decision: GroupDecision, _ roots: Set<[UInt8]>, run: Int64?
  ) -> [Query<Void>] {
    let new = Set(decision.photos.map(\.record.id))
    var paths: [String: [UInt8]] = [:]
    var copies: [[FieldValue]] = []
    for source in decision.sources {
      guard case .photo(let id, let tier)? = source.knowledge else { continue }
      if tier == nil, new.contains(id.uuidString), paths[id.uuidString] == nil {
        paths[id.uuidString] = source.path
      } else {
        let folder = PhotoQuery.folder(of: source.path, roots)
        let name = PhotoSource.file(FilePath(bytes: source.path)).name.map(Receiver.displayName)
        copies.append([
          .text(id.uuidString), .text(folder), .text(name ?? ""),
          .text(words(folder, name ?? "")),
        ])
      }
    }
    let photos = insertion(
      "library_photo (photo, perceptual_hash, seal, folder, words, taken, run, taken_from)",
      decision.photos.map { photo in
        let id = photo.record.id
        let hash = Int64(bitPattern: photo.perceptualHash)
        let folder = PhotoQuery.folder(of: paths[id] ?? [], roots)
        let taken = UUID(uuidString: id).flatMap { decision.dates[$0] }
        return [
          .text(id), .int(hash), .text(Seal.library(photo: id, perceptualHash: hash)),
          .text(folder), .text(words(folder, photo.record.text("fileName") ?? "")),
          FieldValue(taken?.text), run.map(FieldValue.int) ?? .null,
          FieldValue(taken?.source.rawValue),
        ]
      })
    // In a fixed order, so that two transactions never wait for each other.
    let dates = decision.dates.filter { !new.contains($0.key.uuidString) }
      .map { (id: $0.key.uuidString, date: $0.value) }.sorted { $0.id < $1.id }
    return photos
      + insertion(
        "library_copy (photo, folder, name, words)", copies, orElse: "ON CONFLICT DO NOTHING")
      + dates.map { improve($0.id, $0.date) }
  }

  /// Returns a folder and name in the form that searches compare.
  private static func words(_ folder: String, _ name: String) -> String {
    PhotoQuery.folded(folder.isEmpty ? name : folder + "/" + name)
  }

  /// Replaces a photo's date by one from a better place.
  private static func improve(_ id: String, _ date: TakenDate) -> Query<Void> {
    let worse = TakenDate.Source.allCases.filter { $0.isWorse(than: date.source) }
      .map { " OR taken_from = '\($0.rawValue)'" }
    return Query(
      """
      UPDATE library_photo SET taken = $2, taken_from = $3
      WHERE photo = $1 AND (taken_from IS NULL\(worse.joined()))
      """, [.text(id), .text(date.text), .text(date.source.rawValue)])
  }

  /// Writes files and replaces records with the same paths. If a path occurs several times, the last one counts.
  static func write(_ sources: [SourceRecord], origin: String) throws -> [Query<Void>] {
    let last = Dictionary(sources.map { ($0.path, $0) }) { $1 }
    let all = last.values.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    return insertion(
      """
      source_file
        (origin, path, device, inode, size, modified, sha256, photo, tier, refusal)
      """, try all.map { try values($0, origin) },
      orElse: """
        ON CONFLICT (origin, path) DO UPDATE SET device = excluded.device,
          inode = excluded.inode, size = excluded.size, modified = excluded.modified,
          sha256 = excluded.sha256, photo = excluded.photo, tier = excluded.tier,
          refusal = excluded.refusal, fate = NULL, moved_to = NULL
        """)
  }

  /// Returns queries that insert rows. Each has at most 20,000 values, because SQLite allows 32,766.
  static func insertion(
    _ table: String, _ rows: [[FieldValue]], orElse conflict: String = ""
  ) -> [Query<Void>] {
    let width = rows.first?.count ?? 1
    return PhotoRows.groups(rows, of: min(1000, 20_000 / width)).map { some in
      let marks = some.indices.map { row in
        "(" + (1...width).map { "$\(row * width + $0)" }.joined(separator: ", ") + ")"
      }
      return Query(
        "INSERT INTO \(table) VALUES \(marks.joined(separator: ", ")) \(conflict)",
        Array(some.joined()), isRepeated: some.count == 1)
    }
  }

  private static func values(_ source: SourceRecord, _ origin: String) throws -> [FieldValue] {
    var photo: String?
    var tier: String?
    var refusal: String?
    switch source.knowledge {
    case .photo(let id, let equality)?:
      photo = id.uuidString
      tier = equality?.rawValue
    case .refused(let reason)?:
      refusal = try reason.json
    case nil: break
    }
    return [
      .text(origin), .data(Data(source.path)), .int(source.identity.device),
      .int(source.identity.inode), FieldValue(source.identity.size),
      .int(source.identity.modified), FieldValue(source.sha256), FieldValue(photo),
      FieldValue(tier), FieldValue(refusal),
    ]
  }

  /// Deletes the records of paths.
  static func delete(_ paths: [[UInt8]], origin: String) -> [Query<Void>] {
    paths.map {
      Query(
        "DELETE FROM source_file WHERE origin = $1 AND path = $2", [.text(origin), .data(Data($0))])
    }
  }
}
