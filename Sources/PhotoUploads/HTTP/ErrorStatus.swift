import ImageContainers
package import PhotoModel

// The HTTP statuses of responses to errors.

extension PhotoError {
  package var status: Int {
    switch self {
    case .unsupportedFormat: 415
    case .tooLarge(.fileBytes, _, _): 413
    case .shortage, .cancelled, .fault(.decoderKilled): 503
    default: blame == .photo ? 422 : 500
    }
  }
}

extension StoreError {
  package var status: Int {
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
