import Foundation
import Glibc
import HTTPTypes
import PhotoAttachments

extension Tus {
  /// Status and fields of an answer. Those of an error get their body elsewhere; all others have none.
  struct Answer: Sendable, Equatable {
    /// The HTTP status.
    var status: Int
    /// What belongs to the protocol; the rest is added elsewhere.
    var fields: HTTPFields
  }

  /// To `OPTIONS`: what is spoken here.
  ///
  /// - Parameter limit: bytes that a file may have.
  static func options(limit: Int) -> Answer {
    var fields = common
    fields[.tusVersion] = version
    fields[.tusExtension] = extensions
    fields[.tusMaxSize] = String(limit)
    return Answer(status: 204, fields: fields)
  }

  /// To a `POST` that made an upload. The offset shows clients that sent bytes along that none were
  /// taken.
  ///
  /// - Parameter location: the upload's address.
  static func created(_ upload: Upload, location: String) -> Answer {
    var fields = common
    fields[.location] = location
    add(progressOf: upload, to: &fields)
    return Answer(status: 201, fields: fields)
  }

  /// To `HEAD`.
  static func state(of upload: Upload) -> Answer {
    var fields = appended(upload).fields
    fields[.uploadLength] = String(upload.length)
    if let name = upload.fileName {
      let value = Data(name.utf8).base64EncodedString()
      fields[.uploadMetadata] = value.isEmpty ? "filename" : "filename " + value
    }
    return Answer(status: 200, fields: fields)
  }

  /// To a `PATCH` whose bytes are safe, and to the last one when the photo is confirmed.
  ///
  /// - Parameter upload: as it stands after it.
  static func appended(_ upload: Upload) -> Answer { refused(upload, status: 204) }

  /// To `DELETE`.
  static let removed = Answer(status: 204, fields: common)

  /// To the last `PATCH`, when the photo was refused; the body stands beside it.
  static func refused(_ upload: Upload, status: Int) -> Answer {
    var fields = common
    add(progressOf: upload, to: &fields)
    return Answer(status: status, fields: fields)
  }

  /// To `HEAD` of an upload whose photo was refused.
  static func refusedBefore(code: String) -> Answer {
    var fields = common
    fields[.photoState] = "refused"
    fields[.uploadError] = code
    return Answer(status: 410, fields: fields)
  }

  /// To a request that is not understood.
  static func answer(to refusal: Refusal) -> Answer {
    switch refusal {
    case .version:
      var fields = common
      fields[.tusVersion] = version
      return Answer(status: 412, fields: fields)
    case .mediaType: return Answer(status: 415, fields: common)
    case .field: return Answer(status: 400, fields: common)
    }
  }

  /// To a request that failed.
  ///
  /// An upload in use is 423: the stock client tus-js-client begins a new upload after any other
  /// failed `HEAD`, and tries again after this one.
  static func answer(to error: UploadError) -> Answer {
    var fields = common
    let status: Int
    switch error {
    case .notFound: status = 404
    case .expired: status = 410
    case .tooLarge, .pastLength: status = 413
    case .wrongOffset(let expected):
      status = 409
      fields[.uploadOffset] = String(expected)
    case .cut: status = 409
    case .otherLength: status = 400
    case .inUse:
      status = 423
      fields[.retryAfter] = "1"
    case .tooManyOpen(let seconds):
      status = 429
      fields[.retryAfter] = String(max(seconds, 1))
    case .busy:
      status = 503
      fields[.retryAfter] = "60"
    case .storageFull: status = 507
    case .failed(_, let code) where [EMFILE, ENFILE, ENOMEM].contains(code):
      status = 503
      fields[.retryAfter] = "1"
    case .failed: status = 500
    }
    return Answer(status: status, fields: fields)
  }

  /// What every answer has.
  private static let common: HTTPFields = [.tusResumable: version, .cacheControl: "no-store"]

  private static func add(progressOf upload: Upload, to fields: inout HTTPFields) {
    fields[.uploadOffset] = String(upload.offset)
    // What is finished expires no more.
    guard upload.outcome == nil else { return }
    let seconds = upload.expires.timeIntervalSince1970.rounded(.down)
    fields[.uploadExpires] = DateHeader.text(of: time_t(seconds))
  }
}
