import Foundation
import Testing

/// The table of the article about errors, by code.
package enum ErrorsArticle {
  /// The parties that can resolve an error.
  package static func blames() throws -> [String: Set<String>] { try column(1) }

  /// The exit codes of `petspot`.
  package static func exitCodes() throws -> [String: Set<Int>] {
    try column(3).mapValues { Set($0.compactMap { Int($0) }) }
  }

  /// The HTTP statuses of PetSpot's server.
  package static func statuses() throws -> [String: Set<Int>] {
    try column(4).mapValues { Set($0.compactMap { Int($0) }) }
  }

  private static func column(_ number: Int) throws -> [String: Set<String>] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appending(path: "Sources/PhotoAttachments/PhotoAttachments.docc/Errors.md")
    let rows = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
    return try Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(cells.count == 6, "\(row)")
        let words = cells[number].split(separator: ",").map {
          $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
        return (cells[0].trimmingCharacters(in: ["`"]), Set(words))
      })
  }
}
