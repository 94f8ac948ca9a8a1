import Announcements
import Foundation
import HTTPClient
import ImageContainers
import PhotoModel

/// The body of an error response: `{"error":{…},"errors":[…]}`.
private struct ErrorBody: Decodable {
  struct Entry: Decodable {
    var code: String?
    var field: String?
    var message: String?
    var reason: String?
    var what: String?
    var detected: String?
    var percentShown: Int?
    var limit: Int?
    var actual: Int?
  }

  var error: Entry
  var errors: [Entry]?
}

extension HTTPResponse {
  /// Returns the error that a response with an unexpected status reports.
  ///
  /// - Parameters:
  ///   - id: the announcement that the request was about.
  ///   - server: the server that responded.
  /// - Returns: an `AnnouncementError`, or a `PhotoError` if the server rejected the photo.
  func error(about id: String = "", of server: ServerAddress, now: Date = Date()) -> any Error {
    let body = try? JSONDecoder().decode(ErrorBody.self, from: Data(self.body))
    let code = body?.error.code
    let entry = body?.error
    switch (status, code) {
    case (400, "MISSING_VALUE"), (400, "INVALID_FORMAT"), (400, "INVALID_FIELD"),
      (400, "INVALID_PARAMETER"):
      let fields = (body?.errors ?? []).compactMap(\.field)
      return AnnouncementError.invalid(fields.isEmpty ? [entry?.field ?? "?"] : fields)
    // Responses to HEAD have no body and so no code.
    case (401, _), (403, "UNAUTHORIZED"), (403, nil): return AnnouncementError.wrongPassword
    case (404, "NOT_FOUND"): return AnnouncementError.notFound(id: id)
    case (410, "CLOSED") where entry?.reason == "taken-down":
      return AnnouncementError.takenDown(id: id, reason: nil)
    case (410, "CLOSED"): return AnnouncementError.closed(id: id)
    case (409, _) where entry?.field == "microchipNumber":
      return AnnouncementError.duplicateMicrochip
    case (409, _) where entry?.field == "Idempotency-Key": return AnnouncementError.keyTaken
    case (413, _) where entry?.limit != nil: return entry?.photoError ?? unexpected(server, nil)
    case (415, "INVALID_PHOTO"), (422, "INVALID_PHOTO"):
      return entry?.photoError ?? unexpected(server, nil)
    case (422, "IDEMPOTENCY_MISMATCH"): return AnnouncementError.idempotencyMismatch
    case (429, _):
      let seconds = headers["retry-after"].flatMap { Double($0) } ?? 60
      let until = now + max(1, seconds)
      // A server's other limits last for minutes. Space for pictures comes back days later.
      return seconds > 3600
        ? AnnouncementError.spaceUsedUp(until: until) : .throttled(until: until)
    default: return unexpected(server, entry?.message)
    }
  }

  private func unexpected(_ server: ServerAddress, _ message: String?) -> any Error {
    let said = message.map { ": " + $0.trimmingCharacters(in: ["."]) } ?? ""
    return AnnouncementError.unavailable("\(server) answered \(status)\(said)")
  }
}

extension ErrorBody.Entry {
  /// The photo's rejection as a `PhotoError`, or `nil` if the reason is unknown.
  fileprivate var photoError: PhotoError? {
    let actual = actual ?? 0
    let limit = limit ?? 0
    let exceeded = what.flatMap(ContainerLimit.init(rawValue:))
    switch reason {
    case "unsupported-format": return .unsupportedFormat(detected: detected ?? "?")
    case "empty": return .empty
    case "corrupt":
      // For other damage, a server sends no details.
      return what.map { .incomplete(what: $0, percentShown: percentShown) }
        ?? .corrupt(what: "refused-by-server")
    case "too-many-pixels":
      return .tooManyPixels(exceeded ?? .pixels, actual: actual, limit: limit)
    case "too-large", nil:
      return .tooLarge(exceeded ?? .fileBytes, actual: actual, limit: limit)
    case "timeout": return .timeout(seconds: 0)
    default: return nil
    }
  }
}
