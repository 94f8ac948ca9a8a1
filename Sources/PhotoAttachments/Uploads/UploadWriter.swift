import Foundation
package import PhotoIngestion
import Synchronization

/// Adds a request's bytes to an upload while it holds the lease (`UploadLease`). `UploadRules.append` creates it. Calls
/// block.
///
/// Until all bytes are here, a newer request can take over the upload. Acknowledged bytes stay, and the next call
/// throws `.cut`. After `sync` returns the full length, the upload is held until `finish` or `close`, because a photo
/// must not be prepared twice. Other requests get `.inUse` meanwhile. If the process dies, the upload is released.
///
/// Call `close` on every exit path. Releasing the last reference does so as well.
package final class UploadWriter: Sendable {
  private let token: String
  private let lease: any UploadLease
  private let limits: UploadLimits
  private let clock: @Sendable () -> Date
  private let state: Mutex<State>

  private struct State {
    /// The record, with the offset at the time when the lease was taken.
    var record: UploadRecord
    /// The offset after all written bytes, including those not yet synced.
    var reached: Int
    var isClosed = false
    /// The failure after which bytes may be missing beyond the last synced offset.
    var failure: (any Error)?
  }

  init(
    _ token: String, _ record: UploadRecord, _ lease: any UploadLease, _ limits: UploadLimits,
    now: @escaping @Sendable () -> Date
  ) {
    self.token = token
    self.lease = lease
    self.limits = limits
    clock = now
    state = Mutex(State(record: record, reached: record.offset))
  }

  deinit { close() }

  /// The upload with its offset when the lease was taken and its current length.
  package var upload: Upload { state.withLock { $0.record.upload(token, limits) } }

  /// Records the size of the whole file. Once recorded, it cannot change.
  ///
  /// - Throws: `.otherLength`, `.tooLarge`, `.pastLength`. Nothing has changed then.
  package func declare(length: Int) throws {
    try withOpen { state in
      var record = state.record
      if record.hasLength {
        guard length == record.length else {
          throw UploadError.otherLength(expected: record.length)
        }
        return
      }
      guard length <= record.length else {
        throw UploadError.tooLarge(limit: record.length, actual: length)
      }
      guard length >= state.reached else { throw UploadError.pastLength }
      record.length = length
      record.hasLength = true
      try lease.update(record)
      state.record = record
    }
  }

  /// Appends bytes.
  ///
  /// - Throws: `.pastLength` or `.tooLarge`, in which case none of these bytes is added; `.cut`; `.storageFull`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    try withOpen { state in
      guard bytes.count <= state.record.length - state.reached else {
        throw state.record.noRoom(for: bytes.count)
      }
      try keepingFailure(&state) { try lease.append(bytes, at: clock()) }
      state.reached += bytes.count
    }
  }

  /// Makes the written bytes durable against SIGKILL and power loss.
  ///
  /// - Returns: the offset of the upload. If it equals the length, the upload is held.
  package func sync() throws -> Int {
    try withOpen { state in
      let length = state.record.hasLength ? state.record.length : nil
      return try keepingFailure(&state) { try lease.sync(holdingAt: length) }
    }
  }

  /// Returns the file as the source of a photo. Valid once `sync` has returned the full length. The file is readable as
  /// long as the source lives.
  package func source() throws -> PhotoSource { try withOpen { try lease.source($0.record) } }

  /// Records the outcome of the upload, deletes its bytes and ends the lease. After a failure, the upload stays open
  /// and held.
  ///
  /// - Returns: the finished upload.
  @discardableResult
  package func finish(_ outcome: UploadOutcome) throws -> Upload {
    try withOpen { state in
      var record = state.record
      record.outcome = outcome
      record.finished = clock()
      record.offset = record.length
      try lease.update(record)
      state.record = record
      state.isClosed = true
      return record.upload(token, limits)
    }
  }

  /// Ends the lease. Acknowledged bytes stay. Does nothing if the lease has already ended.
  package func close() {
    state.withLock { state in
      if !state.isClosed { lease.release() }
      state.isClosed = true
    }
  }

  private func withOpen<T>(_ work: (inout State) throws -> T) throws -> T {
    try state.withLock { state in
      if state.isClosed { throw UploadError.cut }
      if let failure = state.failure { throw failure }
      return try work(&state)
    }
  }

  private func keepingFailure<T>(_ state: inout State, _ work: () throws -> T) throws -> T {
    do { return try work() } catch {
      state.failure = error
      throw error
    }
  }
}
