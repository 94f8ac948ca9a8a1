import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportRefusal {
  /// Why an input was not taken, in one line in the language that the command speaks.
  func sentence(about path: FilePath) -> String {
    let file = DisplayText.path(path)
    switch self {
    case .photo(let error):
      guard L10n.words.language == .en else {
        return "\(file): \(error.message(in: L10n.words))"
      }
      return error.sentence(about: path)
    case .notAFile(kind: "symlink"), .linkLoop:
      var status = stat()
      if path.withPlatformString({ stat($0, &status) }) != 0, errno == ENOENT {
        return L10n.words(.refusedDeadLink(file: file))
      }
      if self == .linkLoop {
        return L10n.words(.refusedLinkLoop(file: file))
      }
      return L10n.words(.refusedSymlink(file: file))
    case .notAFile(let kind):
      let noun = KindWords.noun(kind)
      return L10n.words(.refusedKind(file: file, noun: noun))
    case .hidden:
      return L10n.words(.refusedHidden(file: file))
    case .systemFile(let kind):
      let noun = KindWords.noun(kind)
      return L10n.words(.refusedSystemFile(file: file, noun: noun))
    case .outside:
      return L10n.words(.refusedOutside(file: file))
    case .changing:
      return L10n.words(.refusedChanging(file: file))
    case .insideCache:
      return L10n.words(.refusedInsideCache(file: file))
    case .forgotten:
      return L10n.words(.refusedForgotten(file: file))
    }
  }

  /// The same for many inputs at once, without their names.
  var cause: String {
    switch self {
    case .photo(.unsupportedFormat(let detected)):
      MediaTypeWords.noun(for: detected, in: L10n.words)
    case .photo(.empty): L10n.words(.causeEmpty)
    case .photo(.corrupt(let what)):
      L10n.words(.causeDamaged) + KindWords.damage(what)
    case .photo(.unreadable): L10n.words(.causeUnreadable)
    case .photo(.tooManyPixels), .photo(.tooManyFrames), .photo(.tooLarge):
      L10n.words(.causeTooLarge)
    case .photo(.timeout): L10n.words(.causeTimeout)
    case .photo(let error): error.code
    case .notAFile(kind: "symlink"):
      L10n.words(.causeSymlink)
    case .linkLoop:
      L10n.words(.causeLinkLoop)
    case .notAFile(let kind), .systemFile(let kind): KindWords.noun(kind)
    case .hidden:
      L10n.words(.causeHidden)
    case .outside:
      L10n.words(.causeOutside)
    case .changing: L10n.words(.causeChanging)
    case .insideCache: L10n.words(.causeInsideCache)
    case .forgotten:
      L10n.words(.causeForgotten)
    }
  }
}

/// Words that people know for what machines call otherwise.
enum KindWords {
  /// What is no photo: a special file, or one that a system left.
  static func noun(_ kind: String) -> String {
    switch kind {
    case "fifo": L10n.words(.kindPipe)
    case "socket": L10n.words(.kindSocket)
    case "device": L10n.words(.kindDevice)
    case "directory": L10n.words(.kindFolder)
    case "symlink": L10n.words(.kindSymlink)
    case "apple-double":
      L10n.words(.kindAppleDouble)
    case "ds-store":
      L10n.words(.kindDSStore)
    case "thumbs-db": L10n.words(.kindThumbsDb)
    case "desktop-ini":
      L10n.words(.kindDesktopIni)
    case "ea-dir":
      L10n.words(.kindSynology)
    default: kind
    }
  }

  /// What is wrong with a damaged photo; programs get the stable word of the structure.
  static func damage(_ what: String) -> String {
    if what.hasPrefix("truncated") {
      return L10n.words(.damageCut)
    }
    if ["crc", "adler", "checksum"].contains(where: what.contains) {
      return L10n.words(.damageChecksum)
    }
    return L10n.words(.damageInvalid)
  }
}
