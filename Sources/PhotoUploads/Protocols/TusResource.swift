import Foundation
import HTTPTypes
package import HummingbirdCore
import NIOCore
import PhotoAttachments

/// The request handlers of the upload protocol tus 1.0.0 (`Tus`), for the photos of announcements and drafts.
struct TusResource<Context: UploadRequest>: Sendable {
  let acts: UploadActs
  /// Returns the owner of a request's upload. Throws if the client may not upload.
  let owner: @Sendable (Context) async throws -> UploadOwner

  /// `POST`: creates an upload.
  func create(_ context: Context) async throws -> Response {
    let creation = try Tus.creation(context.request.headers)
    let upload = try await acts.create(
      context, try await owner(context), length: creation.length, fileName: creation.fileName)
    return Tus.created(upload, location: context.uploadsURL + "/" + upload.token)
  }

  /// `HEAD`: returns the number of saved bytes. If that is the length, the photo is attached.
  func sendOffset(_ context: Context) async throws -> Response {
    try Tus.checkVersion(context.request.headers)
    let upload = try await acts.fetchUpload(context, try await owner(context))
    if case .refused(_, let body)? = upload.outcome { throw HTTPFailure(refused: body) }
    return Tus.state(of: upload)
  }

  /// `PATCH`: adds bytes, and creates the photo if they are the last ones.
  func append(_ context: Context) async throws -> Response {
    let offset = try Tus.offset(context.request.headers)
    let owner = try await owner(context)
    let upload = try await acts.append(
      context, owner, to: context.uploadToken, UploadAddition(offset: offset))
    guard case .refused(let status, _)? = upload.outcome else {
      var response = Tus.progress(of: upload)
      if upload.outcome != nil, let photo = try await owner.stored() { response.state(photo) }
      return response
    }
    var response = Tus.progress(of: upload, status: .init(code: status))
    response.add(refusal: upload, to: context, owner)
    return response
  }

  /// `DELETE`: ends the upload and deletes it.
  func remove(_ context: Context) async throws -> Response {
    try Tus.checkVersion(context.request.headers)
    try await acts.remove(context, try await owner(context))
    return Tus.removed
  }
}

extension Tus {
  /// Returns a request for an upload with the method that it means, because `X-HTTP-Method-Override` replaces the actual
  /// one.
  package static func meant(by request: Request) throws -> Request {
    let name = try Self.method(request.method.rawValue, request.headers)
    guard let method = HTTPRequest.Method(name) else {
      throw Refusal.field("X-HTTP-Method-Override")
    }
    var head = request.head
    head.method = method
    return Request(head: head, body: request.body)
  }
}
