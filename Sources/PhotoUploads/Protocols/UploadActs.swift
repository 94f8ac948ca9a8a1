import HTTPTypes
package import HummingbirdCore
import NIOCore
package import PhotoAttachments
package import PhotoIngestion
package import PhotoModel

/// The owner of a resumable upload and the destination of its photo.
package struct UploadOwner: Sendable {
  /// The name of the attachment, announcement or draft.
  let name: String
  /// Makes room for a photo of a number of bytes before any are sent. Throws if there is no room.
  let admit: (@Sendable (Int) async throws -> Void)?
  /// Attaches the whole photo.
  let attach: @Sendable (PhotoSource) async throws -> Void
  /// Returns the photo that is attached now, if any.
  let stored: @Sendable () async throws -> PhotoAttachmentMetadata?
  /// Returns the response to an attached photo.
  let confirmed: @Sendable () async throws -> Response
  /// The language of refusals.
  package var language = "en"
  /// Returns the reason of a refusal in the owner's language. `nil` for English.
  package var describe: (@Sendable (StoreError) -> String)?

  package init(
    name: String, admit: (@Sendable (Int) async throws -> Void)? = nil,
    attach: @escaping @Sendable (PhotoSource) async throws -> Void,
    stored: @escaping @Sendable () async throws -> PhotoAttachmentMetadata?,
    confirmed: @escaping @Sendable () async throws -> Response
  ) {
    self.name = name
    self.admit = admit
    self.attach = attach
    self.stored = stored
    self.confirmed = confirmed
  }
}

/// The server or host around the protocols.
package protocol UploadSite: Sendable {
  /// Checks that the disk has room for a body of this size. `nil` means that the size is unknown.
  ///
  /// - Throws: 507.
  func checkFreeSpace(for bytes: Int?) async throws

  /// Returns the response to an error. `nil` for an unknown error.
  func failure(for error: any Error) -> HTTPFailure?
}

/// The fields of a request that adds bytes to an upload.
struct UploadAddition: Sendable {
  /// The offset of the bytes in the file.
  var offset: Int
  /// The size of the whole file, if the request contains it.
  var length: Int?
  /// `true` if the file ends with the bytes.
  var isLast = true
}

