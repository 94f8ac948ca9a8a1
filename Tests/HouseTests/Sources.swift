import Foundation

/// The files of this package, read as text.
enum Sources {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func files(below folder: String, ending: String) throws -> [URL] {
    let folder = root.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(ending) }.map { folder.appending(path: $0) }
  }

  /// Returns the paths below `Sources` of the Swift files that import any of these modules.
  static func importers(of modules: [String]) throws -> [String] {
    let above = root.appending(path: "Sources").path + "/"
    return try files(below: "Sources", ending: ".swift").filter { file in
      !imports(of: try String(contentsOf: file, encoding: .utf8)).isDisjoint(with: modules)
    }.map { String($0.path.dropFirst(above.count)) }
  }

  /// Returns the modules that a Swift file imports.
  static func imports(of text: String) -> Set<String> {
    Set(
      text.matches(of: #/(?m)^ *(?:@\w+ |public |package )*import (\w+)/#).map {
        String($0.output.1)
      })
  }
}
