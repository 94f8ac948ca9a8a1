package import Foundation

/// Receives files in pieces, with interruptions. Decides who may use an upload, which request cuts off which, which
/// offsets and lengths are valid, how many uploads may be open, and when one expires. The rules are identical for every
/// storage.
///
/// It makes two promises. An acknowledged offset survives SIGKILL and power loss. A newer request for an upload takes
/// it away from an older one.
///
/// All calls throw `UploadError`, or `StoreError` if the storage itself is unavailable. They block their thread only
/// for the storage's own work, never for a client or another request. Run them on a pool for I/O.
package struct UploadRules: Sendable {
  private let storage: any UploadStorage
  package let limits: UploadLimits
  private let clock: @Sendable () -> Date

  package init(
    _ storage: any UploadStorage, limits: UploadLimits = UploadLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.storage = storage
    self.limits = limits
    clock = now
  }

  /// Returns the number of bytes received for unfinished uploads.
  package func byteCount() throws -> Int { try storage.byteCount() }

  /// Creates an upload, which is durable when this returns. An upload of zero bytes is complete at once. The photo
  /// checks reject it later.
  ///
  /// - Parameters:
  ///   - owner: the draft or announcement that may use the upload.
  ///   - client: the name of the client. Open uploads are counted per client.
  ///   - length: the size of the whole file in bytes, not negative. `nil` if the client does not know it yet.
  ///   - fileName: the name as the client sent it.
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

  /// Returns the current state of an upload. First cuts off a request that is adding bytes, so the offset stays valid
  /// until the next request. A request whose photo is being prepared is not cut off.
  ///
  /// - Throws: `.notFound`, `.expired`.
  package func fetchUpload(_ token: String, owner: String) throws -> Upload {
    try checkForm(token)
    let record = try storage.settle(token) { try check($0, owner, at: clock()) }
    return record.upload(token, limits)
  }

  /// Takes an upload in order to append bytes. Cuts off an older request that was doing so.
  ///
  /// - Parameters:
  ///   - offset: the position of the client's first byte in the file.
  ///   - count: the number of bytes that the client announced. `nil` if it is unknown.
  /// - Throws: `.notFound`, `.expired`, `.wrongOffset`, `.inUse`; `.pastLength`, or `.tooLarge` while the length is
  ///   unknown; `.tooManyOpen` or `.busy` if the upload gave up its place and gets no new one.
  package func append(
    _ token: String, owner: String, at offset: Int, adding count: Int? = nil
  ) throws -> UploadAppending {
    let now = clock()
    try checkForm(token)
    var hasPlace = false
    let taken = try storage.acquireLease(token) { record in
      try check(record, owner, at: now)
      hasPlace = limits.endOfPlace(of: record) > now
      if hasPlace { record.touched = now }
    }
    let record = taken.record
    let writer = taken.lease.map { UploadWriter(token, record, $0, limits, now: clock) }
    do {
      guard offset == record.offset else { throw UploadError.wrongOffset(expected: record.offset) }
      guard count ?? 0 <= record.length - offset else { throw record.noRoom(for: count ?? 0) }
      if record.outcome != nil { return .finished(record.upload(token, limits)) }
      guard let writer else { throw UploadError.notFound }
      // A complete upload only waits for its photo and needs no place.
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

  /// Deletes an upload. Cuts off a request that is adding bytes.
  ///
  /// - Throws: `.notFound`, `.expired`, `.inUse`.
  package func remove(_ token: String, owner: String) throws {
    try checkForm(token)
    let lease = try storage.acquireLease(token) { try check($0, owner, at: clock()) }.lease
    guard let lease else {
      try storage.delete(token)
      return
    }
    defer { lease.release() }
    try lease.delete()
  }

  /// Deletes the bytes of expired uploads, uploads that need not be remembered any longer, and files that belong to no
  /// upload. Skips uploads that are in use. Call it every few minutes.
  ///
  /// If one upload cannot be deleted, the sweep continues with the others.
  ///
  /// - Returns: the number of uploads of which anything was deleted.
  /// - Throws: the first failure, after the sweep is complete.
  @discardableResult
  package func sweep() throws -> Int {
    let now = clock()
    var found = try storage.inventory(at: now, strayAge: limits.strayAge)
    for (token, record) in found.records {
      found.countDeletion {
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

  /// Throws unless the text has the form of a token, so that storages only ever see tokens.
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

/// The result of `append(_:owner:at:adding:)`.
package enum UploadAppending {
  /// The caller writes the bytes here.
  case writer(UploadWriter)
  /// The upload already has its outcome, so the caller has nothing to write.
  case finished(Upload)
}
