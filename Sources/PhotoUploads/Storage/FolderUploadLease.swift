import Foundation
import Glibc
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// A request's lease of an upload of `FolderUploads`: the exclusive right to write it. Owns the open and locked file
/// with the upload's bytes.
final class FolderUploadLease: UploadLease {
  /// The least number of bytes that are passed to the kernel at once.
  static let piece = 256 << 10

  private let token: String
  private let uploads: FolderUploads
  private let state: Mutex<State>

  private struct State {
    var phase = Phase.receiving
    let file: Int32
    /// Bytes that haven't been written to the file.
    var buffer: [UInt8] = []
    /// The number of bytes in the file.
    var size = 0
    /// The number of synced bytes.
    var safe = 0
  }

  private enum Phase {
    case receiving, complete, ended
  }

  /// Takes ownership of an open and locked data file.
  init(_ token: String, file: Int32, of uploads: FolderUploads) {
    self.token = token
    self.uploads = uploads
    state = Mutex(State(file: file))
  }

  deinit { state.withLock { state in end(&state) } }

  /// Continues after the bytes of the upload. First syncs those that a killed process has written.
  func begin(length: Int) throws -> Int {
    try withLease { state in
      state.size = try uploads.safeSize(of: token, file: state.file, length: length)
      state.safe = state.size
      return state.size
    }
  }

  // MARK: - Receiving

  func append(_ bytes: UnsafeRawBufferPointer, at now: Date) throws {
    try withLease { state in
      state.buffer.append(contentsOf: bytes)
      uploads.touch(token, at: now)
      if state.buffer.count >= Self.piece { try flush(&state) }
    }
  }

  func sync(holdingAt length: Int?) throws -> Int {
    try withLease { state in
      try sync(&state)
      if state.safe == length { state.phase = .complete }
      return state.safe
    }
  }

  func source(_ record: UploadRecord) throws -> PhotoSource {
    try withLease { state in
      let file = state.file
      if try UploadFolder.size(of: file) > record.length {
        // Another request wrote beyond the length. The acknowledged bytes are before it.
        try UploadFolder.check("truncate") { Int(ftruncate(file, off_t(record.length))) }
      }
      return .open(try PhotoFile(reopening: file), name: record.fileName ?? "")
    }
  }

  // MARK: - Ends

  func update(_ record: UploadRecord) throws {
    try withLease { state in
      try uploads.folder.write(record, of: token)
      guard record.outcome != nil else { return }
      // If this fails, an inventory deletes the data later.
      try? uploads.folder.removeData(token)
      end(&state)
      uploads.forget(token)
    }
  }

  func delete() throws {
    try withLease { state in
      try uploads.folder.remove(token)
      end(&state)
      uploads.forget(token)
    }
  }

  func release() { state.withLock { state in release(&state) } }

  /// Ends the lease for a newer request.
  ///
  /// - Returns: `false` if all bytes have arrived. The lease then continues.
  func cut() -> Bool {
    state.withLock { state in
      guard state.phase != .complete else { return false }
      release(&state)
      return true
    }
  }

  // MARK: - Helpers

  private func withLease<T>(_ work: (inout State) throws -> T) throws -> T {
    try state.withLock { state in
      guard state.phase != .ended else { throw UploadError.cut }
      return try work(&state)
    }
  }

  private func flush(_ state: inout State) throws {
    guard !state.buffer.isEmpty else { return }
    var done = 0
    defer {
      // Bytes on disk stay. The rest must go, because later bytes would follow a gap.
      state.size += done
      state.buffer.removeAll(keepingCapacity: true)
      if done > 0 { uploads.folder.changed("write data") }
    }
    try UploadFolder.write(state.buffer, to: state.file, at: state.size, done: &done)
  }

  /// Writes and syncs the pending bytes. If the disk takes only some of them, syncs those.
  private func sync(_ state: inout State) throws {
    let written = Result { try flush(&state) }
    if state.size != state.safe {
      let file = state.file
      defer { uploads.recordSynced(token, safe: state.safe) }
      do {
        try UploadFolder.check("fdatasync") { Int(fdatasync(file)) }
        state.safe = state.size
        uploads.folder.changed("fdatasync data")
      } catch {
        // The kernel may have dropped the bytes, and reports that only once.
        ftruncate(file, off_t(state.safe))
        state.size = state.safe
        throw error
      }
    }
    try written.get()
  }

  private func release(_ state: inout State) {
    guard state.phase != .ended else { return }
    try? sync(&state)
    end(&state)
    uploads.release(token)
  }

  private func end(_ state: inout State) {
    guard state.phase != .ended else { return }
    state.phase = .ended
    state.buffer = []
    // Unlock explicitly, because a child process that has just started may have the descriptor too, and with it the
    // lock.
    flock(state.file, LOCK_UN)
    close(state.file)
  }
}
