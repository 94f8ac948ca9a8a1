import Foundation

/// Mentions of papers that are not in the project (seeds, decisions, lessons, the contract), and
/// what the article that stands in for them tells.
///
/// Both are texts such as `Seed 028`, `Decision 12`, `Lesson P18` and `Seed 021 FR-014`.
enum References {
  /// Path of the article below the project's root.
  static let article = "Sources/ReportFlow/ReportFlow.docc/Decisions.md"

  /// Where comments and articles are: each text file's path below the project's root.
  static func places() -> [String] {
    let folders = ["Sources", "Tests", "Scripts", "Benchmarks"].flatMap { folder in
      let root = SourceTree.root.appending(path: folder).path
      let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
      return names.map { "\(folder)/\($0)" }
    }
    // Scripts without an ending are Python or shell.
    return (folders + ["README.md", "Package.swift"]).sorted().filter {
      let ending = URL(filePath: $0).pathExtension
      return ["swift", "md", "py"].contains(ending) || ending.isEmpty && $0.hasPrefix("Scripts/")
    }
  }

  /// The text of a file, nil for folders.
  static func text(at path: String) -> String? {
    try? String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
  }

  /// A text cut into pieces within which "FR-014" means that of the seed named before it: comments
  /// with the line of code before them, or sections of an article.
  static func pieces(of text: String, at path: String) -> [String] {
    let isArticle = path.hasSuffix(".md")
    let mark: Character = path.hasSuffix(".swift") ? "/" : "#"
    var pieces: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " || $0 == "\t" }
      if !pieces.isEmpty, isArticle ? !line.hasPrefix("#") : words.first == mark {
        let more = isArticle ? line : words.drop { $0 == mark || $0 == " " }
        pieces[pieces.count - 1] += " " + more
      } else {
        pieces.append(String(line))
      }
    }
    return pieces
  }

  /// One of these is in every mention.
  private static let hints = ["eed", "ecision", "esson", "FR-", "SC-", "ontract", "hipped"].map {
    Array($0.utf8)
  }

  /// What a piece of text names, in its order.
  static func named(in piece: String) -> [String] {
    // Regular expressions are slow, and hardly any piece names anything.
    guard hints.contains(where: piece.utf8.holds) else { return [] }
    let mention =
      #/
      ([Ss]eed|[Dd]ecision|[Ll]esson)s?\h(P?\d+(?:(?:,|,?\hand|\hto)\hP?\d+)*)
      | ((?:FR|SC)-\d+|[Ss]ection\h\d+)
      | [Cc]ontract | [Ss]hipped
      /#
    var names: [String] = []
    var seed: String?
    for match in piece.matches(of: mention) {
      let (whole, kind, numbers, part) = match.output
      if let kind, let numbers {
        let named = Self.numbers(in: numbers)
          // A random generator has a seed, too.
          .filter { kind.lowercased() != "seed" || $0.count == 3 }
          .map { "\(kind.capitalized) \($0)" }
        if kind.lowercased() == "seed", let last = named.last { seed = last }
        names += named
      } else if let part {
        // Foreign specifications have sections, too.
        if let seed { names.append("\(seed) \(part.prefix(1).uppercased() + part.dropFirst())") }
        if seed == nil, part.contains("-") { names.append("\(part) of a seed that is not named") }
      } else {
        names.append(whole.capitalized)
      }
    }
    return names
  }

  /// The numbers of a list such as `021 and 031`, `4 to 7` or `P17, P18`.
  private static func numbers(in list: Substring) -> [String] {
    var numbers: [String] = []
    var isRange = false
    for word in list.split(whereSeparator: { " ,".contains($0) }) {
      if word == "to" {
        isRange = true
      } else if isRange, let first = numbers.last.flatMap({ Int($0) }), let last = Int(word) {
        numbers += (first...last).dropFirst().map(String.init)
        isRange = false
      } else if word != "and" {
        numbers.append(String(word))
      }
    }
    return numbers
  }

  /// What an article has an entry for: a heading with a text below, or a point of a seed's list.
  static func told(in article: String) -> [String] {
    var names: [String] = []
    for section in pieces(of: article, at: "article.md") {
      if section.hasPrefix("## The command line's contract  ") { names.append("Contract") }
      if section.hasPrefix("## The shipped project  ") { names.append("Shipped") }
      let heading = #/### (Seed \d{3}|Decision \d+|Lesson P\d+): [^ ].*?  [^ ]/#
      guard let name = section.prefixMatch(of: heading)?.output.1 else { continue }
      names.append(String(name))
      for point in section.matches(of: #/- \*\*((?:FR|SC)-\d+|Section \d+)\*\*: [^ ]/#) {
        names.append("\(name) \(point.output.1)")
      }
    }
    return names
  }
}

extension String.UTF8View {
  /// Whether these bytes are somewhere in the text.
  fileprivate func holds(_ bytes: [UInt8]) -> Bool {
    var rest = self[...]
    while let start = rest.firstIndex(of: bytes[0]) {
      rest = rest[start...]
      if rest.starts(with: bytes) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