/// The operations on resumable uploads, for both protocols.
package struct UploadActs: Sendable {
  package let rules: UploadRules
  let site: any UploadSite
  /// The threads for files.
  let files: WorkerPool
  /// Uploads whose bytes are arriving.
  package let receiving = ReceivingUploads()
  private let waits: UploadWaits

  package init(_ rules: UploadRules, site: any UploadSite, files: WorkerPool, waits: UploadWaits) {
    self.rules = rules
    self.site = site
    self.files = files
    self.waits = waits
  }

  /// Creates an upload if there is room for it.
  ///
  /// - Parameter length: the size of the file. `nil` if the client doesn't know it yet.
  func create(
    _ context: some UploadRequest, _ owner: UploadOwner, length: Int?, fileName: String?
  ) async throws -> Upload {
    guard length != 0 else {
      throw (site.failure(for: PhotoError.empty) ?? .internalError).markingPhotoRefused
    }
    let expected = length ?? context.request.headers.bodyLength
    try await site.checkFreeSpace(for: expected)
    try await owner.admit?(expected ?? 0)
    let client = context.clientName
    return try await files.run { [rules] in
      try rules.create(owner: owner.name, client: client, length: length, fileName: fileName)
    }
  }

  /// Returns an upload's current state. If all its bytes have arrived, waits until its photo was checked.
  func fetchUpload(_ context: some UploadRequest, _ owner: UploadOwner) async throws -> Upload {
    let token = context.uploadToken
    let upload = try await files.run { [rules] in
      try rules.fetchUpload(token, owner: owner.name)
    }
    guard upload.outcome == nil, upload.isWhole else { return upload }
    return try await waitForOutcome(upload, owner, context)
  }

  /// Adds the body, and creates the photo if its bytes are the last ones.
  ///
  /// - Parameters:
  ///   - taken: a closure that runs before any byte is read, once newer requests can interrupt this one.
  ///   - progress: a closure that is called from time to time with the number of saved bytes.
  /// - Returns: the upload after the request.
  func append(
    _ context: some UploadRequest, _ owner: UploadOwner, to token: String,
    _ addition: UploadAddition,
    taken: @Sendable () -> Void = {}, progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Upload {
    let count = context.request.headers.bodyLength
    let appending = try await retryBriefly(context, token) { [rules] in
      try rules.append(token, owner: owner.name, at: addition.offset, adding: count)
    }
    taken()
    switch appending {
    case .finished(let upload): return upload
    case .writer(let writer):
      defer { waits.wake(token) }
      do {
        if let length = addition.length {
          try await files.run { try writer.declare(length: length) }
        }
        try await site.checkFreeSpace(for: count)
        return try await receive(context, writer, owner, isLast: addition.isLast, progress)
      } catch {
        receiving.end(owner.name)
        // The bytes that have arrived stay, for the next request.
        await quietly { writer.close() }
        throw error
      }
    }
  }

  /// Ends an upload and deletes it.
  func remove(_ context: some UploadRequest, _ owner: UploadOwner) async throws {
    let token = context.uploadToken
    try await retryBriefly(context, token) { [rules] in
      try rules.remove(token, owner: owner.name)
    }
    receiving.end(owner.name)
  }

  private func receive(
    _ context: some UploadRequest, _ writer: UploadWriter, _ owner: UploadOwner, isLast: Bool,
    _ progress: (@Sendable (Int) -> Void)?
  ) async throws -> Upload {
    var pending: [UInt8] = []
    var unreported = 0
    func flush() async throws {
      let bytes = pending
      pending.removeAll(keepingCapacity: true)
      try await files.run { try bytes.withUnsafeBytes { try writer.write($0) } }
    }
    do {
      try await context.readBody(limit: rules.limits.length) { piece in
        receiving.recordArrival(owner.name)
        pending.append(contentsOf: piece.readableBytesView)
        if pending.count >= 256 << 10 { try await flush() }
        unreported += piece.readableBytes
        if let progress, unreported >= Self.progressBytes {
          try await flush()
          progress(try await files.run { try writer.sync() })
          unreported = 0
        }
      }
    } catch {
      // Writes them even if the request was canceled, because a slow client continues from here. If that fails, the
      // client sends these bytes again.
      let rest = pending
      try? await files.finish { try rest.withUnsafeBytes { try writer.write($0) } }
      throw error
    }
    if !pending.isEmpty { try await flush() }
    var safe = try await files.run { try writer.sync() }
    if isLast, !writer.upload.hasLength {
      let end = safe
      safe = try await files.run {
        try writer.declare(length: end)
        return try writer.sync()
      }
    }
    var upload = writer.upload
    upload.offset = safe
    guard isLast, upload.isWhole else {
      await quietly { writer.close() }
      return upload
    }
    upload = try await complete(writer, owner)
    receiving.end(owner.name)
    return upload
  }

  /// Runs work on the threads for files and ignores its failure.
  private func quietly(_ work: @escaping @Sendable () -> Void) async {
    try? await files.finish { work() }
  }

  /// The number of bytes between two progress reports. Each report syncs the file.
  private static let progressBytes = 4 << 20

  /// Waits until the photo of a complete upload was created or refused. The request that sent the last bytes does that,
  /// or this one if the other has ended. Work that begins here continues if it takes too long, but is canceled if the
  /// client leaves.
  ///
  /// - Throws: 503 if it takes too long, or too many requests wait.
  private func waitForOutcome(
    _ upload: Upload, _ owner: UploadOwner, _ context: some UploadRequest
  ) async throws -> Upload {
    let end = ContinuousClock.now + Self.patience
    do {
      return try await retryWhileInUse(context, for: upload.token, within: Self.patience) {
        let appending = try await files.run { [rules] in
          try rules.append(upload.token, owner: owner.name, at: upload.length, adding: 0)
        }
        switch appending {
        case .finished(let upload): return upload
        case .writer(let writer):
          let work = Task { try await complete(writing: writer, owner) }
          let result = await work.result(within: end - .now)
          if Task.isCancelled { work.cancel() }
          guard let result else { throw HTTPFailure.busy() }
          return try result.get()
        }
      }
    } catch UploadError.inUse, UploadError.cut {
      throw HTTPFailure.busy()
    }
  }

  /// The time for which `HEAD` waits for a photo.
  private static let patience = Duration.seconds(20)

  private func complete(writing writer: UploadWriter, _ owner: UploadOwner) async throws -> Upload {
    do {
      _ = try await files.run { try writer.sync() }
      return try await complete(writer, owner)
    } catch {
      await quietly { writer.close() }
      throw error
    }
  }

  /// Creates the photo from all bytes, and records the outcome. Failures that the photo didn't cause aren't recorded,
  /// so that the next request tries again.
  private func complete(_ writer: UploadWriter, _ owner: UploadOwner) async throws -> Upload {
    let outcome: UploadOutcome
    do {
      try await owner.attach(try await files.run { try writer.source() })
      outcome = .confirmed
    } catch {
      // If the client has left, the error doesn't mean that the photo was refused.
      guard !Task.isCancelled, var failure = site.failure(for: error), failure.status.code < 500,
        failure.status != .tooManyRequests
      else { throw error }
      if let describe = owner.describe, let refusal = error as? StoreError {
        failure.message = describe(refusal)
      }
      let body = failure.body(requestID: Self.anyRequest)
      outcome = .refused(status: failure.status.code, body: [UInt8](body))
    }
    return try await files.run { try writer.finish(outcome) }
  }

  /// The placeholder for the request's ID in a recorded refusal.
  fileprivate static let anyRequest = "{request-id}"

  /// Runs `attempt`, and tries again for up to ten seconds while another request uses the upload.
  private func retryBriefly<Value: Sendable>(
    _ context: some UploadRequest, _ token: String,
    _ attempt: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    do { return try await files.run(attempt) } catch UploadError.inUse {}
    return try await retryWhileInUse(context, for: token, within: .seconds(10)) {
      try await files.run(attempt)
    }
  }

  /// Tries again while the upload is in use and the client waits.
  ///
  /// - Throws: `UploadError.inUse` after the limit; 503 if too many requests wait; the errors of `attempt`.
  private func retryWhileInUse<Value: Sendable>(
    _ context: some UploadRequest, for token: String, within limit: Duration,
    _ attempt: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let wait = try waits.begin(for: token, of: context.clientName)
    defer { waits.end(wait) }
    return try await context.whileClientWaits {
      let clock = Task { try await wait.wake(for: limit) }
      defer { clock.cancel() }
      for await _ in wait.tries {
        do { return try await attempt() } catch UploadError.inUse {}
      }
      try Task.checkCancellation()
      throw UploadError.inUse
    }
  }
}

extension Response {
  /// Adds the reason why an upload's photo was refused.
  mutating func add(
    refusal upload: Upload, to context: some UploadRequest, _ owner: UploadOwner
  ) {
    guard case .refused(_, let body)? = upload.outcome else { return }
    headers[.photoState] = "refused"
    headers[.uploadError] = HTTPFailure(refused: body).code
    headers[.contentType] = "application/json; charset=utf-8"
    headers[.contentLanguage] = owner.language
    let text = String(decoding: body, as: UTF8.self)
      .replacing(UploadActs.anyRequest, with: context.id)
    self.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
  }
}
