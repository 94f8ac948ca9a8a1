import Foundation
import Glibc
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Holds an upload of a folder, so that no other request writes it, and adds bytes to it.
final class UploadWriter: UploadWriting {
  /// Bytes are handed to the kernel in pieces of at least this size.
  static let piece = 256 << 10

  private let token: String
  private let store: UploadStore
  private let state: Mutex<State>

  private struct State {
    var phase = Phase.receiving
    var record: UploadRecord
    let file: Int32
    /// What is not with the kernel yet.
    var buffer: [UInt8] = []
    /// Where this request's bytes begin.
    var begin = 0
    /// Bytes in the file.
    var size = 0
    /// Those of them that were synced.
    var safe = 0
  }

  private enum Phase: Equatable {
    case receiving, complete, closed, cut
    /// A call failed; bytes are missing behind `size`.
    case failed(UploadError)
  }

  /// Takes over an open and locked data file.
  init(_ token: String, _ record: UploadRecord, file: Int32, store: UploadStore) {
    self.token = token
    self.store = store
    state = Mutex(State(record: record, file: file))
  }

  var upload: Upload {
    state.withLock { $0.record.upload(token, offset: $0.begin, limits: store.limits) }
  }

  deinit {
    state.withLock { state in
      try? synced(&state)
      release(&state, as: .closed)
    }
  }

  // MARK: - Receiving

  /// Goes to where the upload stands. Bytes that a killed process wrote become safe first.
  ///
  /// - Parameters:
  ///   - record: as it is now that nobody else can change it.
  ///   - offset: where the client's bytes belong.
  ///   - count: how many are announced, nil when that is not known.
  /// - Throws: `.wrongOffset`, `.pastLength`, `.cut`.
  func begin(
    _ record: UploadRecord, at offset: Int, adding count: Int?
  ) throws(UploadError) {
    try state.withLock { state throws(UploadError) in
      try check(state)
      state.record = record
      let length = record.length
      state.size = try store.safeSize(of: token, file: state.file, length: length)
      state.safe = state.size
      guard offset == state.size else { throw .wrongOffset(expected: state.size) }
      guard count ?? 0 <= length - offset else {
        throw .noRoom(length: length, isKnown: record.hasLength, count: count ?? 0)
      }
      state.begin = offset
    }
  }

  func setLength(_ length: Int) throws(UploadError) {
    try state.withLock { state throws(UploadError) in
      try check(state)
      guard length >= state.size + state.buffer.count else { throw .pastLength }
      var record = state.record
      record.length = length
      record.hasLength = true
      try store.folder.write(record, of: token)
      state.record = record
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(UploadError) {
    try state.withLock { state throws(UploadError) in
      try check(state)
      let record = state.record
      guard bytes.count <= record.length - state.size - state.buffer.count else {
        throw .noRoom(length: record.length, isKnown: record.hasLength, count: bytes.count)
      }
      state.buffer.append(contentsOf: bytes)
      store.touch(token)
      if state.buffer.count >= Self.piece { try flush(&state) }
    }
  }

  func sync() throws(UploadError) -> Int {
    try state.withLock { state throws(UploadError) in
      try check(state)
      try synced(&state)
      if state.record.hasLength, state.safe == state.record.length { state.phase = .complete }
      return state.safe
    }
  }

  // MARK: - Ends

  func source() throws -> PhotoSource {
    try state.withLock { state in
      try check(state)
      let file = state.file
      let length = state.record.length
      if try UploadFolder.size(of: file) > length {
        // Another request wrote it; what was acknowledged stays true.
        try UploadFolder.check("truncate") { Int(ftruncate(file, off_t(length))) }
      }
      return .open(try PhotoFile(reopening: file), name: state.record.fileName ?? "")
    }
  }

  @discardableResult
  func finish(_ outcome: UploadOutcome) throws(UploadError) -> Upload {
    try state.withLock { state throws(UploadError) in
      try check(state)
      var record = state.record
      (record.outcome, record.finished) = (outcome, store.now())
      try store.folder.write(record, of: token)
      // A sweep takes what stays behind here.
      try? store.folder.removeData(token)
      release(&state, as: .closed)
      store.forget(token)
      return record.upload(token, offset: record.length, limits: store.limits)
    }
  }

  /// Deletes the upload and lets go of it.
  func remove() throws(UploadError) {
    try state.withLock { state throws(UploadError) in
      try check(state)
      try store.folder.remove(token)
      release(&state, as: .closed)
      store.forget(token)
    }
  }

  func close() {
    state.withLock { state in
      try? synced(&state)
      if release(&state, as: .closed) { store.release(token) }
    }
  }

  /// Lets go of the upload for a newer request.
  ///
  /// - Returns: false when all bytes are here: then it stays.
  func cut() -> Bool {
    state.withLock { state in
      guard state.phase != .complete else { return false }
      try? synced(&state)
      if release(&state, as: .cut) { store.release(token) }
      return true
    }
  }

  // MARK: - Parts

  private func check(_ state: State) throws(UploadError) {
    switch state.phase {
    case .receiving, .complete: return
    case .closed, .cut: throw .cut
    case .failed(let error): throw error
    }
  }

  private func flush(_ state: inout State) throws(UploadError) {
    guard !state.buffer.isEmpty else { return }
    var done = 0
    do throws(UploadError) {
      try UploadFolder.write(state.buffer, to: state.file, at: state.size, done: &done)
    } catch {
      // What the disk took stays; what comes after the gap must not.
      state.phase = .failed(error)
    }
    state.size += done
    state.buffer.removeAll(keepingCapacity: true)
    if done > 0 { store.folder.changed("write data") }
    if case .failed(let error) = state.phase { throw error }
  }

  /// Writes and syncs, unless it is not held any more.
  private func synced(_ state: inout State) throws(UploadError) {
    guard ![.closed, .cut].contains(state.phase) else { return }
    try? flush(&state)
    if state.size != state.safe {
      let file = state.file
      do throws(UploadError) {
        try UploadFolder.check("fdatasync") { Int(fdatasync(file)) }
        state.safe = state.size
        store.folder.changed("fdatasync data")
      } catch {
        // The kernel may have dropped the bytes, and says so only once.
        ftruncate(file, off_t(state.safe))
        state.size = state.safe
        state.phase = .failed(error)
      }
      store.note(token, safe: state.safe)
    }
    if case .failed(let error) = state.phase { throw error }
  }

  @discardableResult
  private func release(_ state: inout State, as phase: Phase) -> Bool {
    guard ![.closed, .cut].contains(state.phase) else { return false }
    state.phase = phase
    state.buffer = []
    // A child process of this moment may have the descriptor too, and with it the lock.
    flock(state.file, LOCK_UN)
    Glibc.close(state.file)
    return true
  }
}
