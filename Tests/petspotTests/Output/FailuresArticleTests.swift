import Foundation
import PhotoAttachments
import Testing

@testable import petspot
import PhotoIngestion

@Suite struct FailuresArticleTests {
  /// Code → exit codes, as the article's table says.
  private func table() throws -> [String: Set<Int32>] {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appending(
      path: "Sources/PhotoAttachments/PhotoAttachments.docc/Failures.md")
    let rows = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| `")
    }
    return try Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(cells.count == 4, "\(row)")
        let exits = cells[2].split(separator: ",").compactMap {
          Int32($0.trimmingCharacters(in: .whitespaces))
        }
        return (cells[0].trimmingCharacters(in: ["`"]), Set(exits))
      })
  }

  @Test func tableHasEveryCodeWithItsExitCodes() throws {
    let expected = Dictionary(grouping: StoreError.samples, by: \.code)
      .mapValues { Set($0.map(\.facts.exitCode)) }
    #expect(try table() == expected)
  }
}
