import Foundation
import PhotoAttachments
import Testing

@testable import petspot
import PhotoIngestion

@Suite struct FailuresArticleTests {
  /// Returns the exit codes or statuses of each code, from a column of the article's table.
  private func table(column: Int) throws -> [String: Set<Int>] {
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
        try #require(cells.count == 5, "\(row)")
        let exits = cells[column].split(separator: ",").compactMap {
          Int($0.trimmingCharacters(in: .whitespaces))
        }
        return (cells[0].trimmingCharacters(in: ["`"]), Set(exits))
      })
  }

  @Test func tableHasEveryCodeWithItsExitCodesAndStatuses() throws {
    let samples = Dictionary(grouping: StoreError.samples.map(\.facts), by: \.code)
    #expect(try table(column: 2) == samples.mapValues { Set($0.map { Int($0.exitCode) }) })
    #expect(try table(column: 3) == samples.mapValues { Set($0.map(\.status)) })
  }
}
