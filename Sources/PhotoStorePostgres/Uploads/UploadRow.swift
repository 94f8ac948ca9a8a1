import Foundation
import PhotoAttachments

/// An upload as the database has it.
struct UploadRow {
  let token: String
  let owner: String
  /// The whole file's size in bytes, or the most that it may have.
  var length: Int
  /// Whether `length` is the file's own.
  var hasLength: Bool
  let fileName: String?
  let created: Date
  /// The offset that was committed.
  var reached = 0
  /// Counts the requests that went on with it; the newest is the one that may.
  var attempt: Int64 = 0
  /// The process that makes the photo.
  private(set) var worker: String?
  /// Whether that process was seen alive a short time ago.
  private(set) var isHolderSeen = false
  var outcome: UploadOutcome?
  var finished: Date?

  /// A new upload.
  init(
    _ token: String, owner: String, length: Int, hasLength: Bool, fileName: String?, created: Date
  ) {
    self.token = token
    self.owner = owner
    self.length = length
    self.hasLength = hasLength
    self.fileName = fileName
    self.created = Date(milliseconds: created.milliseconds)
  }

  /// Whether a process that lives makes the photo of a row of `upload`.
  static let isHeld = Dialect.postgres.isSeen("upload.worker")

  /// Reads an upload, whose row stays as it is until the transaction ends; nil without one.
  static func locked(_ token: String, _ t: Transaction) throws -> Self? {
    let rows = try t.rows(
      """
      SELECT owner, length, file_name, created_at, reached, attempt, worker, \(isHeld),
        refused_status, refused_body, finished_at, has_length
      FROM upload WHERE token = $1 FOR UPDATE
      """, [.text(token)])
    return rows.first.map { Self(token, $0) }
  }

  private init(_ token: String, _ row: ResultRow) {
    self.init(
      token, owner: row.text(0) ?? "", length: Int(row.number(1) ?? 0), hasLength: row.isTrue(11),
      fileName: row.data(2).map { String(decoding: $0, as: UTF8.self) },
      created: Date(milliseconds: row.number(3) ?? 0))
    reached = Int(row.number(4) ?? 0)
    attempt = row.number(5) ?? 0
    worker = row.text(6)
    isHolderSeen = row.isTrue(7)
    guard let finished = row.number(10) else { return }
    self.finished = Date(milliseconds: finished)
    outcome =
      if let status = row.number(8), let body = row.data(9) {
        .refused(status: Int(status), body: [UInt8](body))
      } else {
        .confirmed
      }
  }

  /// The upload that this is the uploadRow of.
  func upload(_ limits: UploadLimits) -> Upload {
    Upload(
      token: token, owner: owner, length: length, hasLength: hasLength, fileName: fileName,
      offset: outcome == nil ? reached : length, expires: created.addingTimeInterval(limits.life),
      outcome: outcome)
  }

  /// Changes an open upload as long as its attempt is this one; values count from `$3`.
  ///
  /// - Returns: whether it was.
  func change(
    _ change: String, _ values: [FieldValue], _ t: Transaction
  ) throws -> Bool {
    let count = try t.run(
      """
      UPDATE upload SET \(change) WHERE token = $1 AND attempt = $2 AND finished_at IS NULL
      """, [.text(token), .int(attempt)] + values)
    return count == 1
  }
}
