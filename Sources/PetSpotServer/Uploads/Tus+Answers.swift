import Foundation
import Glibc
import HTTPTypes
import HummingbirdCore
import PhotoAttachments

/// Answers that belong to the protocol; `ErrorResponse` makes those of errors, all others have no body.
extension Tus {
  /// To `OPTIONS`: what is spoken here.
  ///
  /// - Parameter limit: bytes that a file may have.
  static func options(limit: Int) -> Response {
    var fields = common
    fields[.tusVersion] = version
    fields[.tusExtension] = extensions
    fields[.tusMaxSize] = String(limit)
    return Response(status: .noContent, headers: fields)
  }

  /// To a `POST` that made an upload. The offset shows clients that sent bytes along that none were
  /// taken.
  ///
  /// - Parameter location: the upload's address.
  static func created(_ upload: Upload, location: String) -> Response {
    var response = progress(of: upload, status: .created)
    response.headers[.location] = location
    return response
  }

  /// To `HEAD`.
  static func state(of upload: Upload) -> Response {
    var response = progress(of: upload, status: .ok)
    response.headers[.uploadLength] = String(upload.length)
    if let name = upload.fileName {
      let value = Data(name.utf8).base64EncodedString()
      response.headers[.uploadMetadata] = value.isEmpty ? "filename" : "filename " + value
    }
    return response
  }

  /// To a `PATCH`: 204 when its bytes are safe, and to the last one when the photo is confirmed; the status of the
  /// refusal, whose body stands beside it, when the photo was refused.
  ///
  /// - Parameter upload: as it stands after it.
  static func progress(
    of upload: Upload, status: HTTPResponse.Status = .noContent
  ) -> Response {
    var fields = common
    fields[.uploadOffset] = String(upload.offset)
    // What is finished expires no more.
    if upload.outcome == nil {
      let seconds = upload.expires.timeIntervalSince1970.rounded(.down)
      fields[.uploadExpires] = DateHeader.text(of: time_t(seconds))
    }
    return Response(status: status, headers: fields)
  }

  /// To `DELETE`.
  static var removed: Response { Response(status: .noContent, headers: common) }

  /// What every answer has.
  static let common: HTTPFields = [.tusResumable: version, .cacheControl: "no-store"]
}
