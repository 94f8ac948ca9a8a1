import Hummingbird
import PetSpotPhotos

/// Turns errors into responses with a sentence for people.
struct PhotoErrors: RouterMiddleware {
  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do { return try await next(request, context) } catch let error as PhotoError {
      throw HTTPError(StoreError(error).status, message: error.localizedDescription)
    } catch let error as StoreError {
      throw HTTPError(error.status, message: error.localizedDescription)
    }
  }
}

extension StoreError {
  /// The status of a response to this error.
  var status: HTTPResponse.Status {
    switch self {
    case .photo(.unsupportedFormat): .unsupportedMediaType
    case .photo(.tooLarge(.fileBytes, _, _)): .contentTooLarge
    case .missingPhoto: .notFound
    default:
      switch blame {
      case .photo: .unprocessableContent
      case .caller: .conflict
      case .us: .serviceUnavailable
      }
    }
  }
}
