import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// A lease of an upload in a database, which is the right of one request to change it. It lasts until a newer request
/// raises the attempt number.
final class PostgresUploadLease: UploadLease {
  /// The maximum size of a piece in bytes.
  static let piece = 256 << 10

  let token: String
  /// The attempt number of this lease.
  let attempt: Int64
  private let uploads: PostgresUploads
  private let state: Mutex<State>

  private struct State {
    /// The committed offset.
    var reached: Int
    /// `true` if the upload is complete and this process is making its photo (see `PostgresUploads.hold`).
    var isHeld = false
    /// The whole file, after it was requested.
    var file: SpoolFile?
  }

  init(_ row: UploadRow, of uploads: PostgresUploads) {
    token = row.token
    attempt = row.attempt
    self.uploads = uploads
    state = Mutex(State(reached: row.record.offset))
  }

  func append(_ bytes: UnsafeRawBufferPointer, at now: Date) throws {
    try state.withLock { state in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Data(rest.prefix(Self.piece))
        let start = state.reached
        // The bytes and the offset after them are written in one transaction.
        let values: [FieldValue] = [.int(Int64(start + piece.count)), .int(now.milliseconds)]
        try change("reached = $3, touched_at = $4", values) { t in
          try t.execute(
            "INSERT INTO upload_piece (upload, start, bytes) VALUES ($1, $2, $3)",
            [.text(self.token), .int(Int64(start)), .data(piece)])
        }
        state.reached += piece.count
        rest = rest.dropFirst(Self.piece)
      }
    }
  }

  func sync(holdingAt length: Int?) throws -> Int {
    try state.withLock { state in
      if state.reached == length, !state.isHeld {
        try uploads.hold(self)
        state.isHeld = true
      }
      return state.reached
    }
  }

  func source(_ record: UploadRecord) throws -> PhotoSource {
    try state.withLock { state in
      let file = try state.file ?? whole(record.length)
      state.file = file
      return try file.source(name: record.fileName ?? "")
    }
  }

  /// Copies all bytes to an unnamed file, with only a few pieces in memory at a time.
  private func whole(_ length: Int) throws -> SpoolFile {
    let file = try SpoolFile(in: uploads.folder)
    while file.count < length {
      let pieces = try uploads.database.rows(
        """
        SELECT bytes FROM upload_piece WHERE upload = $1 AND start >= $2 ORDER BY start LIMIT 4
        """, [.text(token), .int(Int64(file.count))])
      // Another request has taken over or deleted the upload.
      if pieces.isEmpty { throw UploadError.cut }
      for piece in pieces { try file.write([UInt8](piece.data(0) ?? Data())) }
    }
    guard file.count == length else { throw StoreError.database(.damaged, detail: "upload_piece") }
    return file
  }

  func update(_ record: UploadRecord) throws {
    let length: [FieldValue] = [.int(Int64(record.length)), FieldValue(record.hasLength)]
    guard let outcome = record.outcome, let finished = record.finished else {
      return try change("length = $3, has_length = $4::bigint <> 0", length)
    }
    var values: [FieldValue] = [.int(finished.milliseconds), .null, .null]
    if case .refused(let status, let body) = outcome {
      values = [values[0], .int(Int64(status)), .data(Data(body))]
    }
    try change("worker = NULL, finished_at = $3, refused_status = $4, refused_body = $5", values) {
      try $0.execute("DELETE FROM upload_piece WHERE upload = $1", [.text(self.token)])
    }
    uploads.forgetHolding(self)
    state.withLock { $0.isHeld = false }
  }

  func delete() throws {
    let count = try uploads.database.write { t in
      try t.execute(
        "DELETE FROM upload WHERE token = $1 AND attempt = $2",
        [.text(self.token), .int(self.attempt)])
    }
    if count == 0 { throw UploadError.cut }
  }

  func release() {
    state.withLock { state in
      if state.isHeld { uploads.release(self) }
      state.isHeld = false
      state.file = nil
    }
  }

  /// Updates the upload's row as long as the lease lasts. The parameters `values` start at `$3`.
  ///
  /// - Throws: `.cut` if a newer request has taken over.
  func change(
    _ change: String, _ values: [FieldValue], _ more: (Transaction) throws -> Void = { _ in }
  ) throws {
    let isChanged = try uploads.database.write { t in
      let count = try t.execute(
        "UPDATE upload SET \(change) WHERE token = $1 AND attempt = $2 AND finished_at IS NULL",
        [.text(self.token), .int(self.attempt)] + values)
      guard count == 1 else { return false }
      try more(t)
      return true
    }
    guard isChanged else { throw UploadError.cut }
  }
}
