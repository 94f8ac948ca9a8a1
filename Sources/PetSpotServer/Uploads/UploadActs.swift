import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// Who uploads, and where the photo goes once it is whole.
struct UploadOwner: Sendable {
  /// The announcement or the draft.
  let name: String
  /// The owner's language, for the reason of a refusal; nil for English.
  var words: Words?
  /// Makes room for a photo of so many bytes, before any is sent; throws when there is none.
  var admit: (@Sendable (Int) async throws -> Void)?
  /// Takes the whole photo.
  let attach: @Sendable (PhotoSource, DecoderTurns) async throws -> Void
  /// The photo that it has now; nil without one.
  let stored: @Sendable () async throws -> PhotoAttachmentMetadata?
  /// The answer to a photo that was taken.
  let confirmed: @Sendable () async throws -> Response
}

/// What a request that adds bytes to an upload says of them.
struct UploadAddition: Sendable {
  /// Where they belong.
  var offset: Int
  /// The whole file's size, where the request says it.
  var length: Int?
  /// Whether the file ends with them.
  var isLast = true
}

/// What a client does with resumable uploads, whichever protocol it speaks.
struct UploadActs: Sendable {
  let site: Site

  private var uploads: UploadRules { site.uploads }

  /// Makes an upload, once there is room for it.
  ///
  /// - Parameter length: nil while the client does not know it.
  func create(
    _ context: RequestContext, _ owner: UploadOwner, length: Int?, fileName: String?
  ) async throws -> Upload {
    guard length != 0 else { throw ErrorResponse(PhotoError.empty).statingRefusal }
    let expected = length ?? context.contentLength
    try await site.checkFreeSpace(for: expected)
    try await owner.admit?(expected ?? 0)
    let client = context.client.text
    return try await site.files.run { [uploads] in
      try uploads.create(owner: owner.name, client: client, length: length, fileName: fileName)
    }
  }

  /// An upload as it stands. When all its bytes are there, its photo is judged first.
  func look(_ context: RequestContext, _ owner: UploadOwner) async throws -> Upload {
    let token = context.parameter("token")
    let upload = try await site.files.run { [uploads] in
      try uploads.look(token, owner: owner.name)
    }
    guard upload.outcome == nil, upload.isWhole else { return upload }
    return try await judged(upload, owner, context)
  }

  /// Adds the body, and makes the photo when its bytes are the last ones.
  ///
  /// - Parameters:
  ///   - taken: is called once newer requests cut this one, before any byte is read.
  ///   - progress: is called now and then with the offset that is safe.
  /// - Returns: the upload as it stands then.
  func append(
    _ context: RequestContext, _ owner: UploadOwner, to token: String, _ addition: UploadAddition,
    taken: @Sendable () -> Void = {}, progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Upload {
    let count = context.contentLength
    let appending = try await patiently(context, token) { [uploads] in
      try uploads.append(token, owner: owner.name, at: addition.offset, adding: count)
    }
    taken()
    switch appending {
    case .finished(let upload): return upload
    case .writer(let writer):
      defer { site.waits.wake(token) }
      do {
        if let length = addition.length {
          try await site.files.run { try writer.declare(length: length) }
        }
        try await site.checkFreeSpace(for: count)
        return try await receive(context, writer, owner, isLast: addition.isLast, progress)
      } catch {
        site.receiving.end(owner.name)
        // What came stays, for the next request.
        await site.quietly { writer.close() }
        throw error
      }
    }
  }

  /// Gives an upload up.
  func remove(_ context: RequestContext, _ owner: UploadOwner) async throws {
    let token = context.parameter("token")
    try await patiently(context, token) { [uploads] in
      try uploads.remove(token, owner: owner.name)
    }
    site.receiving.end(owner.name)
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
      try await site.files.run { try bytes.withUnsafeBytes { try writer.write($0) } }
    }
    do {
      try await context.readBody(limit: site.configuration.uploadLimit) { piece in
        site.receiving.note(owner.name)
        pending.append(contentsOf: piece.readableBytesView)
        if pending.count >= 256 << 10 { try await flush() }
        unreported += piece.readableBytes
        if let progress, unreported >= Self.progressBytes {
          try await flush()
          progress(try await site.files.run { try writer.sync() })
          unreported = 0
        }
      }
    } catch {
      if !pending.isEmpty { try? await flush() }
      throw error
    }
    if !pending.isEmpty { try await flush() }
    var safe = try await site.files.run { try writer.sync() }
    if isLast, !writer.upload.hasLength {
      let end = safe
      safe = try await site.files.run {
        try writer.declare(length: end)
        return try writer.sync()
      }
    }
    var upload = writer.upload
    upload.offset = safe
    guard isLast, upload.isWhole else {
      await site.quietly { writer.close() }
      return upload
    }
    upload = try await complete(writer, owner, context.client)
    site.receiving.end(owner.name)
    return upload
  }

