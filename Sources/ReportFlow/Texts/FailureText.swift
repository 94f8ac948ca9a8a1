public import Announcements
public import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
public import PhotoModel

extension PhotoError {
  /// Returns a sentence for the reporter with the problem and its remedy. It never contains a path.
  public func message(in words: Words) -> String {
    switch self {
    case .tooManyPixels(let what, let actual, let limit),
      .tooLarge(let what, let actual, let limit):
      tooLarge(what, actual, limit, words)
    default: words.sentence("failure.\(facts.code)", facts)
    }
  }

  private func tooLarge(
    _ what: ContainerLimit, _ actual: Int, _ limit: Int, _ words: Words
  ) -> String {
    func text(_ amount: (Int) -> String) -> String {
      // While a file is still arriving, its size is only known to exceed the limit.
      words(
        amount(actual) == amount(limit) ? "failure.too-large.limit" : "failure.too-large",
        [
          "actual": amount(actual),
          "limit": what == .fileBytes ? words.limit(limit) : amount(limit),
        ])
    }
    switch what {
    case .pixels, .side: return text { words("size.pixels", count: $0) }
    case _ where what.isBytes: return text(words.fileSize)
    // A number of tiles or scans means nothing to a person, and a smaller picture may have as many.
    default: return words("failure.too-large.structure")
    }
  }
}

extension StoreError {
  /// Returns a sentence for the reporter with the problem and its remedy. It never contains a path.
  public func message(in words: Words) -> String {
    if case .photo(let error) = self { return error.message(in: words) }
    return words.sentence("failure.\(facts.code)", facts)
  }
}

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
  public func message(in words: Words, now: Date) -> String {
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
