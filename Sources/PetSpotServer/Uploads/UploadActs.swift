import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The owner of a resumable upload and the destination of its photo.
struct UploadOwner: Sendable {
  /// The name of the announcement or draft.
  let name: String
  /// The owner's language, for the reason of a refusal. `nil` for English.
  var words: Words?
  /// Makes room for a photo of a number of bytes before any are sent. Throws if there is no room.
  var admit: (@Sendable (Int) async throws -> Void)?
  /// Attaches the whole photo.
  let attach: @Sendable (PhotoSource, DecoderTurns) async throws -> Void
  /// Returns the photo that is attached now, if any.
  let stored: @Sendable () async throws -> PhotoAttachmentMetadata?
  /// Returns the response to an attached photo.
  let confirmed: @Sendable () async throws -> Response
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
struct UploadActs: Sendable {
  let stores: Stores
  let gates: Gates
  let limits: Limits
  let rules: UploadRules
  /// Uploads whose bytes are arriving.
  let receiving = ReceivingUploads()
  let waits: UploadWaits

  /// Creates an upload if there is room for it.
  ///
  /// - Parameter length: the size of the file. `nil` if the client doesn't know it yet.
  func create(
    _ context: RequestContext, _ owner: UploadOwner, length: Int?, fileName: String?
  ) async throws -> Upload {
    guard length != 0 else { throw ErrorResponse(PhotoError.empty).markingPhotoRefused }
    let expected = length ?? context.contentLength
    try await limits.checkFreeSpace(for: expected)
    try await owner.admit?(expected ?? 0)
    let client = context.client.text
    return try await stores.files.run { [rules] in
      try rules.create(owner: owner.name, client: client, length: length, fileName: fileName)
    }
  }

