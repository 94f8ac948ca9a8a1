import Foundation
import Mustache
import ReportFlow

/// The templates of the pages, which are read once.
enum Templates {
  private static let library: MustacheLibrary = {
    MustacheContentTypes.register(HTMLEscaping(), named: "HTML")
    var library = MustacheLibrary()
    for (name, text) in texts {
      do {
        // Every template sets the content type, because a partial begins with the library's default escaping.
        try library.register("{{% CONTENT_TYPE: HTML}}\n" + text, named: name)
      } catch {
        preconditionFailure("template \(name) cannot be read: \(error)")
      }
    }
    return library
  }()

  /// The source texts of the templates, by name.
  static let texts: [String: String] = {
    var texts: [String: String] = [:]
    for file in Resources.files(ending: "mustache") {
      texts[file.deletingPathExtension().lastPathComponent] =
        (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }
    precondition(texts["layout"] != nil, "the templates are missing from the module's resources")
    return texts
  }()

  /// Reads the templates now. Otherwise the first page reads them.
  static func load() { _ = library }

  /// Renders a page of HTML. The template escapes each text.
  static func render(_ name: String, _ view: Any) -> String {
    library.render(TemplateView(view), withTemplate: name) ?? ""
  }
}

/// A view whose properties are read once. The library would read all of them again for each name in a template.
private struct TemplateView: MustacheParent {
  private let values: [String: Any]

  init(_ view: Any) { self.init(Mirror(reflecting: view)) }

  private init(_ mirror: Mirror) {
    var values: [String: Any] = [:]
    for (label, value) in mirror.children {
      if let label { values[label] = Self.value(value) }
    }
    self.values = values
  }

  func child(named name: String) -> Any? { values[name] }

  /// Returns a property's value for a template. `nil` for an empty optional.
  private static func value(_ value: Any) -> Any? {
    switch value {
    case let text as String: return text
    case let flag as Bool: return flag
    case let named as [String: Any]: return named.compactMapValues(Self.value)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.flatMap { Self.value($0.value) }
    case .collection: return mirror.children.compactMap { Self.value($0.value) }
    case .struct where !(value is any MustacheParent): return TemplateView(mirror)
    default: return value
    }
  }
}

/// Escapes text for elements and quoted attributes of HTML.
private struct HTMLEscaping: MustacheContentType {
  func escapeText(_ text: String) -> String { text.escapedForHTML }
}

/// The files of the module's bundle.
enum Resources {
  /// Returns the files with an extension.
  static func files(ending: String) -> [URL] {
    let folder = Bundle.module.resourceURL ?? Bundle.module.bundleURL
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == ending }
  }
}

/// The texts of one language for templates. `{{t.flow.continue}}` is the text of `flow.continue`.
struct TemplateTexts: MustacheParent {
  private let words: Words
  private let path: String

  init(_ words: Words, path: String = "") {
    self.words = words
    self.path = path
  }

  func child(named name: String) -> Any? {
    let path = path.isEmpty ? name : "\(path).\(name)"
    return words.text(named: path) ?? Self(words, path: path)
  }
}
