import ImageContainers
import Announcements
import Foundation
import HTTPTypes
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// An error of a layer above this one that has a response of its own.
protocol ErrorResponseConvertible: Error {
  var response: ErrorResponse { get }
}

extension ErrorResponse {
  /// Creates the response to an error of this project. Returns `nil` for other errors.
  init?(cause error: any Error) {
    switch error {
    case let error as ErrorResponse: self = error
    case let error as PhotoError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as AnnouncementError: self.init(error, now: Date())
    case let error as StrictJSONError:
      self.init(
        .invalidJSON, "The body isn't valid JSON: \(error.problem).",
        field: error.key)
    case let error as any ErrorResponseConvertible: self = error.response
    case is CancellationError: self = .busy()
    default:
      guard let failure = HTTPFailure(uploading: error) else { return nil }
      self.init(failure)
    }
  }

  private static let words = Words(.en)

  init(_ error: PhotoError) {
    let facts = error.facts
    switch (error.status, error) {
    case (413, .tooLarge(_, let actual, let limit)):
      self = .tooLarge(actual: actual, limit: limit)
      field = "photo"
    case (415, _), (422, _):
      self.init(.invalidPhoto(error.status), error.message(in: Self.words), field: "photo")
      switch error {
      case .corrupt, .timeout: break
      default:
        for (key, value) in facts.details where value.plain != .unknown { self.facts[key] = value }
      }
    case (503, _):
      self = .busy()
      return
    default:
      self = .internalError
      return
    }
    self.facts["reason"] = .text(facts.code)
  }

  init(_ error: StoreError) {
    switch (error.status, error) {
    case (_, .photo(let error)): self.init(error)
    case (409, _): self.init(.conflict, "A newer upload replaced this one.")
    case (503, .unreachable(let service, _)):
      self = .unreachable(service.hasPrefix("PostgreSQL") ? .database : .pictures)
    case (_, .serviceFailed(let service, _, _)) where service.hasPrefix("PostgreSQL"):
      self = .unreachable(.database)
    case (503, .busy(let seconds, _)): self = .busy(retryAfter: max(1, min(seconds, 10)))
    case (507, _): self = .storageFull
    case (let status, _): self.init(status: status, error.message(in: Self.words))
    }
  }

  init(_ error: AnnouncementError, now: Date) {
    let message = error.message(in: Self.words, now: now)
    switch error {
    case .invalid(let fields):
      self = .invalid(
        fields.map {
          // All other rules were already checked when the body was read.
          let rule =
            $0 == "dateOfDisappearance" ? "must not be in the future" : "must not contain U+0000"
          return FieldError(code: .invalidFormat, message: "\"\($0)\" \(rule).", field: $0)
        })
    case .closed: self = .closed
    case .takenDown: self = .takenDown
    case .throttled(let until):
      self = .throttled(seconds: Int(until.timeIntervalSince(now).rounded(.up)))
    case .spaceUsedUp(let until):
      self = .throttled(seconds: Int(until.timeIntervalSince(now).rounded(.up)))
      self.message = message
    case .locationRequired: self.init(.invalidParameter, message, field: "sort")
    case .duplicateMicrochip: self.init(.conflict, message, field: "microchipNumber")
    case .keyTaken:
      self.init(
        .conflict,
        "This Idempotency-Key was already used, by another client or more than 24 hours ago, or its "
          + "announcement has been erased since. Use the id and the management password from the first "
          + "answer; to create another announcement, send a new key.",
        field: "Idempotency-Key")
    default: self.init(status: error.status, message)
    }
  }

  /// Creates a response that follows from a status and a message alone.
  private init(status: Int, _ message: String) {
    switch status {
    case 403: self.init(.unauthorized, message)
    case 404: self = .notFound
    case 409: self.init(.conflict, message)
    case 422: self.init(.idempotencyMismatch, message)
    case 503: self = .busy()
    default: self = .internalError
    }
  }
}
