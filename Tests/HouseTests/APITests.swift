import Foundation
import Testing

@Suite("The API for hosts changes only on purpose")
struct APITests {
  private static let modules = [
    "BlobStoreS3", "ImageContainers", "PhotoAttachments", "PhotoIngestion", "PhotoModel",
    "PhotoStorePostgres", "PhotoStoreSQLite",
  ]

  @Test("Each module has the declarations of its list in the folder API", arguments: modules)
  func baseline(_ module: String) throws {
    let list = Sources.root.appending(path: "Tests/HouseTests/API/\(module).txt")
    let found = try Sources.files(below: "Sources/\(module)", ending: ".swift")
      .flatMap { PublicDeclarations(try String(contentsOf: $0, encoding: .utf8)).found }.sorted()
    if ProcessInfo.processInfo.environment["PETSPOT_ACCEPT_API"] != nil {
      try Data((found.joined(separator: "\n") + "\n").utf8).write(to: list)
    }
    let known = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(
      String.init)
    let changes = found.difference(from: known)
    let differences = changes.removals.map { "- \($0)" } + changes.insertions.map { "+ \($0)" }
    #expect(
      changes.isEmpty,
      """
      \(differences.joined(separator: "\n"))
      If hosts have to follow this, say so in CHANGELOG.md. To accept it, run \
      PETSPOT_ACCEPT_API=1 swift test --filter APITests
      """)
  }

  @Test("The parts of a file that hosts can use are found")
  func found() {
    let file = """
      /// public var comment: Int
      public struct Pet: Sendable {
        public let name: String
        public init(
          _ name: String, now: () -> Date = { Date() }
        ) throws { self.name = name }
        public enum Kind { case dog, cat }
        func bark() { let public = "{ public var none: Int" }
      }
      extension Pet: Equatable {
        public static func == (one: Pet, other: Pet) -> Bool { true }
      }
      package protocol Hidden { func none() }
      """
    #expect(
      PublicDeclarations(file).found == [
        "public struct Pet: Sendable", "Pet: public let name: String",
        "Pet: public init( _ name: String, now: () -> Date = { Date() } ) throws",
        "Pet: public enum Kind", "Pet.Kind: case dog, cat", "extension Pet: Equatable",
        "Pet: public static func == (one: Pet, other: Pet) -> Bool",
      ])
  }
}

/// The public declarations of a file, without their bodies.
private struct PublicDeclarations {
  private(set) var found: [String] = []
  /// The types around the current line, with the number of open braces in front of each.
  private var scopes: [(name: String, depth: Int, isOpen: Bool, isProtocol: Bool)] = []
  private var depth = 0
  /// The beginning of a declaration of several lines.
  private var pending: String?

  init(_ file: String) {
    for line in file.split(separator: "\n") {
      // Braces in texts and in comments don't count.
      let code = line.replacing(/"(?:[^"\\]|\\.)*"/) { $0.output.filter { !"(){}".contains($0) } }
        .replacing(/(^|\s)\/\/.*/, with: "").trimmingCharacters(in: .whitespaces)
      if !code.isEmpty { read(code) }
    }
  }

  private mutating func read(_ code: String) {
    let text = pending.map { $0 + " " + code } ?? code
    let scope = scopes.last
    let isMember = scope.map { $0.isOpen && depth == $0.depth + 1 } ?? false
    let isRequirement =
      isMember && (scope?.isProtocol == true && text != "}" || text.hasPrefix("case "))
    let isConformance = text.contains(#/^extension [\w.]+: /#)
    let isDeclared = text.contains(#/^(@\S+ )*public (?!import)/#) || isRequirement || isConformance
    let goesOn = text.count("(") > text.count(")") || text.hasSuffix(",")
    pending = isDeclared && goesOn ? text : nil
    if pending != nil { return }
    if isDeclared {
      let prefix = scopes.isEmpty ? "" : scopes.map(\.name).joined(separator: ".") + ": "
      found.append(prefix + Self.withoutBody(text))
    }
    let type = /(struct|enum|class|actor|protocol|extension) ([\w.]+)[^(]*\{/
    if let match = text.firstMatch(of: type) {
      let isOpen = isDeclared && ["enum", "protocol"].contains(match.output.1)
      scopes.append((String(match.output.2), depth, isOpen, match.output.1 == "protocol"))
      if isOpen, let body = text.firstMatch(of: /\{ (case [^}]*) \}/)?.output.1 {
        found.append(scopes.map(\.name).joined(separator: ".") + ": " + body)
      }
    }
    depth += text.count("{") - text.count("}")
    while let last = scopes.last, depth <= last.depth { scopes.removeLast() }
  }

  /// Cuts a declaration off at the first brace outside of parentheses.
  private static func withoutBody(_ text: String) -> String {
    var open = 0
    for index in text.indices {
      if text[index] == "(" { open += 1 }
      if text[index] == ")" { open -= 1 }
      if text[index] == "{", open == 0 {
        return text[..<index].trimmingCharacters(in: .whitespaces)
      }
    }
    return text
  }
}

extension String {
  fileprivate func count(_ character: Character) -> Int { count { $0 == character } }
}
