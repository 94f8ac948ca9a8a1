import Foundation
import Glibc
import HTTPTypes
import HummingbirdCore
import PhotoAttachments

/// The responses of the protocol. They have no body, except those that `ErrorResponse` creates.
extension Tus {
  /// Returns the response to `OPTIONS`, with the supported version and extensions.
  ///
  /// - Parameter limit: the size limit of a file in bytes.
  static func options(limit: Int) -> Response {
    var fields = common
    fields[.tusVersion] = version
    fields[.tusExtension] = extensions
    fields[.tusMaxSize] = String(limit)
    return Response(status: .noContent, headers: fields)
  }

  /// Returns the response to a `POST` that created an upload. A client that sent bytes with the request can see from
  /// the offset that they were ignored.
  ///
  /// - Parameter location: the upload's URL.
  static func created(_ upload: Upload, location: String) -> Response {
    var response = progress(of: upload, status: .created)
    response.headers[.location] = location
    return response
  }

  /// Returns the response to `HEAD`.
  static func state(of upload: Upload) -> Response {
    var response = progress(of: upload, status: .ok)
    response.headers[.uploadLength] = String(upload.length)
    if let name = upload.fileName {
      let value = Data(name.utf8).base64EncodedString()
      response.headers[.uploadMetadata] = value.isEmpty ? "filename" : "filename " + value
    }
    return response
  }

  /// Returns the response to a `PATCH`. It is 204 if the bytes were saved and, after the last ones, the photo is
  /// confirmed. If the photo was refused, it has the status of the refusal, and the caller adds the body.
  ///
  /// - Parameter upload: the upload after the request.
  static func progress(
    of upload: Upload, status: HTTPResponse.Status = .noContent
  ) -> Response {
    var fields = common
    fields[.uploadOffset] = String(upload.offset)
    // A finished upload doesn't expire.
    if upload.outcome == nil {
      let seconds = upload.expires.timeIntervalSince1970.rounded(.down)
      fields[.uploadExpires] = HTTPDate.text(of: time_t(seconds))
    }
    return Response(status: status, headers: fields)
  }

  /// The response to `DELETE`.
  static var removed: Response { Response(status: .noContent, headers: common) }

  /// The fields of every response.
  static let common: HTTPFields = [.tusResumable: version, .cacheControl: "no-store"]
}
