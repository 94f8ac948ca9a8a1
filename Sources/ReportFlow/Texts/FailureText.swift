package import Announcements
package import Foundation
package import PhotoModel

extension AnnouncementError {
  /// Returns the label of the form field that corresponds to a field name in an API body.
  private static func name(of field: String, in words: Words) -> String {
    if field == "location" { return words("location.heading") }
    let typed: FormField? =
      switch field {
      case "ownerName", "contactName": .name
      case "ownerPhone", "contactPhone": .phone
      case "breed": .race
      case "sex": .gender
      case "dateOfDisappearance": .date
      case "microchipNumber": .chip
      default: FormField(rawValue: field)
      }
    return typed.map { words($0.name) } ?? field
  }

  /// Returns the sentence for a person. Waiting times count from `now`.
  package func message(in words: Words, now: Date) -> String {
    switch self {
    case .invalid(let fields):
      let names = fields.map { Self.name(of: $0, in: words) }.joined(separator: ", ")
      return words.sentence("failure.\(facts.code)", facts, ["fields": names])
    case .throttled(let until):
      return words(
        "throttled.minutes", count: max(1, Int((until.timeIntervalSince(now) / 60).rounded(.up))))
    case .spaceUsedUp(let until):
      return words(
        "failure.space-used-up",
        ["days": String(max(1, Int((until.timeIntervalSince(now) / 86_400).rounded(.up))))])
    case .missingPhoto: return words("photo.mandatory")
    default: return words.sentence("failure.\(facts.code)", facts)
    }
  }
}
