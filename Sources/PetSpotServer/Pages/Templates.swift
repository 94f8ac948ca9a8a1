import Foundation
import Mustache
import ReportFlow

/// The templates of the pages, read once.
enum Templates {
  private static let library: MustacheLibrary = {
    MustacheContentTypes.register(HTMLEscaping(), named: "HTML")
    var library = MustacheLibrary()
    for (name, text) in texts {
      do {
        // Each says it for itself: a partial begins with the library's own escaping.
        try library.register("{{% CONTENT_TYPE: HTML}}\n" + text, named: name)
      } catch {
        preconditionFailure("template \(name) cannot be read: \(error)")
      }
    }
    return library
  }()

  /// The templates as they are written, by name.
  static let texts: [String: String] = {
    var texts: [String: String] = [:]
    for file in Resources.files(ending: "mustache") {
      texts[file.deletingPathExtension().lastPathComponent] =
        (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }
    precondition(texts["layout"] != nil, "the templates are missing from the module's resources")
    return texts
  }()

  /// Reads them now; otherwise the first page does.
  static func load() { _ = library }

  /// A page of HTML; every text in it is escaped by the template.
  static func render(_ name: String, _ view: PageView) -> String {
    library.render(view, withTemplate: name) ?? ""
  }
}

/// Escapes text for elements and quoted attributes of HTML.
private struct HTMLEscaping: MustacheContentType {
  func escapeText(_ text: String) -> String { text.escapedForHTML }
}

/// The files of the module's bundle.
enum Resources {
  /// Those whose names end so.
  static func files(ending: String) -> [URL] {
    let folder = Bundle.module.resourceURL ?? Bundle.module.bundleURL
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == ending }
  }
}

/// The texts of one language for templates: `{{t.flow.continue}}` is the text of `flow.continue`.
struct TemplateTexts: MustacheParent {
  private let words: Words
  private let path: String

  init(_ words: Words, path: String = "") { (self.words, self.path) = (words, path) }

  func child(named name: String) -> Any? {
    let path = path.isEmpty ? name : "\(path).\(name)"
    return words.text(named: path) ?? Self(words, path: path)
  }
}
