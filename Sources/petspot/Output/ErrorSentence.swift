import ImageContainers
import ReportFlow
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension PhotoError {
  /// One line in the language that the command speaks: what happened, to which file, what to do next.
  func sentence(about path: FilePath?) -> String { L10n.words(text(about: path)) }

  /// The same in any language.
  fileprivate func text(about path: FilePath?) -> Text {
    let file = DisplayText.photo(path)
    switch self {
    case .unsupportedFormat(let detected):
      let noun = MediaTypeWords.noun(for: detected, in: L10n.words)
      return MediaTypeWords.isPicture(detected)
        ? .errorFormat(file: file, noun: noun) : .errorNoPicture(file: file, noun: noun)
    case .empty: return path == "-" ? .errorEmptyInput : .errorEmpty(file: file)
    case .decoderCrash: return .errorDecoderCrash(file: file)
    case .corrupt(let what): return .errorDamaged(file: file, damage: KindWords.damage(what))
    case .incomplete(_, let percent):
      return .errorDamaged(file: file, damage: L10n.words.missing(percentShown: percent))
    case .tooManyPixels(let what, let actual, let allowed):
      return .errorPixels(
        file: file, amount: Amounts.count(actual, of: what), limit: Amounts.number(allowed)
      )
    case .tooLarge(let what, let actual, let allowed):
      let (amount, limit) = Amounts.excess(actual, over: allowed, of: what)
      return what == .memory
        ? .errorMemory(file: file, amount: amount, limit: limit)
        : .errorTooLarge(file: file, amount: amount, limit: limit)
    case .unreadable(let reason):
      var status = stat()
      let isFolder =
        path.map { $0.withPlatformString { stat($0, &status) } == 0 } ?? false
        && status.st_mode & S_IFMT == S_IFDIR
      return reason.text(about: file, isFolder: isFolder)
    case .shortage(let errno):
      let (reason, remedy) = (Amounts.reason(errno), Amounts.remedy(errno))
      return path == nil
        ? .errorShortage(reason: reason, remedy: remedy)
        : .errorShortageFor(file: file, reason: reason, remedy: remedy)
    case .cancelled: return .errorCancelled
    case .timeout(let seconds): return .errorTimeout(file: file, seconds: seconds)
    case .fault(let fault):
      return DecoderWords.text(fault, file) ?? .errorInternal(file: file, what: fault.rawValue)
    case .unverified(let what): return .errorInternal(file: file, what: "product-" + what)
    }
  }
}

extension StoreError {
  /// One line in the language that the command speaks: what happened, to which file, what to do next.
  func sentence(about path: FilePath?) -> String {
    switch self {
    case .database(.newerDraft, _), .database(.damagedDraft, _):
      message(in: L10n.words)
    default: L10n.words(text(about: path))
    }
  }

  /// The same in any language.
  func text(about path: FilePath?) -> Text {
    switch self {
    case .photo(let error): return error.text(about: path)
    case .cancelled: return .errorCancelled
    case .missingPhoto:
      return path.map { .errorNoSuchPhoto(photo: DisplayText.path($0)) } ?? .errorNoPhoto
    case .storageFull(_, let target, let errno):
      let target = ReadableText.escaped(target)
      return switch errno {
      case EFBIG: .errorFileSizeLimit(target: target, remedy: Amounts.remedy(EFBIG))
      case EDQUOT: .errorQuota(target: target)
      default: .errorDiskFull(target: target)
      }
    case .cacheUnavailable(let target, let errno):
      return .errorCacheUnusable(
        target: ReadableText.escaped(target), reason: Amounts.reason(errno))
    case .unsafeCache(let target, let reason): return reason.text(about: target)
    case .storage(let operation, let target, let errno):
      return .errorStorage(
        target: ReadableText.escaped(target), operation: operation,
        reason: Amounts.reason(errno), remedy: Amounts.remedy(errno))
    case .database(let what, let detail): return Self.text(ofDatabase: what, detail)
    case .fault(.blobDamaged): return .errorBlobDamaged(file: DisplayText.photo(path))
    case .fault(.blobNotAFile): return .errorBlobNotAFile(file: DisplayText.photo(path))
    case .fault(let what):
      return .errorInternal(file: DisplayText.photo(path), what: what.rawValue)
    case .busy(let seconds, let service?):
      return .errorServiceBusy(service: ReadableText.escaped(service), seconds: seconds)
    case .busy(let seconds, nil): return .errorCacheBusy(seconds: seconds)
    case .unreachable(let service, let detail):
      return .errorUnreachable(
        service: ReadableText.escaped(service), detail: ReadableText.escaped(detail))
    case .overloaded(let service, let detail):
      return .errorOverloaded(
        service: ReadableText.escaped(service), detail: ReadableText.escaped(detail))
    case .serviceFailed(let service, let detail):
      return .errorServiceFailed(
        service: ReadableText.escaped(service), detail: ReadableText.escaped(detail))
    case .superseded: return .errorSuperseded
    case .removed: return .errorRemoved
    }
  }

  private static func text(ofDatabase what: DatabaseProblem, _ detail: String) -> Text {
    let isServer = detail.hasPrefix("PostgreSQL at ")
    let detail = isServer ? ReadableText.escaped(detail) : DisplayText.name(detail)
    return switch what {
    case .otherVersion: isServer ? .errorOtherTables(server: detail) : .errorOtherCache
    case .noAddress: .errorNoDatabaseAddress
    case .otherBlobs: .errorOtherBlobs(place: detail)
    case .damaged: .errorCatalogDamaged(detail: detail)
    case .alteredRecord: .errorRecordAltered(detail: detail)
    default: isServer ? .errorDatabase(detail: detail) : .errorCatalog(detail: detail)
    }
  }
}

extension DisplayText {
  /// An input in a sentence; "the photo" where none is named.
  fileprivate static func photo(_ path: FilePath?) -> String {
    path.map { $0 == "-" ? L10n.words(.errorStandardInput) : Self.path($0) }
      ?? L10n.words(.errorThePhoto)
  }
}

extension StoreError.Distrust {
  /// What is wrong with the cache, whose it is, and what to do.
  fileprivate func text(about path: String) -> Text {
    let target = ReadableText.escaped(path)
    return switch self {
    case .owner(let user):
      .errorOwner(target: target, owner: Amounts.user(user), user: Amounts.user(Int(geteuid())))
    case .writableByOthers: .errorWritableByOthers(target: target)
    case .notAFile(let kind): .errorForeignEntry(target: target, noun: KindWords.noun(kind))
    }
  }
}

extension PhotoError.UnreadableReason {
  /// What keeps an input from being read, and what to do.
  fileprivate func text(about file: String, isFolder: Bool) -> Text {
    switch self {
    case .system(ENOENT): .errorNoFile(file: file)
    // A folder has to be entered, too.
    case .system(EACCES), .system(EPERM):
      .errorForbidden(file: file, mode: isFolder ? "u+rx" : "u+r")
    case .system(let errno) where [EMFILE, ENFILE, ENOMEM].contains(errno):
      .errorNotRead(file: file, reason: Amounts.reason(errno), remedy: Amounts.remedy(errno))
    case .system(let errno): .errorUnreadable(file: file, reason: Amounts.reason(errno))
    case .notAFile(kind: "directory"): .errorFolder(file: file)
    case .notAFile(kind: "fifo"): .errorPipe(file: file)
    case .notAFile(let kind): .errorNotAPhoto(file: file, noun: KindWords.noun(kind))
    case .changed: .errorChanged(file: file)
    }
  }
}
