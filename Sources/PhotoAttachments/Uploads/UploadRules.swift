package import Foundation

/// Receives files in pieces that may be interrupted and go on: who may use an upload, what cuts what,
/// which offsets and lengths hold, how many may be open, and when one is over. The same in every
/// storage.
///
/// Two promises hold: an offset that was answered survives SIGKILL and power loss, and a newer request
/// for an upload takes it away from an older one. All calls throw `UploadError`, or `StoreError` when
/// the storage itself cannot be used. They block their thread for the storage's own work only, never
/// for a client or another request: run them on a pool for input and output.
package struct UploadRules: Sendable {
  private let storage: any UploadStorage
  private let limits: UploadLimits
  private let clock: @Sendable () -> Date

  /// The uploads of a storage.
  package init(
    _ storage: any UploadStorage, limits: UploadLimits = UploadLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.storage = storage
    self.limits = limits
    clock = now
  }

  /// Returns how many bytes unfinished uploads have received.
  package func byteCount() throws -> Int { try storage.byteCount() }

  /// Creates an upload, which lasts when this returns. One of no bytes is complete at once; that an
  /// empty photo is none is said where photos are judged.
  ///
  /// - Parameters:
  ///   - owner: the draft or announcement that may use it.
  ///   - client: the name of the client it comes from; open ones are counted by it.
  ///   - length: bytes of the whole file, not negative; nil while the client does not know it.
  ///   - fileName: as the client gave it.
  /// - Throws: `.tooLarge`, `.tooManyOpen`, `.busy`, `.storageFull`.
  package func create(
    owner: String, client: String, length: Int?, fileName: String?
  ) throws -> Upload {
    if let length, length > limits.length {
      throw UploadError.tooLarge(limit: limits.length, actual: length)
    }
    let now = clock()
    let token = UploadToken.new()
    let record = UploadRecord(
      owner: owner, client: client, length: length ?? limits.length, hasLength: length != nil,
      fileName: fileName, created: now)
    try storage.changePlaces(inserting: record, of: token) { places in
      try places.reserve(token, record, limits, now: now)
      return places.surplus(limits, now: now)
    }
    return record.upload(token, limits)
  }

  /// An upload as it stands. A request that adds bytes to it is cut first, so that its offset stays
  /// until the next one; one whose photo is being made is left alone.
  ///
  /// - Throws: `.notFound`, `.expired`.
  package func look(_ token: String, owner: String) throws -> Upload {
    try checkForm(token)
    let record = try storage.settle(token) { try check($0, owner, at: clock()) }
    return record.upload(token, limits)
  }

  /// Takes an upload to add bytes at its end; an older request that was adding some is cut.
  ///
  /// - Parameters:
  ///   - offset: where the client's bytes belong.
  ///   - count: how many are announced, nil when that is not known.
  /// - Throws: `.notFound`, `.expired`, `.wrongOffset`, `.pastLength`, or `.tooLarge` while the length
  ///   is not known, `.inUse`; `.tooManyOpen` and `.busy` when it has given up its place and finds none.
  package func append(
    _ token: String, owner: String, at offset: Int, adding count: Int? = nil
  ) throws -> UploadAppending {
    let now = clock()
    try checkForm(token)
    var hasPlace = false
    let taken = try storage.take(token) { record in
      try check(record, owner, at: now)
      hasPlace = limits.endOfPlace(of: record) > now
      if hasPlace { record.touched = now }
    }
    let record = taken.record
    let writer = taken.turn.map { UploadWriter(token, record, $0, limits, now: clock) }
    do {
      guard offset == record.offset else { throw UploadError.wrongOffset(expected: record.offset) }
      guard count ?? 0 <= record.length - offset else { throw record.noRoom(for: count ?? 0) }
      if record.outcome != nil { return .finished(record.upload(token, limits)) }
      guard let writer else { throw UploadError.notFound }
      // What is whole only waits for its photo.
      if !record.isWhole, !hasPlace {
        try storage.changePlaces(inserting: nil, of: token) { places in
          try places.reserve(token, record, limits, now: now)
          return []
        }
      }
      return .writer(writer)
    } catch {
      writer?.close()
      throw error
    }
  }

  /// Deletes an upload; a request that was adding bytes is cut.
  ///
  /// - Throws: `.notFound`, `.expired`, `.inUse`.
  package func remove(_ token: String, owner: String) throws {
    try checkForm(token)
    let turn = try storage.take(token) { try check($0, owner, at: clock()) }.turn
    guard let turn else {
      try storage.delete(token)
      return
    }
    defer { turn.release() }
    try turn.delete()
  }

  /// Deletes what is due: the bytes of expired uploads, what is not remembered any more, and what
  /// belongs to no upload. What is in use is left for the next time. Run it every few minutes.
  ///
  /// One that cannot be deleted keeps none of the others.
  ///
  /// - Returns: of how many uploads something was deleted.
  /// - Throws: the first failure, after all is done.
  @discardableResult
  package func sweep() throws -> Int {
    let now = clock()
    var found = try storage.inventory(at: now, strayAge: limits.strayAge)
    for (token, record) in found.records {
      found.note {
        switch limits.stage(of: record, at: now) {
        case .open, .finished: false
        case .expired: try storage.deleteBytes(token)
        case .over: try storage.delete(token)
        }
      }
    }
    if let failure = found.failure { throw failure }
    return found.deleted
  }

  /// No storage is asked for anything that is no token.
  private func checkForm(_ token: String) throws {
    guard UploadToken.isToken(token) else { throw UploadError.notFound }
  }

  private func check(_ record: UploadRecord, _ owner: String, at now: Date) throws {
    guard record.owner == owner else { throw UploadError.notFound }
    switch limits.stage(of: record, at: now) {
    case .open, .finished: return
    case .expired: throw UploadError.expired
    case .over: throw UploadError.notFound
    }
  }
}

/// What adding bytes to an upload leads to.
package enum UploadAppending {
  /// The bytes go here.
  case writer(UploadWriter)
  /// Nothing is left to do: the upload has its outcome.
  case finished(Upload)
}
