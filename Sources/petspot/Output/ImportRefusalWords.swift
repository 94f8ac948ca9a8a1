import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportRefusal {
  /// Why an input was not taken, in one line in the language that the command speaks.
  func sentence(about path: FilePath) -> String {
    let file = DisplayText.path(path)
    let text: TextKey
    var values = ["file": file]
    switch self {
    case .photo(let error): return error.sentence(about: path)
    case .notAFile(kind: "symlink"), .linkLoop:
      var status = stat()
      let isDead = path.withPlatformString { stat($0, &status) } != 0 && errno == ENOENT
      text =
        isDead
        ? "import.refused.deadLink"
        : self == .linkLoop ? "import.refused.linkLoop" : "import.refused.symlink"
    case .notAFile(let kind):
      text = "import.refused.kind"
      values["noun"] = KindWords.noun(kind)
    case .hidden: text = "import.refused.hidden"
    case .systemFile(let kind):
      text = "import.refused.systemFile"
      values["noun"] = KindWords.noun(kind)
    case .outside: text = "import.refused.outside"
    case .changing: text = "import.refused.changing"
    case .insideCache: text = "import.refused.insideCache"
    case .sidecar: text = "import.refused.sidecar"
    case .forgotten: text = "import.refused.forgotten"
    }
    return L10n.words(text, values)
  }

  /// The same for many inputs at once, without their names.
  var cause: String {
    let text: TextKey
    switch self {
    case .photo(.unsupportedFormat(let detected)):
      return MediaTypeWords.noun(for: detected, in: L10n.words)
    case .photo(.corrupt(let what)):
      return L10n.words("import.cause.damaged") + KindWords.damage(what)
    case .photo(.incomplete):
      return L10n.words("import.cause.damaged") + L10n.words.missing(percentShown: nil)
    case .photo(.empty): text = "import.cause.empty"
    case .photo(.unreadable): text = "import.cause.unreadable"
    case .photo(.tooManyPixels), .photo(.tooLarge): text = "import.cause.tooLarge"
    case .photo(.timeout): text = "import.cause.timeout"
    case .photo(let error): return error.code
    case .notAFile(kind: "symlink"): text = "import.cause.symlink"
    case .linkLoop: text = "import.cause.linkLoop"
    case .notAFile(let kind), .systemFile(let kind): return KindWords.noun(kind)
    case .hidden: text = "import.cause.hidden"
    case .outside: text = "import.cause.outside"
    case .changing: text = "import.cause.changing"
    case .insideCache: text = "import.cause.insideCache"
    case .sidecar: text = "import.cause.sidecar"
    case .forgotten: text = "import.cause.forgotten"
    }
    return L10n.words(text)
  }
}

/// Words that people know for what machines call otherwise.
enum KindWords {
  /// What is no photo: a special file, or one that a system left.
  static func noun(_ kind: String) -> String { L10n.words.text(named: "kind.\(kind)") ?? kind }

  /// What is wrong with a damaged photo; programs get the stable word of the structure.
  static func damage(_ what: String) -> String {
    if what == "zeros" { return L10n.words("damage.zeros") }
    if what.hasPrefix("truncated") { return L10n.words("damage.cut") }
    if what == "jpeg-surplus" { return L10n.words("damage.surplus") }
    let isSum = ["crc", "adler", "checksum"].contains(where: what.contains)
    return L10n.words(isSum ? "damage.checksum" : "damage.invalid")
  }
}
