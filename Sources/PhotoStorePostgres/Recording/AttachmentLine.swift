import Foundation
import PhotoAttachments

/// A draft's attachment as a row of the table `attachment`.
struct AttachmentLine {
  typealias Machine = AttachmentRecord.Machine

  let draft, state: String
  let ticket: Int64?
  let photo, worker, failure: String?
  /// Milliseconds since 1970.
  let updatedAt: Int64
  /// Whether the process that works on the attempt told a short time ago that it lives.
  let isWorkerSeen: Bool

  /// What `init(_:)` reads.
  static let columns = """
    draft, state, ticket, attachment.photo, worker, failure, updated_at,
    COALESCE((SELECT seen_at > clock_timestamp() - interval '\(Heart.life) seconds'
      FROM worker AS process WHERE process.id = attachment.worker), false)
    """
  /// How many those are.
  static let columnCount = 8

  init?(_ row: PostgresRow) {
    guard let draft = row.text(0), let state = row.text(1), let updated = row.number(6) else {
      return nil
    }
    (self.draft, self.state, updatedAt) = (draft, state, updated)
    (ticket, photo, worker, failure) = (row.number(2), row.text(3), row.text(4), row.text(5))
    isWorkerSeen = row.isTrue(7)
  }

  /// The state machine as it was left.
  var machine: Machine {
    get throws(StoreError) {
      try Machine(stored: state, photo: photo, ticket: ticket, failure: failure, of: draft)
    }
  }

  /// Writes a machine's state; an attempt under way belongs to `worker`.
  static func write(
    _ machine: Machine, of draft: String, worker: String?, at now: Date, _ t: PostgresTransaction
  ) throws {
    let ticket = machine.ticket
    try t.run(
      """
      INSERT INTO attachment
        (draft, state, ticket, photo, worker, failure, failed_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (draft) DO UPDATE SET state = excluded.state, ticket = excluded.ticket,
        photo = excluded.photo, worker = excluded.worker, failure = excluded.failure,
        failed_at = excluded.failed_at, updated_at = excluded.updated_at
      """,
      [
        .text(draft), .text(machine.storedState), FieldValue(ticket),
        FieldValue(machine.photo?.uuidString),
        FieldValue(ticket == nil ? nil : worker), FieldValue(machine.failure),
        machine.failure == nil ? .null : .int(now.milliseconds), .int(now.milliseconds),
      ])
  }

  /// The row of a draft, which nobody else changes until the transaction ends; nobody makes one
  /// either, when there is none.
  static func lock(_ draft: String, _ t: PostgresTransaction) throws -> AttachmentLine? {
    let find = "SELECT \(columns) FROM attachment WHERE draft = $1 FOR UPDATE"
    if let row = try t.rows(find, [.text(draft)]).first { return AttachmentLine(row) }
    try t.rows(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 1346720848))", [.text(draft)])
    return try t.rows(find, [.text(draft)]).first.flatMap(AttachmentLine.init)
  }
}

extension FieldValue {
  /// A whole number, or none.
  init(_ number: Int64?) { self = number.map(FieldValue.int) ?? .null }
}
