import Foundation
import HTTPTypes
import PhotoAttachments
import PhotoIngestion
import PhotoModel

extension HTTPFailure {
  /// Creates the response to an error of a host's upload. Returns `nil` for unknown errors.
  init?(hosting error: any Error) {
    switch error {
    case let error as PhotoError: self.init(error)
    case StoreError.photo(let error): self.init(error)
    case let error as StoreError: self.init(error)
    case is CancellationError: self = .busy()
    default: self.init(uploading: error)
    }
  }

  private init(_ error: PhotoError) {
    let facts = error.facts
    switch (error.status, error) {
    case (413, .tooLarge(_, let actual, let limit)): self = .tooLarge(actual: actual, limit: limit)
    case (415, _), (422, _):
      self.init(
        error.status, "INVALID_PHOTO", "The photo was refused: \(facts.code).", field: "photo")
    case (503, _): self = .busy()
    default: self = .internalError
    }
    if status.code < 500 { self.facts["reason"] = .text(facts.code) }
  }

  private init(_ error: StoreError) {
    switch error.status {
    case 404: self = .notFound
    case 409: self.init(409, "CONFLICT", "A newer upload replaced this one.")
    case 503: self = .busy()
    case 507: self = .storageFull
    default: self = .internalError
    }
    origin = error
  }
}
