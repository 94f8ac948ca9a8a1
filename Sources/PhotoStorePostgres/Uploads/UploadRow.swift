import Foundation
import PhotoAttachments

/// A row of the table `upload`.
struct UploadRow {
  let token: String
  var record: UploadRecord
  /// The number of requests that have taken the upload. Only the newest may continue it.
  var attempt: Int64
  /// The process that is making the photo.
  let worker: String?
  /// `true` if that process was seen alive a short time ago.
  let isHolderSeen: Bool

  /// SQL that is true if a live process is making the photo of a row of `upload`.
  static let isHeld = Dialect.postgres.isSeen("upload.worker")

  /// Returns the uploads that match a condition. The SQL of the condition may end with a locking clause.
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

  /// Returns an upload and locks its row until the transaction ends. Returns `nil` if it doesn't exist.
  static func selectLocked(_ token: String, _ t: Transaction) throws -> Self? {
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
