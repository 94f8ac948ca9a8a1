import Mustache
import ReportFlow

/// The report as a page: for each run its folders, date, command and totals, then what failed, what was
/// skipped by kind, duplicates beside what they equal, and the new photos.
///
/// Each piece of the page is a section of one template, so that the page can be written while the import
/// runs. Pictures are files in a folder beside it, so that the page stays small and opens from a stick. A
/// policy in the page forbids it to load anything else.
enum ImportPage {
  /// Pictures of photos, and of duplicates, each a file of about 15 KB.
  static let maxPreviews = 3000
  /// Where runs begin and end, so that a page that is written again keeps those of before.
  static let runsBegin = "<!--petspot-import-runs-->\n"
  static let runsEnd = "<!--/petspot-import-runs-->\n"

  private static let template: MustacheTemplate = {
    MustacheContentTypes.register(HTMLEscaping(), named: "HTML")
    do {
      return try MustacheTemplate(string: TextCatalog.importPage)
    } catch {
      preconditionFailure("import-page.mustache cannot be read: \(error)")
    }
  }()

  /// Renders the section `name` of the template; every text in `values` is escaped.
  static func piece(_ name: String, _ values: [String: Any] = [:]) -> String {
    template.render([name: values, "t": PageTexts()] as [String: Any])
  }

  /// The page up to its first run.
  static var head: String {
    piece("head", ["lang": L10n.words.language.rawValue]) + runsBegin
  }

  /// The page behind its last run.
  static var tail: String { runsEnd + piece("tail") }
}

/// Escapes as the server's pages do; the library's own escaping lets a quote with a combining mark pass.
private struct HTMLEscaping: MustacheContentType {
  func escapeText(_ text: String) -> String { text.escapedForHTML }
}

/// The page's texts: `{{t.title}}` is the text of `import.page.title`.
private struct PageTexts: MustacheParent {
  func child(named name: String) -> Any? { L10n.words.text(named: "import.page.\(name)") }
}
