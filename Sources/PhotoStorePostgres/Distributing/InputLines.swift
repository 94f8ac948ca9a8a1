import Foundation
import PhotoAttachments

/// Inputs of runs, as rows of `import_input`.
enum InputLines {
  /// What `entries` reads.
  static let columns = """
    path, key, device, inode, size, modified, is_linked, refusal
    """

  /// The inputs of rows.
  static func entries(_ rows: [AnswerRow]) throws(StoreError) -> [ListedEntry] {
    try rows.map { row throws(StoreError) in
      guard let path = row.data(0), let device = row.number(2), let inode = row.number(3),
        let size = row.number(4), let modified = row.number(5)
      else { throw .fault(what: "import-input") }
      let file = row.data(1).map { key in
        ListedEntry.File(
          key: Array(key),
          identity: FileIdentity(
            device: device, inode: inode, size: Int(size), modified: modified),
          throughLink: row.isTrue(6))
      }
      return ListedEntry(
        path: Array(path), file: file, refusal: file == nil ? refusal(row.text(7)) : nil)
    }
  }

  /// The file in a row's columns from `first` on: key, device, inode, modified, is_linked.
  static func file(_ row: AnswerRow, from first: Int, size: Int) -> ListedEntry.File? {
    guard let key = row.data(first), let device = row.number(first + 1),
      let inode = row.number(first + 2), let modified = row.number(first + 3)
    else { return nil }
    return ListedEntry.File(
      key: Array(key),
      identity: FileIdentity(device: device, inode: inode, size: size, modified: modified),
      throughLink: row.isTrue(first + 4))
  }

  /// Writes down the inputs of a part.
  static func insert(
    _ entries: [ListedEntry], run: Int64, from first: Int64, _ t: Transaction
  ) throws {
    let identities = entries.map {
      $0.file?.identity ?? FileIdentity(device: 0, inode: 0, size: 0, modified: 0)
    }
    try t.run(
      """
      INSERT INTO import_input
        (run, place, path, key, device, inode, size, modified, is_linked, refusal)
      SELECT $1, $2 + number - 1, path, nullif(key, ''), device, inode, size, modified,
        is_linked = 1, nullif(refusal, '')
      FROM unnest($3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::bigint[], $9::bigint[], $10::text[]) WITH ORDINALITY
        AS listed (path, key, device, inode, size, modified, is_linked, refusal, number)
      """,
      [
        .int(run), .int(first), .array(bytes: entries.map(\.path)),
        .array(bytes: entries.map { $0.file?.key ?? [] }), .array(identities.map(\.device)),
        .array(identities.map(\.inode)), .array(identities.map { Int64($0.size) }),
        .array(identities.map(\.modified)),
        .array(entries.map { $0.file?.throughLink == true ? 1 : 0 }),
        .array(try entries.map { try text($0.refusal) }),
      ])
  }

  /// Writes down what became of inputs, none of which has an outcome yet.
  static func note(
    _ told: [GroupDecision.ToldFile], run: Int64, from first: Int64
  ) throws -> Question<Void> {
    let lines = try told.map { try line($0.outcome) }
    return PartCounting.touching(
      told.count,
      """
      UPDATE import_input SET outcome = told.outcome, photo = nullif(told.photo, ''),
        tier = nullif(told.tier, ''), refusal = nullif(told.refusal, ''), size = told.size
      FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[]) WITH ORDINALITY
        AS told (outcome, photo, tier, refusal, size, number)
      WHERE run = $1 AND place = $2 + told.number - 1 AND import_input.outcome IS NULL
      """,
      [
        .int(run), .int(first), .array(lines.map(\.outcome)), .array(lines.map(\.photo)),
        .array(lines.map(\.tier)), .array(lines.map(\.refusal)),
        .array(told.map { Int64($0.sizeBytes) }),
      ])
  }

  private struct Line {
    var outcome: String
    var photo = ""
    var tier = ""
    var refusal = ""
  }

  private static func line(_ outcome: ImportOutcome) throws -> Line {
    switch outcome {
    case .imported(let photo): Line(outcome: "imported", photo: photo.id.uuidString)
    case .duplicate(let id, let tier):
      Line(outcome: "duplicate", photo: id.uuidString, tier: tier.rawValue)
    case .unchanged(let id): Line(outcome: "unchanged", photo: id.uuidString)
    case .skipped(let refusal): Line(outcome: "skipped", refusal: try text(refusal))
    case .failed(let refusal): Line(outcome: "failed", refusal: try text(refusal))
    }
  }

  /// What became of an input: outcome, photo, tier and refusal from a column on, then the photo's record.
  static func outcome(_ row: AnswerRow, from first: Int) -> RunResult.Outcome? {
    let photo = row.text(first + 1).flatMap(UUID.init(uuidString:))
    switch (row.text(first), photo) {
    case ("imported", let photo?): return .imported(photo, PhotoRows.record(row, from: first + 4))
    case ("duplicate", let photo?):
      let tier = row.text(first + 2).flatMap(ImportOutcome.DuplicateTier.init(rawValue:))
      return .duplicate(of: photo, tier ?? .bytes)
    case ("unchanged", let photo?): return .unchanged(photo)
    case ("skipped", _), ("failed", _): return refusal(row.text(first + 3)).map { .refused($0) }
    default: return nil
    }
  }

  private static func refusal(_ text: String?) -> ImportRefusal? {
    text.flatMap { try? JSONDecoder().decode(ImportRefusal.self, from: Data($0.utf8)) }
  }

  private static func text(_ refusal: ImportRefusal?) throws -> String {
    guard let refusal else { return "" }
    return String(decoding: try JSONEncoder().encode(refusal), as: UTF8.self)
  }
}
