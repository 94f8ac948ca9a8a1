import Foundation
import Glibc
import HTTPTypes
package import PhotoAttachments
import PhotoIngestion

extension HTTPFailure {
  /// Creates the response to an error of this module. Returns `nil` for other errors.
  package init?(uploading error: any Error) {
    switch error {
    case let error as HTTPFailure: self = error
    case let error as MultipartError:
      self.init(400, "INVALID_MULTIPART", "The body isn't a complete form: \(error.problem).")
    case let error as Tus.Refusal: self.init(error)
    case let error as UploadError: self.init(error)
    default: return nil
    }
  }

  /// Creates the response to a malformed tus request.
  init(_ refusal: Tus.Refusal) {
    switch refusal {
    case .version:
      self.init(
        412, "PRECONDITION_FAILED", "Tus-Resumable has to be \(Tus.version).",
        field: "Tus-Resumable", headers: Tus.common)
      headers[.tusVersion] = Tus.version
    case .mediaType:
      self.init(
        415, "UNSUPPORTED_MEDIA_TYPE", "Send the bytes as \(Tus.mediaType).", headers: Tus.common)
    case .field(let name):
      self.init(
        400, "INVALID_PARAMETER", "\(name) is malformed.", field: name, headers: Tus.common)
    }
  }

  /// Creates the response to `HEAD` for an upload whose photo was rejected.
  ///
  /// - Parameter body: the body of the original error response.
  init(refused body: [UInt8]) {
    struct Refusal: Decodable {
      struct Reason: Decodable { let code, message: String }
      let error: Reason
    }
    let reason = try? JSONDecoder().decode(Refusal.self, from: Data(body)).error
    self.init(
      410, reason?.code ?? "INVALID_PHOTO",
      reason?.message ?? "The photo was refused. Start a new upload.", headers: Tus.common)
    self = markingPhotoRefused
  }

  /// Creates the response to an upload request that failed, with tus headers. A client that doesn't name a protocol
  /// uses tus.
  ///
  /// The status for an upload in use is 423, because the stock client tus-js-client then retries `HEAD`. After any
  /// other error, it starts a new upload.
  package init(_ error: UploadError) {
    switch error {
    case .notFound: self = .notFound
    case .expired: self.init(410, "EXPIRED", "The upload has expired. Start a new one.")
    case .tooLarge(let limit, let actual):
      self.init(
        413, "PAYLOAD_TOO_LARGE", "The photo is too large. The limit is \(limit) bytes.")
      facts = ["reason": .text("too-large"), "limit": .number(limit), "actual": .number(actual)]
      self = markingPhotoRefused
    case .pastLength:
      self.init(
        413, "PAYLOAD_TOO_LARGE", "There are more bytes than Upload-Length announced.")
    case .otherLength(let expected):
      self.init(
        400, "INVALID_PARAMETER",
        "This upload has \(expected) bytes by an earlier request. Send that many, or start a new upload."
      )
    case .wrongOffset(let expected):
      self.init(
        409, "CONFLICT", "The upload continues at byte \(expected). Send the bytes from there.",
        headers: [.uploadOffset: String(expected)])
    case .cut: self.init(409, "CONFLICT", "A newer request for this upload took over.")
    case .inUse:
      self.init(
        423, "LOCKED", "This upload's photo is still being processed. Try again in a moment.",
        headers: [.retryAfter: "1"])
    case .tooManyOpen(let seconds):
      self.init(
        429, "TOO_MANY_REQUESTS",
        "Your network has too many uploads open. Finish one, or wait until one has been idle for ten minutes.",
        headers: [.retryAfter: String(max(seconds, 1))])
    case .busy:
      self.init(
        503, "UNAVAILABLE", "Too many uploads are open on this server. Try again later.",
        headers: [.retryAfter: "60"])
    case .storageFull: self = .storageFull
    case .failed where error.isShortage: self = .busy(retryAfter: 1)
    case .failed: self = .internalError
    }
    for field in Tus.common { headers[field.name] = field.value }
  }
}

extension UploadError {
  /// `true` if the process had too many open files or too little memory.
  fileprivate var isShortage: Bool {
    if case .failed(_, let code) = self { [EMFILE, ENFILE, ENOMEM].contains(code) } else { false }
  }
}

extension HTTPFailure {
  /// Creates the response to a malformed request of Resumable Uploads for HTTP.
  init(_ refusal: Rufh.Refusal) {
    switch refusal {
    case .field(let name):
      self.init(
        400, "INVALID_PARAMETER", "\(name) is missing, malformed, or has no place here.",
        field: name)
    case .mediaType:
      self.init(
        415, "UNSUPPORTED_MEDIA_TYPE", "Send the bytes as \(Rufh.mediaType).",
        headers: [.acceptPatch: Rufh.mediaType])
    case .lengths:
      self.init(
        400, "INVALID_PARAMETER",
        "The photo's size isn't the one that was announced. Send as many bytes as Upload-Length says, or "
          + "start a new upload.", field: "Upload-Length")
      problem = Problem("inconsistent-upload-length", "inconsistent length values for upload")
    case .completed:
      self.init(
        400, "BAD_REQUEST",
        "This upload is complete and its photo is stored. To replace the photo, start a new upload."
      )
      problem = Problem("completed-upload", "upload is already completed")
    }
  }
}

extension HTTPFailure.Problem {
  /// Creates a problem type of IANA's registry of HTTP problem types.
  init(_ name: String, _ title: String) {
    self.init(type: "https://iana.org/assignments/http-problem-types#" + name, title: title)
  }

  /// Returns the problem of bytes that don't start at the upload's current offset.
  static func wrongOffset(expected: Int, provided: Int) -> Self {
    var problem = Self(
      "mismatching-upload-offset", "offset from request does not match offset of resource")
    problem.members = ["expected-offset": expected, "provided-offset": provided]
    return problem
  }
}
