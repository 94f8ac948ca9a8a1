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
      guard Speech.words.language == .en else {
        return "\(file): \(error.message(in: Speech.words))"
      }
      return error.sentence(about: path)
    case .notAFile(kind: "symlink"), .linkLoop:
      var status = stat()
      if path.withPlatformString({ stat($0, &status) }) != 0, errno == ENOENT {
        return Speech.words(.refusedDeadLink(file: file))
      }
      if self == .linkLoop {
        return Speech.words(.refusedLinkLoop(file: file))
      }
      return Speech.words(.refusedSymlink(file: file))
    case .notAFile(let kind):
      let noun = KindWords.noun(kind)
      return Speech.words(.refusedKind(file: file, noun: noun))
    case .hidden:
      return Speech.words(.refusedHidden(file: file))
    case .systemFile(let kind):
      let noun = KindWords.noun(kind)
      return Speech.words(.refusedSystemFile(file: file, noun: noun))
    case .outside:
      return Speech.words(.refusedOutside(file: file))
    case .changing:
      return Speech.words(.refusedChanging(file: file))
    case .insideCache:
      return Speech.words(.refusedInsideCache(file: file))
    case .forgotten:
      return Speech.words(.refusedForgotten(file: file))
    }
  }

  /// The same for many inputs at once, without their names.
  var cause: String {
    switch self {
    case .photo(.unsupportedFormat(let detected)):
      MediaTypeWords.noun(for: detected, in: Speech.words)
    case .photo(.empty): Speech.words(.causeEmpty)
    case .photo(.corrupt(let what)):
      Speech.words(.causeDamaged) + KindWords.damage(what)
    case .photo(.unreadable): Speech.words(.causeUnreadable)
    case .photo(.tooManyPixels), .photo(.tooManyFrames), .photo(.tooLarge):
      Speech.words(.causeTooLarge)
    case .photo(.timeout): Speech.words(.causeTimeout)
    case .photo(let error): error.code
    case .notAFile(kind: "symlink"):
      Speech.words(.causeSymlink)
    case .linkLoop:
      Speech.words(.causeLinkLoop)
    case .notAFile(let kind), .systemFile(let kind): KindWords.noun(kind)
    case .hidden:
      Speech.words(.causeHidden)
    case .outside:
      Speech.words(.causeOutside)
    case .changing: Speech.words(.causeChanging)
    case .insideCache: Speech.words(.causeInsideCache)
    case .forgotten:
      Speech.words(.causeForgotten)
    }
  }
}

/// Words that people know for what machines call otherwise.
enum KindWords {
  /// What is no photo: a special file, or one that a system left.
  static func noun(_ kind: String) -> String {
    switch kind {
    case "fifo": Speech.words(.kindPipe)
    case "socket": Speech.words(.kindSocket)
    case "device": Speech.words(.kindDevice)
    case "directory": Speech.words(.kindFolder)
    case "symlink": Speech.words(.kindSymlink)
    case "apple-double":
      Speech.words(.kindAppleDouble)
    case "ds-store":
      Speech.words(.kindDSStore)
    case "thumbs-db": Speech.words(.kindThumbsDb)
    case "desktop-ini":
      Speech.words(.kindDesktopIni)
    case "ea-dir":
      Speech.words(.kindSynology)
    default: kind
    }
  }

  /// What is wrong with a damaged photo; programs get the stable word of the structure.
  static func damage(_ what: String) -> String {
    if what.hasPrefix("truncated") {
      return Speech.words(.damageCut)
    }
    if ["crc", "adler", "checksum"].contains(where: what.contains) {
      return Speech.words(.damageChecksum)
    }
    return Speech.words(.damageInvalid)
  }
}
