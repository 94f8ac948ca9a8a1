import Foundation
import Testing

/// The table in the documentation names only tests, and checks of pages, that exist.
@Test func everyRequirementNamesATest() throws {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let article = try String(
    contentsOf: root.appending(path: "Sources/ReportFlow/ReportFlow.docc/Requirements.md"),
    encoding: .utf8)
  var tests: Set<String> = []
  for target in ["ReportFlow", "PhotoStoreSQLite", "Announcements", "petspot"] {
    let path = root.appending(path: "Tests/\(target)Tests").path
    for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init()
    where name.hasSuffix(".swift") {
      let source = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
      for match in source.matches(of: /@Test[^"]*?func ([A-Za-z0-9]+)|@Suite struct ([A-Za-z]+)/) {
        tests.insert(String(match.output.1 ?? match.output.2 ?? ""))
      }
      for match in source.matches(of: /func ([A-Za-z0-9]+)\(/) where source.contains("@Test(") {
        tests.insert(String(match.output.1))
      }
    }
  }
  let checks = root.appending(path: "Scripts/paging").path
  for name in try FileManager.default.contentsOfDirectory(atPath: checks)
  where name.hasPrefix("checks_") {
    let source = try String(contentsOfFile: "\(checks)/\(name)", encoding: .utf8)
    for match in source.matches(of: /@check\(([0-9]+),/) { tests.insert("check \(match.output.1)") }
  }
  let rows = article.split(separator: "\n").filter {
    $0.hasPrefix("| ") && !$0.contains("| test |")
  }
  #expect(rows.count > 80)
  for row in rows {
    let cell = row.split(separator: "|").last(where: { $0.contains("`") }) ?? ""
    let named = cell.matches(of: /`([A-Za-z0-9]+|check [0-9]+)`/).map { String($0.output.1) }
    #expect(!named.isEmpty, "no test: \(row)")
    for name in named { #expect(tests.contains(name), "\(name) is no test") }
  }
}
