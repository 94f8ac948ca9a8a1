import Foundation

/// Converts between inputs of runs and rows of `import_input`.
enum InputRows {
  /// The columns that `entries` reads.
  static let columns = """
    path, key, device, inode, size, modified, is_linked, refusal
    """

  static func entries(_ rows: [ResultRow]) throws(StoreError) -> [ListedEntry] {
    var entries: [ListedEntry] = []
    for row in rows {
      guard let path = row.data(0) else { throw .fault(.importInput) }
      let file = file(row, from: 1)
      let refusal = file == nil ? ImportRefusal(json: row.text(7)) : nil
      entries.append(ListedEntry(path: Array(path), file: file, refusal: refusal))
    }
    return entries
  }

  /// Returns the file from a row's columns, starting at `first`: key, device, inode, size, modified, is_linked.
  static func file(_ row: ResultRow, from first: Int) -> ListedEntry.File? {
    guard let key = row.data(first), let identity = SourceRows.identity(row, from: first + 1)
    else { return nil }
    return ListedEntry.File(
      key: Array(key), identity: identity, throughLink: row.isTrue(first + 5))
  }

  static func insertion(
    _ entries: [ListedEntry], run: Int64, from first: Int64
  ) throws -> [Query<Void>] {
    SourceRows.insertion(
      """
      import_input
        (run, place, path, key, device, inode, size, modified, is_linked, refusal)
      """,
      try entries.enumerated().map { index, entry in
        let file = entry.file
        let identity = file?.identity ?? FileIdentity(device: 0, inode: 0, size: 0, modified: 0)
        return [
          .int(run), .int(first + Int64(index)), .data(Data(entry.path)),
          file.map { .data(Data($0.key)) } ?? .null, .int(identity.device), .int(identity.inode),
          FieldValue(identity.size), .int(identity.modified),
          .int(file?.throughLink == true ? 1 : 0), FieldValue(try entry.refusal?.json),
        ]
      })
  }

  /// Returns the query that records the outcomes of inputs. It fails if any of them already has an outcome.
  static func noting(
    _ results: [GroupDecision.FileResult], run: Int64, from first: Int64, _ dialect: Dialect
  ) throws -> Query<Void> {
    let rows = try results.enumerated().map { index, file in
      [String(first + Int64(index)), String(file.sizeBytes)] + (try outcome(file.outcome))
    }
    let asked = dialect.rows(
      "$2",
      [
        ("place", "bigint"), ("size", "bigint"), ("outcome", "text"), ("photo", "text"),
        ("tier", "text"), ("refusal", "text"),
      ])
    return ImportRuns.touching(
      results.count,
      """
      UPDATE import_input SET outcome = result.outcome, photo = result.photo, tier = result.tier,
        refusal = result.refusal, size = result.size
      FROM \(asked) AS result
      WHERE run = $1 AND import_input.place = result.place AND import_input.outcome IS NULL
      """, [.int(run), .list(rows)])
  }

  /// Returns outcome, photo, tier and refusal as column values.
  private static func outcome(_ outcome: ImportOutcome) throws -> [String?] {
    switch outcome {
    case .imported(let photo): ["imported", photo.id.uuidString]
    case .duplicate(let id, let tier): ["duplicate", id.uuidString, tier.rawValue]
    case .unchanged(let id): ["unchanged", id.uuidString]
    case .skipped(let refusal): ["skipped", nil, nil, try refusal.json]
    case .failed(let refusal): ["failed", nil, nil, try refusal.json]
    }
  }

  /// Returns the outcome of an input from a row's columns, starting at `first`: outcome, photo, tier and refusal, then
  /// the photo's record.
  static func outcome(_ row: ResultRow, from first: Int) -> RunResult.Outcome? {
    let photo = row.text(first + 1).flatMap(UUID.init(uuidString:))
    switch (row.text(first), photo) {
    case ("imported", let photo?): return .imported(photo, PhotoRows.record(row, from: first + 4))
    case ("duplicate", let photo?):
      let tier = row.text(first + 2).flatMap(ImportOutcome.DuplicateTier.init(rawValue:))
      return .duplicate(of: photo, tier ?? .bytes)
    case ("unchanged", let photo?): return .unchanged(photo)
    case ("skipped", _), ("failed", _):
      return ImportRefusal(json: row.text(first + 3)).map { .refused($0) }
    default: return nil
    }
  }
}

extension ImportRefusal {
  /// Decodes a recorded refusal.
  init?(json: String?) {
    guard let json else { return nil }
    let refusal = try? JSONDecoder().decode(ImportRefusal.self, from: Data(json.utf8))
    guard let refusal else { return nil }
    self = refusal
  }

  /// The refusal as it is recorded.
  var json: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }
}
