import Mustache
import ReportFlow

/// The report as a page. Each run has its folders, date, command and totals, then failures, skipped files by kind,
/// duplicates next to the photos they equal, and new photos.
///
/// Each piece of the page is a section of one template, so that the page can be written during the import. Pictures are
/// files in a folder next to the page, which keeps the page small and lets it be opened from a USB stick. A policy in
/// the page forbids loading anything else.
enum ImportPage {
  /// The maximum number of pictures of photos and duplicates. Each is a file of about 15 KB.
  static let maxPreviews = 3000
  /// Markers around the runs. They allow a later report to keep earlier runs.
  static let runsBegin = "<!--petspot-import-runs-->\n"
  static let runsEnd = "<!--/petspot-import-runs-->\n"

  private static let template: MustacheTemplate = {
    MustacheContentTypes.register(HTMLEscaping(), named: "HTML")
    do {
      return try MustacheTemplate(string: ReportCatalog.importPage)
    } catch {
      preconditionFailure("import-page.mustache cannot be read: \(error)")
    }
  }()

  /// Renders the section `name` of the template. All texts in `values` are escaped.
  static func piece(_ name: String, _ values: [String: Any] = [:]) -> String {
    template.render([name: values, "t": PageTexts()] as [String: Any])
  }

  /// The page before its first run.
  static var head: String {
    piece("head", ["lang": L10n.words.language.rawValue]) + runsBegin
  }

  /// The page after its last run.
  static var tail: String { runsEnd + piece("tail") }
}

/// Escapes text as the server's pages do. The library's own escaping misses a quotation mark followed by a combining
/// mark.
private struct HTMLEscaping: MustacheContentType {
  func escapeText(_ text: String) -> String { text.escapedForHTML }
}

/// The texts of the page: `{{t.title}}` is the text `import.page.title`.
private struct PageTexts: MustacheParent {
  func child(named name: String) -> Any? { L10n.words.text(named: "import.page.\(name)") }
}
