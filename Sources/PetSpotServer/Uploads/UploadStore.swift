import Foundation
import Glibc
import PhotoAttachments
import Synchronization

/// Uploads kept in one folder of this machine. Several processes may share it; they meet `.inUse` where
/// they meet.
final class UploadStore: UploadStorage {
  /// Where uploads lie.
  let folder: UploadFolder
  /// How much may be uploaded, and for how long.
  let limits: UploadLimits
  /// The clock.
  let now: @Sendable () -> Date
  private let state = Mutex(State())

  private struct State {
    /// What is open; nil until the folder was read.
    var tally: UploadTally?
    /// Whether the folder's name was synced.
    var isLasting = false
    var writers: [String: Held] = [:]
    /// Sizes of data files that this process knows to be synced.
    var safe: [String: Int] = [:]
  }

  /// Alone in its struct: Swift 6.3 misreads an optional one that has an `ObjectIdentifier` beside it.
  private struct Held {
    weak var writer: UploadWriter?
  }

  /// The uploads in a folder, which is made by the first `create`.
  init(
    folder: UploadFolder, limits: UploadLimits = UploadLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.folder, self.limits, self.now) = (folder, limits, now)
  }

  // MARK: - Beginning

  func create(
    owner: String, client: String, length: Int?, fileName: String?
  ) throws(UploadError) -> Upload {
    if let length, length > limits.length { throw .tooLarge(limit: limits.length, actual: length) }
    let isNew = try folder.make()
    if isNew || !state.withLock({ $0.isLasting }) {
      try folder.syncName()
      state.withLock { $0.isLasting = true }
    }
    try load()
    let record = UploadRecord(
      owner: owner, client: client, length: length, most: limits.length, fileName: fileName,
      created: now())
    let token = UploadToken.new()
    let now = now()
    try state.withLock { state throws(UploadError) in
      try state.tally?.reserve(token, record, now: now)
    }
    for token in state.withLock({ $0.tally?.surplus(now: now) ?? [] }) { giveUp(token) }
    do throws(UploadError) {
      try folder.create(token, record)
    } catch {
      forget(token)
      throw error
    }
    note(token, safe: 0)
    return record.upload(token, offset: 0, limits: limits)
  }

  /// When an upload's bytes were last written, by whichever process.
  func touched(_ token: String) -> Date? {
    UploadFolder.Entry(.data, token).flatMap { folder.modified($0) }
  }

  /// Notes that an upload got bytes.
  func touch(_ token: String) {
    let now = now()
    state.withLock { $0.tally?.touch(token, now: now) }
  }

  /// Reads which uploads are open, once.
  private func load() throws(UploadError) {
    guard state.withLock({ $0.tally == nil }) else { return }
    var tally = UploadTally(limits: limits)
    for entry in try folder.entries() where entry.kind == .record {
      guard let record = try folder.record(entry.token) else { continue }
      tally.add(entry.token, record, touched: touched(entry.token))
    }
    let read = tally
    state.withLock { if $0.tally == nil { $0.tally = read } }
  }

  // MARK: - Going on

  func look(_ token: String, owner: String) throws(UploadError) -> Upload {
    let record = try known(token, owner)
    if record.outcome != nil { return finished(token, record) }
    if let writer = state.withLock({ $0.writers[token]?.writer }), !writer.cut() {
      return finished(token, try known(token, owner))
    }
    guard let file = try folder.openData(token) else {
      // Finished at this moment, or damaged.
      let record = try known(token, owner)
      guard record.outcome != nil else { throw .notFound }
      return finished(token, record)
    }
    defer { close(file) }
    let offset = try safeSize(of: token, file: file, length: record.length)
    return record.upload(token, offset: offset, limits: limits)
  }

  func append(
    _ token: String, owner: String, at offset: Int, adding count: Int? = nil
  ) throws(UploadError) -> UploadAppending {
    var record = try known(token, owner)
    let writer = record.outcome == nil ? try hold(token, record) : nil
    // It may have been finished or removed until we held it.
    record = try known(token, owner)
    if let outcome = record.outcome {
      guard offset == record.length else { throw .wrongOffset(expected: record.length) }
      guard count ?? 0 == 0 else { throw .pastLength }
      return .finished(finished(token, record), outcome)
    }
    guard let writer else { throw .notFound }
    do throws(UploadError) {
      try writer.begin(record, at: offset, adding: count)
      // What is whole only waits for its photo.
      if !record.hasLength || offset < record.length { try goOn(token, record) }
    } catch {
      writer.close()
      throw error
    }
    return .writer(writer)
  }

  private func goOn(_ token: String, _ record: UploadRecord) throws(UploadError) {
    try load()
    let now = now()
    try state.withLock { state throws(UploadError) in
      try state.tally?.goOn(token, record, now: now)
    }
  }

  func remove(_ token: String, owner: String) throws(UploadError) {
    let record = try known(token, owner)
    if record.outcome == nil, let writer = try hold(token, record) {
      defer { writer.close() }
      _ = try known(token, owner)
      try writer.remove()
    } else {
      try folder.remove(token)
      forget(token)
    }
  }

  // MARK: - Parts

  /// Deletes an unfinished upload that has to make room; the next one tries again what fails.
  private func giveUp(_ token: String) {
    guard let record = try? folder.record(token) else { return forget(token) }
    guard record.outcome == nil, let writer = try? hold(token, record) else { return }
    defer { writer.close() }
    try? writer.remove()
  }

  /// The record of an upload that may be used.
  private func known(_ token: String, _ owner: String) throws(UploadError) -> UploadRecord {
    guard UploadToken.isToken(token), let record = try folder.record(token), record.owner == owner
    else { throw .notFound }
    switch record.stage(at: now(), limits) {
    case .open, .finished: return record
    case .expired: throw .expired
    case .over: throw .notFound
    }
  }

  private func finished(_ token: String, _ record: UploadRecord) -> Upload {
    record.upload(token, offset: record.length, limits: limits)
  }

  /// Takes an upload's bytes, cutting the request that has them; nil when there are none.
  func hold(_ token: String, _ record: UploadRecord) throws(UploadError) -> UploadWriter? {
    // More than once only when others come at the same moment.
    for _ in 0..<4 {
      let step = state.withLock { state -> Hold in
        if let older = state.writers[token]?.writer { return .older(older) }
        do throws(UploadError) {
          guard let file = try folder.openData(token) else { return .none }
          guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            close(file)
            return .locked
          }
          let writer = UploadWriter(token, record, file: file, store: self)
          state.writers[token] = Held(writer: writer)
          return .held(writer)
        } catch {
          return .failed(error)
        }
      }
      switch step {
      case .none: return nil
      case .held(let writer): return writer
      case .older(let writer): if !writer.cut() { throw .inUse }
      case .locked: throw .inUse
      case .failed(let error): throw error
      }
    }
    throw .inUse
  }

  private enum Hold {
    case none, held(UploadWriter), older(UploadWriter), locked, failed(UploadError)
  }

  /// How many bytes of a data file survive power loss; what this process did not write itself is
  /// synced first.
  ///
  /// When that fails, it is unknown which bytes are missing: the upload is given up.
  func safeSize(of token: String, file: Int32, length: Int) throws(UploadError) -> Int {
    let size = try UploadFolder.size(of: file)
    if state.withLock({ $0.safe[token] }) != size {
      do throws(UploadError) {
        try UploadFolder.check("fdatasync") { Int(fdatasync(file)) }
      } catch {
        try? folder.remove(token)
        forget(token)
        throw error
      }
      folder.changed("fdatasync data")
      note(token, safe: size)
    }
    return min(size, length)
  }

  /// Remembers the size up to which an upload's bytes were synced.
  func note(_ token: String, safe size: Int) {
    state.withLock { $0.safe[token] = size }
  }

  /// An upload is not open any more.
  func forget(_ token: String) {
    state.withLock { state in
      state.tally?.remove(token)
      state.safe[token] = nil
      state.writers[token] = nil
    }
  }

  /// An upload's writer lets go. Nobody else can have taken the upload before.
  func release(_ token: String) {
    state.withLock { $0.writers[token] = nil }
  }

  /// Takes over what a sweep has seen, because other processes make and end uploads too.
  func recount(_ records: [String: (UploadRecord, touched: Date?)], asOf start: Date) {
    state.withLock { state in
      state.tally?.recount(records, asOf: start)
      state.safe = state.safe.filter { state.tally?.contains($0.key) ?? true }
    }
  }
}

extension UploadStore {
  /// Tries again for some time while an upload is in use. Waiting takes no thread.
  static func patiently<T>(
    for timeout: Duration, every pause: Duration = .milliseconds(50),
    _ attempt: () async throws -> T
  ) async throws -> T {
    let end = ContinuousClock.now + timeout
    while true {
      do { return try await attempt() } catch UploadError.inUse where ContinuousClock.now < end {}
      try await Task.sleep(for: pause)
    }
  }
}
