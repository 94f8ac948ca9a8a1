import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

extension ImportRefusal {
  /// The key of texts about the refusal: its code, or `symlink` for links.
  private var name: String { self == .notAFile(kind: "symlink") ? "symlink" : code }

  /// Returns one line in the command's language about why an input was not imported.
  func sentence(about path: FilePath) -> String {
    if case .photo(let error) = self { return error.sentence(about: path) }
    var status = stat()
    let isDead =
      ["symlink", "link-loop"].contains(name)
      && path.withPlatformString { stat($0, &status) } != 0 && errno == ENOENT
    return L10n.words(
      TextKey(rawValue: "import.refused.\(isDead ? "dead-link" : name)"),
      ["file": DisplayText.path(path), "noun": detected.map(L10n.words.noun(ofKind:)) ?? ""])
  }

  /// A text for many inputs with the same reason, without their names.
  var cause: String {
    switch self {
    case .photo(.unsupportedFormat(let detected)):
      MediaTypeWords.noun(for: detected, in: L10n.words)
    case .photo(.corrupt(let what)):
      L10n.words("import.cause.damaged") + L10n.words.damage(what)
    case .photo(.incomplete):
      L10n.words("import.cause.damaged") + L10n.words.missing(percentShown: nil)
    case .photo(.tooManyPixels): L10n.words("import.cause.too-large")
    case .notAFile(let kind) where name != "symlink", .systemFile(let kind):
      L10n.words.noun(ofKind: kind)
    default: L10n.words.text(named: "import.cause.\(name)") ?? name
    }
  }
}
