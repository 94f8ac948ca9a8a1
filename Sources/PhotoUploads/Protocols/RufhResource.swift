import Foundation
import HTTPTypes
package import HummingbirdCore
import PhotoAttachments
import PhotoIngestion

/// The request handlers of Resumable Uploads for HTTP (`Rufh`), for the photos of announcements and drafts.
package struct RufhResource<Context: UploadRequest>: Sendable {
  let acts: UploadActs
  /// Returns the owner of a request's upload. Throws if the client may not upload.
  let owner: @Sendable (Context) async throws -> UploadOwner

  private var limits: UploadLimits { acts.rules.limits }

  /// `OPTIONS` of a URL that takes whole photos: returns the limits of uploads.
  @Sendable package func options(_ context: Context) async throws -> Response {
    var fields = offer
    fields[.allow] = "OPTIONS, POST, PUT"
    return Response(status: .noContent, headers: fields)
  }

  /// The fields of `OPTIONS` that show clients that uploads are resumable.
  var offer: HTTPFields {
    var fields: HTTPFields = [.acceptPatch: Rufh.mediaType]
    fields[.uploadLimit] = Rufh(.eight).limit(limits, expires: Date.now + limits.life)
    return fields
  }

  /// `POST`: creates an upload, sends its URL in an interim response, and adds the body to it.
  ///
  /// - Returns: `nil` if the request doesn't ask for an upload of this protocol, or has a form.
  package func create(_ context: Context) async throws -> Response? {
    guard let rufh = Rufh(context.request.headers),
      !MultipartParser.isMultipart(context.request.headers[.contentType] ?? "")
    else { return nil }
    return try await withProtocolErrors(rufh) { () -> Response? in
      let count = context.request.headers.hasBody ? context.request.headers.bodyLength : 0
      guard let creation = try rufh.creation(context.request.headers, count: count) else {
        return nil
      }
      let owner = try await owner(context)
      var upload = try await acts.create(
        context, owner, length: creation.length, fileName: creation.fileName)
      let location = context.uploadsURL + "/" + upload.token
      let created = rufh.created(upload, location: location, limits: limits, at: .now)
      // The client may query the offset as soon as it has the URL, so that query must be able to interrupt this
      // request.
      let name: @Sendable () -> Void = { context.sendInterim(Rufh.interim, created) }
      if context.request.headers.hasBody {
        let addition = UploadAddition(offset: 0, isLast: creation.isLast)
        upload = try await add(addition, to: upload.token, context, rufh, owner, taken: name)
      } else {
        name()
      }
      var answer = try await self.answer(context, rufh, owner, upload, .created)
      answer.headers[.location] = location
      return answer
    }
  }

  /// `HEAD`: returns the number of saved bytes. If that is the length, the photo is attached.
  func sendOffset(_ context: Context, _ rufh: Rufh) async throws -> Response {
    try await withProtocolErrors(rufh) {
      try rufh.checkPlain(context.request.headers)
      let upload = try await acts.fetchUpload(context, try await owner(context))
      if case .refused(_, let body)? = upload.outcome {
        var answer = HTTPFailure(refused: body)
        answer.headers = [:]
        throw answer.markingPhotoRefused
      }
      let fields = rufh.state(of: upload, limits: limits, at: .now)
      return Response(status: .noContent, headers: fields)
    }
  }

  /// `PATCH`: adds bytes, and creates the photo if they are the last ones.
  func append(_ context: Context, _ rufh: Rufh) async throws -> Response {
    try await withProtocolErrors(rufh) {
      let count = context.request.headers.hasBody ? context.request.headers.bodyLength : 0
      let addition = try rufh.addition(context.request.headers, count: count)
      let owner = try await owner(context)
      let rules = acts.rules
      let token = context.uploadToken
      if [.five, .six].contains(rufh.version) {
        // Versions 5 and 6 refuse a second completion. Versions 3 and 8 repeat the response.
        let upload = try await acts.files.run {
          try rules.fetchUpload(token, owner: owner.name)
        }
        if upload.outcome == .confirmed { throw Rufh.Refusal.completed }
      }
      do {
        let upload = try await add(addition, to: token, context, rufh, owner)
        let status: HTTPResponse.Status = rufh.version == .eight ? .noContent : .created
        return try await answer(context, rufh, owner, upload, status)
      } catch UploadError.wrongOffset(let expected) {
        var answer = HTTPFailure(.wrongOffset(expected: expected))
        answer.headers = [.uploadOffset: String(expected)]
        answer.problem = .wrongOffset(expected: expected, provided: addition.offset)
        throw answer
      }
    }
  }

  /// `DELETE`: ends the upload and deletes it.
  func remove(_ context: Context, _ rufh: Rufh) async throws -> Response {
    try await withProtocolErrors(rufh) {
      try rufh.checkPlain(context.request.headers)
      try await acts.remove(context, try await owner(context))
      return Response(status: .noContent, headers: rufh.common)
    }
  }

  // MARK: - Helpers

  private func add(
    _ addition: UploadAddition, to token: String, _ context: Context, _ rufh: Rufh,
    _ owner: UploadOwner, taken: @Sendable () -> Void = {}
  ) async throws -> Upload {
    do {
      let report: @Sendable (Int) -> Void = {
        context.sendInterim(Rufh.interim, rufh.progress($0))
      }
      let upload = try await acts.append(
        context, owner, to: token, addition, taken: taken,
        progress: rufh.version == .three ? nil : report)
      // The body was supposed to end the file, but the file is still incomplete.
      if upload.outcome == nil, addition.isLast { throw Rufh.Refusal.lengths }
      return upload
    } catch UploadError.pastLength where context.request.headers.bodyLength == nil {
      // More bytes arrived than the file has, so it's unknown which are wrong.
      let rules = acts.rules
      try? await acts.files.run { try rules.remove(token, owner: owner.name) }
      throw UploadError.pastLength
    }
  }

  /// Returns the response to a body.
  ///
  /// - Parameter status: the status if more bytes are to come.
  private func answer(
    _ context: Context, _ rufh: Rufh, _ owner: UploadOwner, _ upload: Upload,
    _ status: HTTPResponse.Status
  ) async throws -> Response {
    var response: Response
    switch upload.outcome {
    case nil:
      let fields = rufh.state(of: upload, limits: limits, at: .now)
      return Response(status: status, headers: fields)
    case .confirmed: response = try await owner.confirmed()
    case .refused(let status, _):
      response = Response(status: .init(code: status))
      response.add(refusal: upload, to: context, owner)
    }
    for field in rufh.final(of: upload) { response.headers[field.name] = field.value }
    return response
  }

  /// Runs a request's work, and turns its errors into responses of the protocol.
  private func withProtocolErrors<Value>(
    _ rufh: Rufh, _ work: () async throws -> Value
  ) async throws -> Value {
    do { return try await work() } catch {
      var answer: HTTPFailure
      switch error {
      case is CancellationError: throw error
      case let refusal as Rufh.Refusal: answer = HTTPFailure(refusal)
      case UploadError.pastLength, UploadError.otherLength:
        answer = HTTPFailure(Rufh.Refusal.lengths)
      case UploadError.inUse: answer = .busy(retryAfter: 1)
      case let failure as UploadError:
        answer = HTTPFailure(failure)
        answer.origin = failure
        answer.headers = answer.headers[.retryAfter].map { [.retryAfter: $0] } ?? [:]
      default:
        guard let known = acts.site.failure(for: error), known.status != .internalServerError else {
          throw error
        }
        answer = known
      }
      for field in rufh.failed() { answer.headers[field.name] = field.value }
      if answer.status == .contentTooLarge {
        answer = answer.markingPhotoRefused
        answer.headers[.uploadLimit] = rufh.limit(limits)
      }
      throw answer
    }
  }
}
