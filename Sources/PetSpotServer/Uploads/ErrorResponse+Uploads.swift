import Foundation
import Glibc
import HTTPTypes
import PhotoAttachments
import PhotoIngestion

extension Tus.Refusal: ErrorResponseConvertible {
  var response: ErrorResponse { ErrorResponse(self) }
}

extension UploadError: ErrorResponseConvertible {
  var response: ErrorResponse { ErrorResponse(self) }
}

extension ErrorResponse {
  /// Creates the response to a malformed tus request.
  init(_ refusal: Tus.Refusal) {
    switch refusal {
    case .version:
      self.init(
        .preconditionFailed, "Tus-Resumable has to be \(Tus.version).",
        field: "Tus-Resumable", headers: Tus.common)
      headers[.tusVersion] = Tus.version
    case .mediaType:
      self.init(
        .unsupportedMediaType, "Send the bytes as \(Tus.mediaType).",
        headers: Tus.common)
    case .field(let name):
      self.init(
        .invalidParameter, "\(name) is malformed.", field: name,
        headers: Tus.common)
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
      ErrorCause(410, reason?.code ?? "INVALID_PHOTO"),
      reason?.message ?? "The photo was refused. Start a new upload.", headers: Tus.common)
    self = markingPhotoRefused
  }

  /// Creates the response to an upload request that failed, with tus headers. A client that doesn't name a protocol
  /// uses tus.
  ///
  /// The status for an upload in use is 423, because the stock client tus-js-client then retries `HEAD`. After any
  /// other error, it starts a new upload.
  init(_ error: UploadError) {
    let (cause, message): (ErrorCause, String) =
      switch error {
      case .notFound: (.notFound, Self.notFound.message)
      case .expired: (.expired, "The upload has expired. Start a new one.")
      case .tooLarge(let limit, _):
        (.tooLarge, "The photo is too large. The limit is \(limit) bytes.")
      case .pastLength: (.tooLarge, "There are more bytes than Upload-Length announced.")
      case .otherLength(let expected):
        (
          .invalidParameter,
          "This upload has \(expected) bytes by an earlier request. Send that many, or start a new upload."
        )
      case .wrongOffset(let expected):
        (.conflict, "The upload continues at byte \(expected). Send the bytes from there.")
      case .cut: (.conflict, "A newer request for this upload took over.")
      case .inUse:
        (.locked, "This upload's photo is still being processed. Try again in a moment.")
      case .tooManyOpen:
        (
          .throttled,
          "Your network has too many uploads open. Finish one, or wait until one has been idle for ten "
            + "minutes."
        )
      case .busy: (.busy, "Too many uploads are open on this server. Try again later.")
      case .storageFull: (.storageFull, Self.storageFull.message)
      case .failed where error.isShortage: (.busy, Self.busy().message)
      case .failed: (.failed, Self.internalError.message)
      }
    self.init(cause, message, headers: Tus.common)
    switch error {
    case .tooLarge(let limit, let actual):
      self = markingPhotoRefused
      facts = ["reason": .text("too-large"), "limit": .number(limit), "actual": .number(actual)]
    case .wrongOffset(let expected): headers[.uploadOffset] = String(expected)
    case .inUse: headers[.retryAfter] = "1"
    case .tooManyOpen(let seconds): headers[.retryAfter] = String(max(seconds, 1))
    case .busy: headers[.retryAfter] = "60"
    case .failed where error.isShortage: headers[.retryAfter] = "1"
    default: break
    }
  }
}

extension UploadError {
  /// `true` if the process had too many open files or too little memory.
  fileprivate var isShortage: Bool {
    if case .failed(_, let code) = self { [EMFILE, ENFILE, ENOMEM].contains(code) } else { false }
  }
}

extension ErrorResponse {
  /// Creates the response to a malformed request of Resumable Uploads for HTTP.
  init(_ refusal: Rufh.Refusal) {
    switch refusal {
    case .field(let name):
      self.init(
        .invalidParameter, "\(name) is missing, malformed, or has no place here.",
        field: name)
    case .mediaType:
      self.init(
        .unsupportedMediaType, "Send the bytes as \(Rufh.mediaType).",
        headers: [.acceptPatch: Rufh.mediaType])
    case .lengths:
      self.init(
        .invalidParameter,
        "The photo's size isn't the one that was announced. Send as many bytes as Upload-Length says, or "
          + "start a new upload.", field: "Upload-Length")
      problem = Problem("inconsistent-upload-length", "inconsistent length values for upload")
    case .completed:
      self.init(
        .badRequest,
        "This upload is complete and its photo is stored. To replace the photo, start a new upload."
      )
      problem = Problem("completed-upload", "upload is already completed")
    }
  }
}

extension ErrorResponse.Problem {
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
