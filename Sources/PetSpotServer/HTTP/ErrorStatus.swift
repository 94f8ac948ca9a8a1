import Announcements

// The HTTP statuses of errors of announcements. PhotoUploads has the statuses of photos and stores.

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
