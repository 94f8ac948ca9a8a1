package import Announcements
import Foundation
package import PhotoModel

extension AnnouncementError {
  /// The code, blame and details of each case.
  package var facts: ErrorFacts {
    switch self {
    case .invalid(let fields):
      .init("invalid", .caller, ["fields": .texts(fields)])
    case .notFound(let id): .init("not-found", .caller, ["id": .text(id)])
    case .closed(let id): .init("closed", .caller, ["id": .text(id)])
    case .takenDown(let id, let reason):
      .init(
        "taken-down", .caller,
        ["id": .text(id), "reason": reason.map(ErrorFacts.Detail.text) ?? .unknown])
    case .wrongPassword: .init("wrong-password", .caller)
    case .throttled(let until):
      .init("throttled", .caller, ["until": .moment(until)])
    case .spaceUsedUp(let until):
      .init("space-used-up", .caller, ["until": .moment(until)])
    case .locationRequired: .init("location-required", .caller)
    case .missingPhoto: .init("missing-photo", .caller)
    case .duplicateMicrochip:
      .init("duplicate-microchip", .caller, ["field": .word("chip")])
    case .idempotencyMismatch: .init("idempotency-mismatch", .caller)
    case .keyTaken: .init("key-taken", .caller)
    case .unavailable(let what):
      .init("unavailable", .us, ["reason": .text(what)])
    }
  }
}

extension ErrorFacts.Detail {
  /// Formats a time as ISO 8601 with milliseconds and `Z`.
  fileprivate static func moment(_ date: Date) -> Self {
    .text(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}