  /// Returns an upload's current state. If all its bytes have arrived, waits until its photo was checked.
  func fetchUpload(_ context: RequestContext, _ owner: UploadOwner) async throws -> Upload {
    let token = context.parameter("token")
    let upload = try await stores.files.run { [rules] in
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
    _ context: RequestContext, _ owner: UploadOwner, to token: String, _ addition: UploadAddition,
    taken: @Sendable () -> Void = {}, progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Upload {
    let count = context.contentLength
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
          try await stores.files.run { try writer.declare(length: length) }
        }
        try await limits.checkFreeSpace(for: count)
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
  func remove(_ context: RequestContext, _ owner: UploadOwner) async throws {
    let token = context.parameter("token")
    try await retryBriefly(context, token) { [rules] in
      try rules.remove(token, owner: owner.name)
    }
    receiving.end(owner.name)
  }

  private func receive(
    _ context: RequestContext, _ writer: UploadWriter, _ owner: UploadOwner, isLast: Bool,
    _ progress: (@Sendable (Int) -> Void)?
  ) async throws -> Upload {
    var pending: [UInt8] = []
    var unreported = 0
    func flush() async throws {
      let bytes = pending
      pending.removeAll(keepingCapacity: true)
      try await stores.files.run { try bytes.withUnsafeBytes { try writer.write($0) } }
    }
    do {
      try await context.readBody(limit: limits.photoBytes) { piece in
        receiving.recordArrival(owner.name)
        pending.append(contentsOf: piece.readableBytesView)
        if pending.count >= 256 << 10 { try await flush() }
        unreported += piece.readableBytes
        if let progress, unreported >= Self.progressBytes {
          try await flush()
          progress(try await stores.files.run { try writer.sync() })
          unreported = 0
        }
      }
    } catch {
      if !pending.isEmpty { try? await flush() }
      throw error
    }
    if !pending.isEmpty { try await flush() }
    var safe = try await stores.files.run { try writer.sync() }
    if isLast, !writer.upload.hasLength {
      let end = safe
      safe = try await stores.files.run {
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
    upload = try await complete(writer, owner, context.client)
    receiving.end(owner.name)
    return upload
  }

  /// Runs work on the threads for files and ignores its failure.
  private func quietly(_ work: @escaping @Sendable () -> Void) async {
    try? await stores.files.run { work() }
  }

  /// The number of bytes between two progress reports. Each report syncs the file.
  private static let progressBytes = 4 << 20

  /// Waits until the photo of a complete upload was created or refused. The request that sent the last bytes does that,
  /// or this one if the other has ended. Work that begins here continues if it takes too long, but is canceled if the
  /// client leaves.
  ///
  /// - Throws: 503 if it takes too long, or too many requests wait.
  private func waitForOutcome(
    _ upload: Upload, _ owner: UploadOwner, _ context: RequestContext
  ) async throws -> Upload {
    let end = ContinuousClock.now + Self.patience
    do {
      return try await retryWhileInUse(context, for: upload.token, within: Self.patience) {
        let appending = try await stores.files.run { [rules] in
          try rules.append(upload.token, owner: owner.name, at: upload.length, adding: 0)
        }
        switch appending {
        case .finished(let upload): return upload
        case .writer(let writer):
          let work = Task { try await complete(writing: writer, owner, context.client) }
          let result = await work.result(within: end - .now)
          if Task.isCancelled { work.cancel() }
          guard let result else { throw ErrorResponse.busy() }
          return try result.get()
        }
      }
    } catch UploadError.inUse, UploadError.cut {
      throw ErrorResponse.busy()
    }
  }

  /// The time for which `HEAD` waits for a photo.
  private static let patience = Duration.seconds(20)

  private func complete(
    writing writer: UploadWriter, _ owner: UploadOwner, _ client: ClientNetwork
  ) async throws -> Upload {
    do {
      _ = try await stores.files.run { try writer.sync() }
      return try await complete(writer, owner, client)
    } catch {
      await quietly { writer.close() }
      throw error
    }
  }

  /// Creates the photo from all bytes, and records the outcome. Failures that the photo didn't cause aren't recorded,
  /// so that the next request tries again.
  private func complete(
    _ writer: UploadWriter, _ owner: UploadOwner, _ client: ClientNetwork
  ) async throws -> Upload {
    try await gates.decode(for: client) { turns in
      let outcome: UploadOutcome
      do {
        try await owner.attach(try await stores.files.run { try writer.source() }, turns)
        outcome = .confirmed
      } catch {
        // If the client has left, the error doesn't mean that the photo was refused.
        guard !Task.isCancelled, var answer = ErrorResponse(cause: error), answer.status.code < 500,
          answer.status != .tooManyRequests
        else { throw error }
        if let words = owner.words, let refusal = error as? StoreError {
          answer.message = refusal.message(in: words)
        }
        let body = answer.body(requestID: Self.anyRequest)
        outcome = .refused(status: answer.status.code, body: body)
      }
      return try await stores.files.run { try writer.finish(outcome) }
    }
  }

  /// The placeholder for the request's ID in a recorded refusal.
  fileprivate static let anyRequest = "{request-id}"

  /// Runs `attempt`, and tries again for up to ten seconds while another request uses the upload.
  private func retryBriefly<Value: Sendable>(
    _ context: RequestContext, _ token: String, _ attempt: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    do { return try await stores.files.run(attempt) } catch UploadError.inUse {}
    return try await retryWhileInUse(context, for: token, within: .seconds(10)) {
      try await stores.files.run(attempt)
    }
  }

  /// Tries again while the upload is in use and the client waits.
  ///
  /// - Throws: `UploadError.inUse` after the limit; 503 if too many requests wait; the errors of `attempt`.
  private func retryWhileInUse<Value: Sendable>(
    _ context: RequestContext, for token: String, within limit: Duration,
    _ attempt: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let wait = try waits.begin(for: token, of: context.client)
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
  mutating func add(refusal upload: Upload, to context: RequestContext, _ owner: UploadOwner) {
    guard case .refused(_, let body)? = upload.outcome else { return }
    headers[.photoState] = "refused"
    headers[.uploadError] = ErrorResponse(refused: body).cause.code
    headers[.contentType] = "application/json; charset=utf-8"
    headers[.contentLanguage] = (owner.words?.language ?? .en).rawValue
    let text = String(decoding: body, as: UTF8.self)
      .replacing(UploadActs.anyRequest, with: context.id)
    self.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
  }
}
