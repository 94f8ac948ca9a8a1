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
    case .unsupportedFormat(let detected):
      words("failure.photoFormat", ["kind": MediaTypeWords.noun(for: detected, in: words)])
    case .empty: words("failure.photoEmpty")
    case .corrupt: words("failure.photoDamaged")
    case .incomplete(_, let percent):
      incomplete(words.missing(percentShown: percent), words)
    case .tooManyPixels(let what, let actual, let limit),
      .tooLarge(let what, let actual, let limit):
      tooLarge(what, actual, limit, words)
    case .unreadable(.system(ENOENT)), .unreadable(.system(ENOTDIR)):
      words("failure.photoNotThere")
    case .unreadable(.system(EACCES)), .unreadable(.system(EPERM)):
      words("failure.photoForbidden")
    case .unreadable(.notAFile(kind: "directory")): words("failure.photoFolder")
    case .unreadable: words("failure.photoUnreadable")
    case .shortage: words("failure.busy")
    case .timeout: words("failure.photoTimeout")
    default: words(facts)
    }
  }

  private func incomplete(_ missing: String, _ words: Words) -> String {
    words(
      "failure.photoIncomplete", ["missing": missing.prefix(1).uppercased() + missing.dropFirst()])
  }

  private func tooLarge(
    _ what: ContainerLimit, _ actual: Int, _ limit: Int, _ words: Words
  ) -> String {
    func text(_ amount: (Int) -> String) -> String {
      // While a file is still arriving, its size is only known to exceed the limit.
      words(
        amount(actual) == amount(limit) ? "failure.photoOverLimit" : "failure.photoTooLarge",
        [
          "actual": amount(actual),
          "limit": what == .fileBytes ? words.limit(limit) : amount(limit),
        ])
    }
    switch what {
    case .pixels, .side: return text { words("size.pixels", count: $0) }
    case _ where what.isBytes: return text(words.fileSize)
    // A number of tiles or scans means nothing to a person, and a smaller picture may have as many.
    default: return words("failure.photoTooComplex")
    }
  }
}

extension Words {
  /// Returns the text `failure.` + the error's code, filled with the error's details.
  func callAsFunction(_ facts: ErrorFacts) -> String {
    self(TextKey(rawValue: "failure.\(facts.code)"), facts.texts)
  }

  /// Returns the phrase for the part of a photo that can't be shown, for the middle of a sentence.
  ///
  /// - Parameter percent: the percentage of rows, from the top, that can be shown. `nil` if the missing part isn't
  ///   simply the lower part.
  public func missing(percentShown percent: Int?) -> String {
    guard let percent else { return self("missing.parts") }
    return switch percent {
    case ...5: self("missing.nearlyAll")
    case 45...55: self("missing.lowerHalf")
    default: self("missing.lowerPart", ["percent": String(100 - min(percent, 99))])
    }
  }
}

extension ErrorFacts {
  /// The details as texts, by key. Unknown details are left out.
  package var texts: [String: String] {
    let texts = details.compactMap { key, detail -> (String, String)? in
      switch detail {
      case .text(let text): (key, text)
      case .texts(let texts): (key, texts.joined(separator: ", "))
      case .number(let number): (key, String(number))
      case .unknown: nil
      }
    }
    return Dictionary(texts) { $1 }
  }
}

extension StoreError {
  /// Returns a sentence for the reporter with the problem and its remedy. It never contains a path.
  public func message(in words: Words) -> String {
    switch self {
    case .photo(let error): error.message(in: words)
    case .missingPhoto: words("failure.photoMissing")
    case .storageFull: words("failure.diskFull")
    case .database(.newerDraft, let version):
      words("failure.draftNewer", ["version": version])
    case .database(.damagedDraft, _): words("failure.draftDamaged")
    case .unsafeCache, .database: words("failure.storage")
    case .superseded: words("failure.superseded")
    case .removed: words("failure.removed")
    default: words(facts)
    }
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
      words(
        "failure.invalid",
        ["fields": fields.map { Self.name(of: $0, in: words) }.joined(separator: ", ")])
    case .takenDown(let id, let reason?):
      words("failure.takenDownFor", ["id": id, "reason": reason])
    case .throttled(let until):
      words(
        "throttled.minutes", count: max(1, Int((until.timeIntervalSince(now) / 60).rounded(.up))))
    case .spaceUsedUp(let until):
      words(
        "failure.space-used-up",
        ["days": String(max(1, Int((until.timeIntervalSince(now) / 86_400).rounded(.up))))])
    case .missingPhoto: words("photo.mandatory")
    case .duplicateMicrochip: words("failure.duplicateChip")
    case .idempotencyMismatch: words("failure.sentOtherwise")
    case .keyTaken: words("failure.keyTaken")
    default: words(facts)
    }
  }
}
