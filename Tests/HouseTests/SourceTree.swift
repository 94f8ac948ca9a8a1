import Foundation

/// The Swift files below `Sources`, and which folder uses the types of which.
///
/// Read from the sources: a type named in one folder and defined in another is an arrow. Names that
/// are defined in more than one place count for none.
struct SourceTree {
  struct File {
    /// Such as `PhotoIngestion/Walking`; a module's top is its name.
    var folder: String
    var module: String
    /// Path below `Sources`.
    var path: String
    /// Without comments and texts.
    var code: String
    var imports: Set<String>
    var defined: Set<String>
    var named: Set<String>
  }

  let files: [File]
  /// The folders that a folder uses, and the types of theirs that it names.
  let arrows: [String: [String: Set<String>]]

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  init() throws {
    let sources = Self.root.appending(path: "Sources")
    let paths =
      FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
    files = try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
      try File(path, String(contentsOf: sources.appending(path: path), encoding: .utf8))
    }
    var homes: [String: [Int]] = [:]
    for (index, file) in files.enumerated() {
      for name in file.defined { homes[name, default: []].append(index) }
    }
    var arrows: [String: [String: Set<String>]] = [:]
    for file in files {
      for name in file.named {
        guard let home = homes[name], home.count == 1 else { continue }
        let folder = files[home[0]].folder
        if folder != file.folder {
          arrows[file.folder, default: [:]][folder, default: []].insert(name)
        }
      }
    }
    self.arrows = arrows
  }
}

extension SourceTree.File {
  init(_ path: String, _ text: String) {
    let parts = path.split(separator: "/").map(String.init)
    self.path = path
    module = parts[0]
    folder = parts.dropLast().prefix(2).joined(separator: "/")
    code = text.replacing(#/"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*/#, with: "")
    imports = Set(code.matches(of: #/(?m)^(?:\S+ )*import (\w+)/#).map { String($0.output.1) })
    // Simple: by Unicode's rules `A.b` is one word.
    let definition = #/\b(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)/#
      .wordBoundaryKind(.simple)
    defined = Set(code.matches(of: definition).map { String($0.output.1) })
    let name = #/\b[A-Z]\w*\b/#.wordBoundaryKind(.simple)
    named = Set(code.matches(of: name).map { String($0.output) })
  }
}
