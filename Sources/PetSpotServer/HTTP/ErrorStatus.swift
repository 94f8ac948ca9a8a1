import Announcements
import ImageContainers
import PhotoModel

// The HTTP statuses of responses to errors.

extension PhotoError {
  var status: Int {
    switch self {
    case .unsupportedFormat: 415
    case .tooLarge(.fileBytes, _, _): 413
    case .shortage, .cancelled, .fault(.decoderKilled): 503
    default: blame == .photo ? 422 : 500
    }
  }
}

extension StoreError {
  var status: Int {
    switch self {
    case .photo(let error): error.status
    case .missingPhoto: 404
    case .onlyCopies, .superseded, .removed: 409
    case .storageFull: 507
    case .database(.closed, _), .database(.replaced, _), .busy, .overloaded, .unreachable,
      .cancelled:
      503
    default: 500
    }
  }
}

extension AnnouncementError {
  var status: Int {
    switch self {
    case .invalid, .locationRequired: 400
    case .wrongPassword: 403
    case .notFound: 404
    case .missingPhoto, .duplicateMicrochip, .keyTaken: 409
    case .closed, .takenDown: 410
    case .idempotencyMismatch: 422
    case .throttled, .spaceUsedUp: 429
    case .unavailable: 503
    }
  }
}