  /// How many bytes come between two reports of the progress, each of which syncs.
  private static let progressBytes = 4 << 20

  /// Waits until the photo of an upload whose bytes are all there is made or refused: by the request that sent
  /// them, or here if that was given up. What is made here goes on if it takes too long, and ends with its client.
  ///
  /// - Throws: 503 if it takes too long, or too many wait.
  private func judged(
    _ upload: Upload, _ owner: UploadOwner, _ context: RequestContext
  ) async throws -> Upload {
    let end = ContinuousClock.now + Self.patience
    do {
      return try await waiting(context, for: upload.token, within: Self.patience) {
        let appending = try await site.files.run { [uploads] in
          try uploads.append(upload.token, owner: owner.name, at: upload.length, adding: 0)
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

  /// How long `HEAD` waits for a photo to be judged.
  private static let patience = Duration.seconds(20)

  private func complete(
    writing writer: UploadWriter, _ owner: UploadOwner, _ client: ClientNetwork
  ) async throws -> Upload {
    do {
      _ = try await site.files.run { try writer.sync() }
      return try await complete(writer, owner, client)
    } catch {
      await site.quietly { writer.close() }
      throw error
    }
  }

  /// The photo of all bytes; its refusal is remembered, what was our fault is tried again.
  private func complete(
    _ writer: UploadWriter, _ owner: UploadOwner, _ client: ClientNetwork
  ) async throws -> Upload {
    try await site.decode(for: client) { turns in
      let outcome: UploadOutcome
      do {
        try await owner.attach(try await site.files.run { try writer.source() }, turns)
        outcome = .confirmed
      } catch {
        // A client that left has refused nothing.
        guard !Task.isCancelled, var answer = ErrorResponse(cause: error), answer.status.code < 500,
          answer.status != .tooManyRequests
        else { throw error }
        if let words = owner.words, let refusal = error as? StoreError {
          answer.message = refusal.message(in: words)
        }
        let body = try answer.body(requestID: Self.anyRequest)
        outcome = .refused(status: answer.status.code, body: body)
      }
      return try await site.files.run { try writer.finish(outcome) }
    }
  }

  /// Stands in a remembered refusal for the request that it will answer.
  fileprivate static let anyRequest = "{request-id}"

  /// Waits a while for another request that has the upload.
  private func patiently<Value: Sendable>(
    _ context: RequestContext, _ token: String, _ attempt: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    do { return try await site.files.run(attempt) } catch UploadError.inUse {}
    return try await waiting(context, for: token, within: .seconds(10)) {
      try await site.files.run(attempt)
    }
  }

  /// Tries again while an upload is in use and the client waits.
  ///
  /// - Throws: `UploadError.inUse` behind the limit, 503 if too many wait; what `attempt` throws.
  private func waiting<Value: Sendable>(
    _ context: RequestContext, for token: String, within limit: Duration,
    _ attempt: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let wait = try site.waits.begin(for: token, of: context.client)
    defer { site.waits.end(wait) }
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

extension Site {
  /// Runs work on the threads for files whose outcome changes nothing for the caller.
  func quietly(_ work: @escaping @Sendable () -> Void) async { try? await files.run { work() } }
}

extension Response {
  /// Adds why the photo of an upload was refused.
  mutating func add(refusal upload: Upload, to context: RequestContext, _ owner: UploadOwner) {
    guard case .refused(_, let body)? = upload.outcome else { return }
    headers[.photoState] = "refused"
    headers[.uploadError] = ErrorResponse(refused: body).code
    headers[.contentType] = "application/json; charset=utf-8"
    headers[.contentLanguage] = (owner.words?.language ?? .en).rawValue
    let text = String(decoding: body, as: UTF8.self)
      .replacing(UploadActs.anyRequest, with: context.id)
    self.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
  }
}
