package import Announcements
import Foundation
package import PhotoIngestion

extension AnnouncementError {
  /// The code, blame, exit code, HTTP status and details of each case.
  package var facts: ErrorFacts {
    switch self {
    case .invalid(let fields):
      .init("invalid", .caller, exit: 65, status: 400, ["fields": .texts(fields)])
    case .notFound(let id): .init("not-found", .caller, status: 404, ["id": .text(id)])
    case .closed(let id): .init("closed", .caller, status: 410, ["id": .text(id)])
    case .takenDown(let id, let reason):
      .init(
        "taken-down", .caller, status: 410,
        ["id": .text(id), "reason": reason.map(ErrorFacts.Detail.text) ?? .unknown])
    case .wrongPassword: .init("wrong-password", .caller, exit: 65, status: 403)
    case .throttled(let until):
      .init("throttled", .caller, exit: 75, status: 429, ["until": .moment(until)])
    case .spaceUsedUp(let until):
      .init("space-used-up", .caller, exit: 75, status: 429, ["until": .moment(until)])
    case .locationRequired: .init("location-required", .caller, exit: 64, status: 400)
    case .missingPhoto: .init("missing-photo", .caller, exit: 65, status: 409)
    case .duplicateMicrochip:
      .init("duplicate-microchip", .caller, exit: 65, status: 409, ["field": .word("chip")])
    case .idempotencyMismatch: .init("idempotency-mismatch", .caller, exit: 65, status: 422)
    case .keyTaken: .init("key-taken", .caller, exit: 75, status: 409)
    case .unavailable(let what):
      .init("unavailable", .us, exit: 69, status: 503, ["reason": .text(what)])
    }
  }
}

extension ErrorFacts.Detail {
  /// Formats a time as ISO 8601 with milliseconds and `Z`.
  fileprivate static func moment(_ date: Date) -> Self {
    .text(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}
