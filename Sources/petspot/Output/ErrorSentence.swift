import ImageContainers
import ReportFlow
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension PhotoError {
  /// One line in the language that the command speaks: what happened, to which file, what to do next.
  func sentence(about path: FilePath?, in words: Words = L10n.words) -> String {
    let file = DisplayText.photo(path, in: words)
    switch self {
    case .unsupportedFormat(let detected):
      let noun = MediaTypeWords.noun(for: detected, in: words)
      return MediaTypeWords.isPicture(detected)
        ? words("command.error.format", ["file": file, "noun": noun])
        : words("command.error.noPicture", ["file": file, "noun": noun])
    case .empty:
      return path == "-"
        ? words("command.error.emptyInput") : words("command.error.empty", ["file": file])
    case .decoderCrash: return words("command.error.decoderCrash", ["file": file])
    case .corrupt(let what):
      return words("command.error.damaged", ["file": file, "damage": KindWords.damage(what)])
    case .incomplete(_, let percent):
      return words(
        "command.error.damaged", ["file": file, "damage": words.missing(percentShown: percent)])
    case .tooManyPixels(let what, let actual, let allowed):
      return words(
        "command.error.pixels",
        ["file": file, "amount": Amounts.count(actual, of: what), "limit": Amounts.number(allowed)])
    case .tooLarge(let what, let actual, let allowed):
      let (amount, limit) = Amounts.excess(actual, over: allowed, of: what)
      return what == .memory
        ? words("command.error.memory", ["file": file, "amount": amount, "limit": limit])
        : words("command.error.tooLarge", ["file": file, "amount": amount, "limit": limit])
    case .unreadable(let reason):
      var status = stat()
      let isFolder =
        path.map { $0.withPlatformString { stat($0, &status) } == 0 } ?? false
        && status.st_mode & S_IFMT == S_IFDIR
      return reason.sentence(about: file, isFolder: isFolder, in: words)
    case .shortage(let errno):
      let (reason, remedy) = (Amounts.reason(errno), Amounts.remedy(errno))
      return path == nil
        ? words("command.error.shortage", ["reason": reason, "remedy": remedy])
        : words("command.error.shortageFor", ["file": file, "reason": reason, "remedy": remedy])
    case .cancelled: return words("command.error.cancelled")
    case .fault(let fault):
      return DecoderWords.sentence(fault, file, in: words)
        ?? words("command.error.internal", ["file": file, "what": fault.rawValue])
    case .unverified(let what):
      return words("command.error.internal", ["file": file, "what": "product-" + what])
    default: return words(facts, about: file)
    }
  }
}

extension Words {
  /// The sentence of an error, which the catalog calls by the error's code, with its details.
  fileprivate func callAsFunction(_ facts: ErrorFacts, about file: String) -> String {
    let details = facts.texts.mapValues(ReadableText.escaped)
    return self(
      TextKey(rawValue: "command.error.\(facts.code)"), details.merging(["file": file]) { $1 })
  }
}

extension StoreError {
  /// One line in the language that the command speaks: what happened, to which file, what to do next.
  func sentence(about path: FilePath?, in words: Words = L10n.words) -> String {
    switch self {
    case .database(.newerDraft, _), .database(.damagedDraft, _): return message(in: words)
    case .photo(let error): return error.sentence(about: path, in: words)
    case .cancelled: return words("command.error.cancelled")
    case .missingPhoto:
      return path.map { words("command.error.noSuchPhoto", ["photo": DisplayText.path($0)]) }
        ?? words("command.error.noPhoto")
    case .onlyCopies(let photos): return words("command.error.onlyCopies", count: photos.count)
    case .storageFull(_, let target, let errno):
      let target = ReadableText.escaped(target)
      return switch errno {
      case EFBIG:
        words("command.error.fileSizeLimit", ["target": target, "remedy": Amounts.remedy(EFBIG)])
      case EDQUOT: words("command.error.quota", ["target": target])
      default: words("command.error.diskFull", ["target": target])
      }
    case .cacheUnavailable(let target, let errno):
      return words(
        "command.error.cacheUnusable",
        ["target": ReadableText.escaped(target), "reason": Amounts.reason(errno)])
    case .unsafeCache(let target, let reason): return reason.sentence(about: target, in: words)
    case .storage(let operation, let target, let errno):
      return words(
        "command.error.storage",
        [
          "target": ReadableText.escaped(target), "operation": operation,
          "reason": Amounts.reason(errno), "remedy": Amounts.remedy(errno),
        ])
    case .database(let what, let detail): return Self.sentence(ofDatabase: what, detail, in: words)
    case .fault(.blobDamaged):
      return words("command.error.blobDamaged", ["file": DisplayText.photo(path, in: words)])
    case .fault(.blobNotAFile):
      return words("command.error.blobNotAFile", ["file": DisplayText.photo(path, in: words)])
    case .fault(let what):
      return words(
        "command.error.internal",
        ["file": DisplayText.photo(path, in: words), "what": what.rawValue])
    case .busy(let seconds, let service?):
      return words(
        "command.error.serviceBusy",
        ["service": ReadableText.escaped(service), "seconds": "\(seconds)"])
    case .busy(let seconds, nil): return words("command.error.cacheBusy", ["seconds": "\(seconds)"])
    case .overloaded(let service, let detail):
      return words(
        "command.error.overloaded",
        ["service": ReadableText.escaped(service), "detail": ReadableText.escaped(detail)])
    case .serviceFailed(let service, let detail):
      return words(
        service.hasPrefix("PostgreSQL")
          ? "command.error.databaseRefuses" : "command.error.serviceFailed",
        ["service": ReadableText.escaped(service), "detail": ReadableText.escaped(detail)])
    case .backup(let problem, let target):
      let target = ReadableText.escaped(target)
      return switch problem {
      case .damaged: words("command.error.backupDamaged", ["target": target])
      case .noSnapshot: words("command.error.noSnapshot", ["target": target])
      case .notABackup: words("command.error.notABackup", ["target": target])
      case .noBackup: words("command.error.noBackup", ["target": target])
      case .vanished: words("command.error.backupVanished", ["target": target])
      case .inCache: words("command.error.backupInCache", ["target": target])
      case .asCache: words("command.error.backupAsCache", ["target": target])
      case .otherVersion: words("command.error.backupOtherVersion", ["target": target])
      case .inUse: words("command.error.backupInUse", ["target": target])
      case .notEmpty: words("command.error.restoreNotEmpty", ["target": target])
      case .elsewhere: words("command.error.backupElsewhere", ["target": target])
      case .otherStore: words("command.error.backupOtherStore", ["target": target])
      case .restoring: words("command.error.restoring", ["target": target])
      }
    case .superseded: return words("command.error.superseded")
    case .removed: return words("command.error.removed")
    default: return words(facts, about: DisplayText.photo(path, in: words))
    }
  }

