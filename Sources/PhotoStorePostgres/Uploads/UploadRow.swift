import Foundation
import PhotoAttachments

/// An upload as the database has it.
struct UploadRow {
  let token: String
  var record: UploadRecord
  /// Counts the requests that went on with it; the newest is the one that may.
  var attempt: Int64
  /// The process that makes the photo.
  let worker: String?
  /// Whether that process was seen alive a short time ago.
  let isHolderSeen: Bool

  /// Whether a process that lives makes the photo of a row of `upload`.
  static let isHeld = Dialect.postgres.isSeen("upload.worker")

  /// Reads the uploads of a condition, which goes on with their locks, if it takes any.
  static func all(
    _ condition: String, _ values: [FieldValue], _ t: Transaction
  ) throws -> [Self] {
    try t.rows(
      """
      SELECT owner, length, file_name, created_at, reached, attempt, worker, \(isHeld),
        refused_status, refused_body, finished_at, has_length, token, client, touched_at
      FROM upload \(condition)
      """, values
    ).map(Self.init)
  }

  /// Reads an upload, whose row stays as it is until the transaction ends; nil without one.
  static func locked(_ token: String, _ t: Transaction) throws -> Self? {
    try all("WHERE token = $1 FOR UPDATE", [.text(token)], t).first
  }

  private init(_ row: ResultRow) {
    token = row.text(12) ?? ""
    record = UploadRecord(
      owner: row.text(0) ?? "", client: row.text(13) ?? "", length: Int(row.number(1) ?? 0),
      hasLength: row.isTrue(11),
      fileName: row.data(2).map { String(decoding: $0, as: UTF8.self) },
      created: Date(milliseconds: row.number(3) ?? 0))
    record.touched = Date(milliseconds: row.number(14) ?? 0)
    record.offset = Int(row.number(4) ?? 0)
    attempt = row.number(5) ?? 0
    worker = row.text(6)
    isHolderSeen = row.isTrue(7)
    guard let finished = row.number(10) else { return }
    record.finished = Date(milliseconds: finished)
    record.offset = record.length
    record.outcome =
      if let status = row.number(8), let body = row.data(9) {
        .refused(status: Int(status), body: [UInt8](body))
      } else {
        .confirmed
      }
  }
}
