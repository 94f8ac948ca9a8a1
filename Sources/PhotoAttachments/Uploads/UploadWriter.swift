import Foundation
package import PhotoIngestion
import Synchronization

/// Adds bytes to an upload whose turn it has. Calls block.
///
/// Until all bytes are here a newer request takes the upload away: what was answered stays, and the next
/// call throws `.cut`. Once `sync` has returned the whole length, it is held until `finish` or `close`,
/// so that no photo is worked on twice; others meet `.inUse`. Its process may die: then others may go on.
///
/// Call `close` on every way out; the end of the last reference does the same.
package final class UploadWriter: Sendable {
  private let token: String
  private let turn: any UploadTurn
  private let limits: UploadLimits
  private let clock: @Sendable () -> Date
  private let state: Mutex<State>

  private struct State {
    /// With the offset that it had when it was taken.
    var record: UploadRecord
    /// How many bytes are there with those that were written.
    var reached: Int
    var isClosed = false
    /// Bytes are missing behind those that last.
    var failure: (any Error)?
  }

  init(
    _ token: String, _ record: UploadRecord, _ turn: any UploadTurn, _ limits: UploadLimits,
    now: @escaping @Sendable () -> Date
  ) {
    self.token = token
    self.turn = turn
    self.limits = limits
    clock = now
    state = Mutex(State(record: record, reached: record.offset))
  }

  deinit { close() }

  /// The upload as it was when it was taken, with the length that it has now.
  package var upload: Upload { state.withLock { $0.record.upload(token, limits) } }

  /// Takes what a request says of the whole file's size: it is recorded once, and stays.
  ///
  /// - Throws: `.otherLength`, `.tooLarge`, `.pastLength`, and nothing has changed.
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
      try turn.update(record)
      state.record = record
    }
  }

  /// Adds bytes.
  ///
  /// - Throws: `.pastLength` or `.tooLarge`, and none of these bytes is taken; `.cut`; `.storageFull`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    try withOpen { state in
      guard bytes.count <= state.record.length - state.reached else {
        throw state.record.noRoom(for: bytes.count)
      }
      try remembering(&state) { try turn.append(bytes, at: clock()) }
      state.reached += bytes.count
    }
  }

  /// Makes what was written survive SIGKILL and power loss.
  ///
  /// - Returns: the offset the upload has reached. When it is its length, the upload stays held.
  package func sync() throws -> Int {
    try withOpen { state in
      let length = state.record.hasLength ? state.record.length : nil
      return try remembering(&state) { try turn.sync(holdingAt: length) }
    }
  }

  /// The file as a photo's source, once `sync` has returned its whole length; readable while the source
  /// lives.
  package func source() throws -> PhotoSource { try withOpen { try turn.source($0.record) } }

  /// Remembers what became of the upload, deletes its bytes and ends its turn. After a failure it is
  /// as open as before, and held.
  ///
  /// - Returns: the finished upload.
  @discardableResult
  package func finish(_ outcome: UploadOutcome) throws -> Upload {
    try withOpen { state in
      var record = state.record
      record.outcome = outcome
      record.finished = clock()
      record.offset = record.length
      try turn.update(record)
      state.record = record
      state.isClosed = true
      return record.upload(token, limits)
    }
  }

  /// Ends the turn; what was answered stays. Does nothing when it has ended.
  package func close() {
    state.withLock { state in
      if !state.isClosed { turn.release() }
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

  private func remembering<T>(_ state: inout State, _ work: () throws -> T) throws -> T {
    do { return try work() } catch {
      state.failure = error
      throw error
    }
  }
}
