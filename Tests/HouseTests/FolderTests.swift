import Foundation
import Testing

/// Folders of a module depend on each other in one direction only.
@Suite("Folders depend one way")
struct FolderTests {
  @Test("No two folders of a module use each other's types")
  func noCycles() throws {
    var files: [String: [SourceNames]] = [:]
    for file in try Sources.files(below: "Sources", ending: ".swift") {
      let names = try SourceNames(file)
      files[names.module, default: []].append(names)
    }
    #expect(files.count > 15)
    for (module, files) in files {
      var owners: [String: Set<String>] = [:]
      for file in files {
        for type in file.declared { owners[type, default: []].insert(file.folder) }
      }
      var uses: [String: [String: String]] = [:]
      for file in files {
        for type in file.used {
          // A name that two folders declare belongs to neither.
          guard let owner = owners[type], owner.count == 1, let folder = owner.first else {
            continue
          }
          if folder != file.folder {
            uses[file.folder, default: [:]][folder] = "\(file.name): \(type)"
          }
        }
      }
      for (folder, others) in uses {
        for (other, use) in others {
          let back = uses[other]?[folder]
          #expect(back == nil, "\(module): \(folder) and \(other) use each other (\(use))")
        }
      }
    }
  }
}

/// The names of types in a file, without comments and string literals.
private struct SourceNames {
  let module: String
  /// The folder below the module's; empty for the module's own.
  let folder: String
  let name: String
  private(set) var declared: Set<String> = []
  private(set) var used: Set<String> = []

  private static let keywords: Set<String> = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]

  private static func endsPath(_ character: Character) -> Bool {
    !character.isLetter && !character.isNumber && character != "_" && character != "."
  }

  init(_ file: URL) throws {
    let parts = file.path.dropFirst(Sources.root.path.count).split(separator: "/").map(String.init)
    module = parts[1]
    folder = parts.count > 3 ? parts[2] : ""
    name = parts[parts.count - 1]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      var last = ""
      let isTopLevel =
        line.first != " " && !line.hasPrefix("private") && !line.hasPrefix("fileprivate")
      // The parts of a line with an even index lie outside of string literals.
      let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
      for (index, part) in code.split(separator: "\"", omittingEmptySubsequences: false)
        .enumerated()
      {
        if index % 2 == 1 { continue }
        for path in part.split(whereSeparator: Self.endsPath) {
          // A type that is nested in another one is found by the outer one.
          let word = String(path.prefix { $0 != "." })
          if isTopLevel, Self.keywords.contains(last) { declared.insert(word) }
          if word.first?.isUppercase == true { used.insert(word) }
          last = word
        }
      }
    }
  }
}
