import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportRefusal {
  /// Why an input was not taken, in one line in the language that the command speaks.
  func sentence(about path: FilePath) -> String {
    let file = DisplayText.path(path)
    let text: Text
    switch self {
    case .photo(let error): return error.sentence(about: path)
    case .notAFile(kind: "symlink"), .linkLoop:
      var status = stat()
      let isDead = path.withPlatformString { stat($0, &status) } != 0 && errno == ENOENT
      text =
        isDead
        ? .refusedDeadLink(file: file)
        : self == .linkLoop ? .refusedLinkLoop(file: file) : .refusedSymlink(file: file)
    case .notAFile(let kind): text = .refusedKind(file: file, noun: KindWords.noun(kind))
    case .hidden: text = .refusedHidden(file: file)
    case .systemFile(let kind): text = .refusedSystemFile(file: file, noun: KindWords.noun(kind))
    case .outside: text = .refusedOutside(file: file)
    case .changing: text = .refusedChanging(file: file)
    case .insideCache: text = .refusedInsideCache(file: file)
    case .sidecar: text = .refusedSidecar(file: file)
    case .forgotten: text = .refusedForgotten(file: file)
    }
    return L10n.words(text)
  }

  /// The same for many inputs at once, without their names.
  var cause: String {
    let text: Text
    switch self {
    case .photo(.unsupportedFormat(let detected)):
      return MediaTypeWords.noun(for: detected, in: L10n.words)
    case .photo(.corrupt(let what)): return L10n.words(.causeDamaged) + KindWords.damage(what)
    case .photo(.incomplete):
      return L10n.words(.causeDamaged) + L10n.words.missing(percentShown: nil)
    case .photo(.empty): text = .causeEmpty
    case .photo(.unreadable): text = .causeUnreadable
    case .photo(.tooManyPixels), .photo(.tooLarge): text = .causeTooLarge
    case .photo(.timeout): text = .causeTimeout
    case .photo(let error): return error.code
    case .notAFile(kind: "symlink"): text = .causeSymlink
    case .linkLoop: text = .causeLinkLoop
    case .notAFile(let kind), .systemFile(let kind): return KindWords.noun(kind)
    case .hidden: text = .causeHidden
    case .outside: text = .causeOutside
    case .changing: text = .causeChanging
    case .insideCache: text = .causeInsideCache
    case .sidecar: text = .causeSidecar
    case .forgotten: text = .causeForgotten
    }
    return L10n.words(text)
  }
}

/// Words that people know for what machines call otherwise.
enum KindWords {
  /// What is no photo: a special file, or one that a system left.
  static func noun(_ kind: String) -> String { nouns[kind].map { L10n.words($0) } ?? kind }

  private static let nouns: [String: Text] = [
    "fifo": .kindPipe, "socket": .kindSocket, "device": .kindDevice, "directory": .kindFolder,
    "symlink": .kindSymlink, "apple-double": .kindAppleDouble, "ds-store": .kindDSStore,
    "thumbs-db": .kindThumbsDb, "desktop-ini": .kindDesktopIni, "ea-dir": .kindSynology,
  ]

  /// What is wrong with a damaged photo; programs get the stable word of the structure.
  static func damage(_ what: String) -> String {
    if what.hasPrefix("truncated") { return L10n.words(.damageCut) }
    let isSum = ["crc", "adler", "checksum"].contains(where: what.contains)
    return L10n.words(isSum ? .damageChecksum : .damageInvalid)
  }
}
