import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Adds bytes to an upload in a database, for as long as no newer request has taken it.
final class PostgresUploadWriter: UploadWriting {
  /// Bytes of one piece, at most.
  static let piece = 256 << 10

  private let store: PostgresUploads
  private let state: Mutex<State>

  private struct State {
    var phase = Phase.receiving
    var uploadRow: UploadRow
    /// Where this request's bytes begin.
    let begin: Int
    /// The whole file, once it was asked for.
    var file: SpoolFile?
  }

  private enum Phase {
    case receiving, complete, closed
    /// A call failed: what the database has is not known here.
    case failed(any Error)
  }

  init(_ uploadRow: UploadRow, of store: PostgresUploads) {
    self.store = store
    state = Mutex(State(uploadRow: uploadRow, begin: uploadRow.reached))
  }

  var upload: Upload {
    state.withLock {
      var upload = $0.uploadRow.upload(store.limits)
      upload.offset = $0.begin
      return upload
    }
  }

  deinit { close() }

  // MARK: - Receiving

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try state.withLock { state in
      try check(state)
      let row = state.uploadRow
      guard bytes.count <= row.length - row.reached else {
        throw UploadError.noRoom(length: row.length, isKnown: row.hasLength, count: bytes.count)
      }
      var rest = bytes[...]
      while !rest.isEmpty {
        try keep(Data(rest.prefix(Self.piece)), &state)
        rest = rest.dropFirst(Self.piece)
      }
    }
  }

  /// One transaction has the bytes and the offset after them.
  private func keep(_ piece: Data, _ state: inout State) throws {
    let uploadRow = state.uploadRow
    let end = state.uploadRow.reached + piece.count
    do {
      let isOurs = try store.database.write { t in
        let values: [FieldValue] = [.int(Int64(end)), .int(store.now().milliseconds)]
        guard try uploadRow.change("reached = $3, touched_at = $4", values, t) else { return false }
        try t.run(
          "INSERT INTO upload_piece (upload, start, bytes) VALUES ($1, $2, $3)",
          [.text(uploadRow.token), .int(Int64(uploadRow.reached)), .data(piece)])
        return true
      }
      guard isOurs else { throw UploadError.cut }
    } catch {
      state.phase = .failed(error)
      throw error
    }
    state.uploadRow.reached = end
  }

  func setLength(_ length: Int) throws {
    try state.withLock { state in
      try check(state)
      var uploadRow = state.uploadRow
      guard length >= uploadRow.reached else { throw UploadError.pastLength }
      let isOurs = try store.database.write { t in
        try uploadRow.change("length = $3, has_length = true", [.int(Int64(length))], t)
      }
      guard isOurs else { throw UploadError.cut }
      uploadRow.length = length
      uploadRow.hasLength = true
      state.uploadRow = uploadRow
    }
  }

  func sync() throws -> Int {
    try state.withLock { state in
      try check(state)
      let uploadRow = state.uploadRow
      if uploadRow.hasLength, uploadRow.reached == uploadRow.length, case .receiving = state.phase {
        try store.hold(uploadRow)
        state.phase = .complete
      }
      return uploadRow.reached
    }
  }

  // MARK: - Ends

  func source() throws -> PhotoSource {
    try state.withLock { state in
      try check(state)
      let file = try state.file ?? whole(state.uploadRow)
      state.file = file
      return try file.source(name: state.uploadRow.fileName ?? "")
    }
  }

  /// All bytes in a file without a name, a few pieces in memory at a time.
  private func whole(_ uploadRow: UploadRow) throws -> SpoolFile {
    let file = try SpoolFile(in: store.folder)
    while file.count < uploadRow.length {
      let pieces = try store.database.rows(
        """
        SELECT bytes FROM upload_piece WHERE upload = $1 AND start >= $2 ORDER BY start LIMIT 4
        """, [.text(uploadRow.token), .int(Int64(file.count))])
      // Another request has taken it, or deleted it.
      if pieces.isEmpty { throw UploadError.cut }
      for piece in pieces { try file.write([UInt8](piece.data(0) ?? Data())) }
    }
    guard file.count == uploadRow.length else {
      throw StoreError.database(.damaged, detail: "upload_piece")
    }
    return file
  }

  @discardableResult
  func finish(_ outcome: UploadOutcome) throws -> Upload {
    try state.withLock { state in
      try check(state)
      var values: [FieldValue] = [.int(store.now().milliseconds), .null, .null]
      if case .refused(let status, let body) = outcome {
        values = [values[0], .int(Int64(status)), .data(Data(body))]
      }
      let uploadRow = state.uploadRow
      let isOurs = try store.database.write { t in
        let change =
          "worker = NULL, finished_at = $3, refused_status = $4, refused_body = $5"
        guard try uploadRow.change(change, values, t) else { return false }
        try t.run("DELETE FROM upload_piece WHERE upload = $1", [.text(uploadRow.token)])
        return true
      }
      guard isOurs else { throw UploadError.cut }
      store.forgetHolding(uploadRow)
      state.phase = .closed
      state.file = nil
      state.uploadRow.outcome = outcome
      return state.uploadRow.upload(store.limits)
    }
  }

  func close() {
    state.withLock { state in
      if case .complete = state.phase { store.release(state.uploadRow) }
      state.phase = .closed
      state.file = nil
    }
  }

  // MARK: - Parts

  private func check(_ state: State) throws {
    switch state.phase {
    case .receiving, .complete: return
    case .closed: throw UploadError.cut
    case .failed(let error): throw error
    }
  }
}
