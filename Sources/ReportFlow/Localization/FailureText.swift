public import Announcements
public import Foundation
import ImageContainers
public import PhotoAttachments
public import PhotoIngestion

extension PhotoError {
  /// What to tell a reporter: what happened and what to do, without a path.
  public func message(in words: Words) -> String {
    switch self {
    case .unsupportedFormat(let detected):
      words(.failurePhotoFormat, ["kind": MediaTypeWords.noun(for: detected, in: words)])
    case .empty: words(.failurePhotoEmpty)
    case .corrupt: words(.failurePhotoDamaged)
    case .incomplete(_, let percent):
      incomplete(words.missing(percentShown: percent), words)
    case .tooManyPixels(let what, let actual, let limit),
      .tooLarge(let what, let actual, let limit):
      tooLarge(what, actual, limit, words)
    case .unreadable(.system(ENOENT)), .unreadable(.system(ENOTDIR)):
      words(.failurePhotoNotThere)
    case .unreadable(.system(EACCES)), .unreadable(.system(EPERM)):
      words(.failurePhotoForbidden)
    case .unreadable(.notAFile(kind: "directory")): words(.failurePhotoFolder)
    case .unreadable: words(.failurePhotoUnreadable)
    case .shortage: words(.failureBusy)
    case .cancelled: words(.failureInterrupted)
    case .timeout: words(.failurePhotoTimeout)
    case .fault(let fault): words(.failureOurs, ["what": fault.rawValue])
    case .unverified(let what): words(.failureOurs, ["what": "product-" + what])
    }
  }

  private func incomplete(_ missing: String, _ words: Words) -> String {
    words(
      .failurePhotoIncomplete, ["missing": missing.prefix(1).uppercased() + missing.dropFirst()])
  }

  private func tooLarge(
    _ what: ContainerLimit, _ actual: Int, _ limit: Int, _ words: Words
  ) -> String {
    func text(_ amount: (Int) -> String) -> String {
      words(
        .failurePhotoTooLarge,
        [
          "actual": amount(actual),
          "limit": what == .fileBytes ? words.limit(limit) : amount(limit),
        ])
    }
    switch what {
    case .pixels, .side: return text { words(.sizePixels, count: $0) }
    case _ where what.isBytes: return text(words.fileSize)
    // A number of tiles or scans says nothing to a person, and a smaller picture may have as many.
    default: return words(.failurePhotoTooComplex)
    }
  }
}

extension Words {
  /// What of a photo cannot be shown, in the middle of a sentence.
  ///
  /// - Parameter percent: of its rows, counted from the top, that can be; nil when what is missing isn't
  ///   simply the lower part.
  public func missing(percentShown percent: Int?) -> String {
    guard let percent else { return self(.missingParts) }
    return switch percent {
    case ...5: self(.missingNearlyAll)
    case 45...55: self(.missingLowerHalf)
    default: self(.missingLowerPart, ["percent": String(100 - min(percent, 99))])
    }
  }
}

extension StoreError {
  /// What to tell a reporter: what happened and what to do, without a path.
  public func message(in words: Words) -> String {
    switch self {
    case .photo(let error): error.message(in: words)
    case .missingPhoto: words(.failurePhotoMissing)
    case .storageFull: words(.failureDiskFull)
    case .database(.newerDraft, let version):
      words(.failureDraftNewer, ["version": version])
    case .database(.damagedDraft, _): words(.failureDraftDamaged)
    case .fault(let what): words(.failureOurs, ["what": what.rawValue])
    case .cacheUnavailable, .unsafeCache, .storage, .database, .serviceFailed:
      words(.failureStorage)
    case .busy, .overloaded: words(.failureBusy)
    case .unreachable: words(.failureUnreachable)
    case .cancelled: words(.failureInterrupted)
    case .superseded: words(.failureSuperseded)
    case .removed: words(.failureRemoved)
    }
  }
}

extension AnnouncementError {
  /// Whether fields break a rule.
  public var isInvalid: Bool { if case .invalid = self { true } else { false } }

  /// What stands above the field that a body calls by this name.
  private static func name(of field: String, in words: Words) -> String {
    if field == "location" { return words(.locationHeading) }
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

  /// What to tell a person, at the moment `now`.
  public func message(in words: Words, now: Date) -> String {
    switch self {
    case .invalid(let fields):
      words(
        .failureInvalid,
        ["fields": fields.map { Self.name(of: $0, in: words) }.joined(separator: ", ")])
    case .notFound(let id): words(.failureNotFound, ["id": id])
    case .closed(let id): words(.failureClosed, ["id": id])
    case .takenDown(let id, let reason?):
      words(.failureTakenDownFor, ["id": id, "reason": reason])
    case .takenDown(let id, nil): words(.failureTakenDown, ["id": id])
    case .wrongPassword: words(.failureWrongPassword)
    case .throttled(let until):
      words(
        .throttledMinutes, count: max(1, Int((until.timeIntervalSince(now) / 60).rounded(.up))))
    case .spaceUsedUp(let until):
      words(
        .failureSpaceUsedUp,
        ["days": String(max(1, Int((until.timeIntervalSince(now) / 86_400).rounded(.up))))])
    case .locationRequired: words(.failureLocationRequired)
    case .missingPhoto: words(.photoMandatory)
    case .duplicateMicrochip: words(.failureDuplicateChip)
    case .idempotencyMismatch: words(.failureSentOtherwise)
    case .keyTaken: words(.failureKeyTaken)
    case .unavailable(let what): words(.failureServer, ["what": what])
    }
  }
}
