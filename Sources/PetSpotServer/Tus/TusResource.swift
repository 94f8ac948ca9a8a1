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
  let attach: @Sendable (PhotoSource, @escaping PhotoAttachmentCache.LargeTurn) async throws -> Void
}

/// Resumable uploads by tus 1.0.0, of an announcement or of a draft.
struct TusResource: Sendable {
  let site: Site
  /// Returns the client; throws when it may not.
  let owner: @Sendable (RequestContext) async throws -> UploadOwner

  private var store: any UploadStorage { site.resumable }

  /// The request with the method that it means: at the addresses of uploads, `X-HTTP-Method-Override`
  /// takes the place of the one that was sent. Elsewhere it counts for nothing.
  static func meant(by request: Request, at path: [String]) throws -> Request {
    guard path.suffix(2).contains("uploads") else { return request }
    let fields = request.headers.map { Tus.Field($0.name.canonicalName, $0.value) }
    let name = try Tus.method(request.method.rawValue, fields)
    guard let method = HTTPRequest.Method(name) else {
      throw Tus.Refusal.field("X-HTTP-Method-Override")
    }
    var head = request.head
    head.method = method
    return Request(head: head, body: request.body)
  }

  /// `OPTIONS`: what is spoken here.
  @Sendable func options(_ context: RequestContext) async throws -> Response {
    Response(Tus.options(limit: site.configuration.uploadLimit))
  }

  /// `POST`: makes an upload.
  @Sendable func create(_ context: RequestContext) async throws -> Response {
    let creation = try Tus.creation(context.fields)
    let owner = try await owner(context)
    guard creation.length > 0 else { throw PhotoError.empty }
    try await site.checkFreeSpace(for: creation.length)
    try await owner.admit?(creation.length)
    let (store, client) = (store, context.client.text)
    let upload = try await site.files.run {
      try store.create(
        owner: owner.name, client: client, length: creation.length, fileName: creation.fileName)
    }
    let path = context.request.uri.path
    return Response(Tus.created(upload, location: context.base + path + "/" + upload.token))
  }