  private static func sentence(
    ofDatabase what: DatabaseProblem, _ detail: String, in words: Words
  ) -> String {
    let isServer = detail.hasPrefix("PostgreSQL at ")
    let detail = isServer ? ReadableText.escaped(detail) : DisplayText.name(detail)
    return switch what {
    case .otherVersion:
      isServer
        ? words("command.error.otherTables", ["server": detail]) : words("command.error.otherCache")
    case .replaced: words("command.error.catalogReplaced", ["place": detail])
    case .noAddress: words("command.error.noDatabaseAddress")
    case .otherBlobs: words("command.error.otherBlobs", ["place": detail])
    case .damaged: words("command.error.catalogDamaged", ["detail": detail])
    case .alteredRecord: words("command.error.recordAltered", ["detail": detail])
    default:
      isServer
        ? words("command.error.database", ["detail": detail])
        : words("command.error.catalog", ["detail": detail])
    }
  }
}

extension DisplayText {
  /// An input in a sentence; "the photo" where none is named.
  fileprivate static func photo(_ path: FilePath?, in words: Words) -> String {
    path.map { $0 == "-" ? words("command.error.standardInput") : Self.path($0) }
      ?? words("command.error.thePhoto")
  }
}

extension StoreError.Distrust {
  /// What is wrong with the cache, whose it is, and what to do.
  fileprivate func sentence(about path: String, in words: Words) -> String {
    let target = ReadableText.escaped(path)
    return switch self {
    case .owner(let user):
      words(
        "command.error.owner",
        ["target": target, "owner": Amounts.user(user), "user": Amounts.user(Int(geteuid()))])
    case .writableByOthers: words("command.error.writableByOthers", ["target": target])
    case .notAFile(let kind):
      words("command.error.foreignEntry", ["target": target, "noun": KindWords.noun(kind)])
    }
  }
}

extension PhotoError.UnreadableReason {
  /// What keeps an input from being read, and what to do.
  fileprivate func sentence(
    about file: String, isFolder: Bool, in words: Words
  ) -> String {
    switch self {
    case .system(ENOENT): words("command.error.noFile", ["file": file])
    // A folder has to be entered, too.
    case .system(EACCES), .system(EPERM):
      words("command.error.forbidden", ["file": file, "mode": isFolder ? "u+rx" : "u+r"])
    case .system(let errno) where [EMFILE, ENFILE, ENOMEM].contains(errno):
      words(
        "command.error.notRead",
        ["file": file, "reason": Amounts.reason(errno), "remedy": Amounts.remedy(errno)])
    case .system(let errno):
      words("command.error.unreadable", ["file": file, "reason": Amounts.reason(errno)])
    case .notAFile(kind: "directory"): words("command.error.folder", ["file": file])
    case .notAFile(kind: "fifo"): words("command.error.pipe", ["file": file])
    case .notAFile(let kind):
      words("command.error.notAPhoto", ["file": file, "noun": KindWords.noun(kind)])
    case .changed: words("command.error.changed", ["file": file])
    }
  }
}