  /// `HEAD`: how much is safe. A whole offset means that the photo is attached.
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    try Tus.checkVersion(context.fields)
    let owner = try await owner(context)
    let (store, token) = (store, context.parameter("token"))
    var upload = try await site.files.run { try store.look(token, owner: owner.name) }
    if upload.outcome == nil, upload.offset == upload.length {
      upload = try await judged(token, owner, upload.length, context.client)
    }
    if case .refused(_, let body)? = upload.outcome { throw ErrorResponse(refused: body) }
    return Response(Tus.state(of: upload))
  }

  /// `PATCH`: adds bytes, and makes the photo when they are the last ones.
  @Sendable func append(_ context: RequestContext) async throws -> Response {
    let offset = try Tus.offset(context.fields)
    let owner = try await owner(context)
    let (store, token, count) = (store, context.parameter("token"), context.contentLength)
    let appending = try await patiently {
      try store.append(token, owner: owner.name, at: offset, adding: count)
    }
    switch appending {
    case .finished(let upload, let outcome): return Response(upload, outcome, context.id, owner)
    case .writer(let writer):
      do {
        try await site.checkFreeSpace(for: count)
        return try await receive(context, writer, owner)
      } catch {
        site.receiving.end(owner.name)
        // What came stays, for the next request.
        await site.quietly { writer.close() }
        throw error
      }
    }
  }

  /// `DELETE`: gives the upload up.
  @Sendable func remove(_ context: RequestContext) async throws -> Response {
    try Tus.checkVersion(context.fields)
    let owner = try await owner(context)
    let (store, token) = (store, context.parameter("token"))
    try await patiently { try store.remove(token, owner: owner.name) }
    site.receiving.end(owner.name)
    return Response(Tus.removed)
  }

  private func receive(
    _ context: RequestContext, _ writer: any UploadWriting, _ owner: UploadOwner
  ) async throws -> Response {
    var pending: [UInt8] = []
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
      }
    } catch {
      if !pending.isEmpty { try? await flush() }
      throw error
    }
    if !pending.isEmpty { try await flush() }
    let safe = try await site.files.run { try writer.sync() }
    guard safe == writer.upload.length else {
      var upload = writer.upload
      upload.offset = safe
      await site.quietly { writer.close() }
      return Response(Tus.appended(upload))
    }
    let (upload, outcome) = try await complete(writer, owner, context.client)
    site.receiving.end(owner.name)
    return Response(upload, outcome, context.id, owner)
  }

  /// Waits until the photo of an upload whose bytes are all there is made or refused.
  ///
  /// - Throws: 503 when that takes too long; it goes on all the same.
  private func judged(
    _ token: String, _ owner: UploadOwner, _ length: Int, _ client: ClientNetwork
  ) async throws -> Upload {
    let work = Task { try await complete(token, owner, length, client) }
    let (results, first) = AsyncStream<Result<Upload, any Error>>.makeStream()
    Task { first.yield(await work.result) }
    let clock = Task {
      try await Task.sleep(for: Self.patience)
      first.finish()
    }
    defer { clock.cancel() }
    for await result in results {
      do { return try result.get() } catch UploadError.inUse, UploadError.cut { break }
    }
    throw ErrorResponse.busy()
  }

  /// How long `HEAD` waits for a photo to be judged.
  private static let patience = Duration.seconds(20)

  /// Makes the photo of an upload whose bytes are all there, unless another request does.
  private func complete(
    _ token: String, _ owner: UploadOwner, _ length: Int, _ client: ClientNetwork
  ) async throws -> Upload {
    let store = store
    let appending = try await patiently(for: Self.patience) {
      try store.append(token, owner: owner.name, at: length, adding: 0)
    }
    switch appending {
    case .finished(let upload, _): return upload
    case .writer(let writer): return try await complete(writing: writer, owner, client)
    }
  }

  private func complete(
    writing writer: any UploadWriting, _ owner: UploadOwner, _ client: ClientNetwork
  ) async throws -> Upload {
    do {
      _ = try await site.files.run { try writer.sync() }
      return try await complete(writer, owner, client).0
    } catch {
      await site.quietly { writer.close() }
      throw error
    }
  }

  /// The photo of all bytes; its refusal is remembered, what was our fault is tried again.
  private func complete(
    _ writer: any UploadWriting, _ owner: UploadOwner, _ client: ClientNetwork
  ) async throws -> (Upload, UploadOutcome) {
    try await site.decode(for: client) { turn in
      let outcome: UploadOutcome
      do {
        try await owner.attach(try await site.files.run { try writer.source() }, turn)
        outcome = .confirmed
      } catch {
        guard var answer = ErrorResponse(cause: error), answer.status.code < 500,
          answer.status != .tooManyRequests
        else { throw error }
        if let words = owner.words, let refusal = error as? StoreError {
          answer.message = refusal.message(in: words)
        }
        let body = try answer.body(requestID: Self.anyRequest)
        outcome = .refused(status: answer.status.code, body: body)
      }
      let upload = try await site.files.run { try writer.finish(outcome) }
      return (upload, outcome)
    }
  }

  /// Stands in a remembered refusal for the request that it will answer.
  fileprivate static let anyRequest = "{request-id}"

  /// Waits a while for a photo that is being made of the same upload.
  private func patiently<Value: Sendable>(
    for timeout: Duration = .seconds(10), _ attempt: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await UploadStore.patiently(for: timeout) { try await site.files.run(attempt) }
  }
}

extension Site {
  /// Runs work on the threads for files whose outcome changes nothing for the caller.
  func quietly(_ work: @escaping @Sendable () -> Void) async { try? await files.run { work() } }
}

extension RequestContext {
  /// All headers, as tus reads them.
  var fields: [Tus.Field] {
    request.headers.map { Tus.Field($0.name.canonicalName, $0.value) }
  }
}

extension Response {
  /// An answer of the protocol.
  init(_ answer: Tus.Answer) {
    self.init(status: .init(code: answer.status), headers: HTTPFields(tus: answer.fields))
  }

  /// An answer to an upload that is finished.
  ///
  /// - Parameter id: names the request.
  init(_ upload: Upload, _ outcome: UploadOutcome, _ id: String, _ owner: UploadOwner) {
    switch outcome {
    case .confirmed: self.init(Tus.appended(upload))
    case .refused(let status, let body):
      self.init(Tus.refused(upload, status: status))
      headers[.contentType] = "application/json; charset=utf-8"
      headers[.contentLanguage] = (owner.words?.language ?? .en).rawValue
      let text = String(decoding: body, as: UTF8.self).replacing(TusResource.anyRequest, with: id)
      self.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
    }
  }
}

extension HTTPFields {
  /// The fields of an answer of the protocol.
  init(tus fields: [Tus.Field]) {
    self.init()
    for field in fields {
      if let name = HTTPField.Name(field.name) { self[name] = field.value }
    }
  }
}
