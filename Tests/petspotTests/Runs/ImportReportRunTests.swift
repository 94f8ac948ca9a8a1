import Foundation
import SystemPackage
import Testing

@testable import petspot

/// Tests of reports that continue those of earlier imports.
@Suite final class ImportReportRunTests {
  let program: Program
  var photos: URL { program.work.appending(path: "photos") }

  init() throws {
    program = try Program()
    try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
  }

  private func add(_ name: String, _ image: String) throws {
    let file = photos.appending(path: name)
    try FileManager.default.copyItem(at: URL(filePath: Program.image(image)), to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: file.path)
  }

  /// Runs three imports into one report, with one more photo each time.
  private func threeRuns(_ report: URL) throws {
    let names = ["a.jpg", "],\"earlier\":[ \"b.jpg", "c.jpg"]
    let images = ["gps-exif.jpg", "orientation-6.jpg", "orientation-6.jpg"]
    for (name, image) in zip(names, images) {
      try add(name, image)
      let told = try program.run("import", photos.path, "--report", report.path)
      #expect(told.exitCode == 0, "\(told.err)")
    }
  }

  /// Skipped files are listed in the requested report.
  @Test func theTotalsNameTheReport() throws {
    try add("a.tiff", "foreign.tiff")
    let report = program.work.appending(path: "r.html").path
    for (language, text) in [("en", "is listed in \(report)"), ("pl", "plików: \(report)")] {
      let terminal = try Pseudoterminal(
        ["import", photos.path, "--report", report, "--lang", language], cache: program.cache)
      try terminal.expect(text)
      #expect(terminal.exitCode() == 0)
    }
  }

  /// Rows have a header and the beginning of an ID, and fit the terminal. `--verbose` shows everything.
  @Test func rowsFitTheTerminal() throws {
    let name = String(repeating: "a", count: 70) + ".jpg"
    try add(name, "gps-exif.jpg")
    let told = try program.run("import", photos.path, "--json")
    let line = try #require(told.out.split(separator: "\n").first)
    let file = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let id = try #require(file?["id"] as? String)
    for columns in [62, 80] {
      let terminal = try Pseudoterminal(["list"], cache: program.cache, columns: columns)
      #expect(terminal.exitCode() == 0)
      let lines = terminal.screen.split(whereSeparator: \.isNewline)
      #expect(
        lines.count == 2 && lines.allSatisfy { TextCells.width(of: $0) <= columns }, "\(lines)")
      #expect(terminal.screen.contains("TAKEN") && terminal.screen.contains(id.prefix(8) + "  "))
      #expect(!terminal.screen.contains(id))
    }
    #expect(try program.run("list").out.contains("\n" + id.prefix(8) + "  "))
    let whole = try program.run("list", "--verbose").out
    #expect(whole.contains(id) && whole.contains(name))
  }

  @Test func jsonKeepsTheRunsBefore() throws {
    let report = program.work.appending(path: "r.json")
    try threeRuns(report)
    let text = try Data(contentsOf: report)
    let newest = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
    let earlier = try #require(newest["earlier"] as? [[String: Any]])
    let runs = [newest] + earlier
    let outcomes = runs.map { run in
      (run["files"] as? [[String: Any]] ?? []).compactMap { $0["outcome"] as? String }.sorted()
    }
    #expect(
      outcomes == [
        ["duplicate", "unchanged", "unchanged"], ["imported", "unchanged"], ["imported"],
      ])
    for run in runs {
      #expect((run["summary"] as? [String: Any])?["files"] as? Int != nil)
      let told = try #require(run["run"] as? [String: Any])
      #expect((told["command"] as? String)?.contains("import") == true && told["date"] != nil)
      #expect(told["folders"] as? [String] == [photos.path])
    }
    #expect(earlier.allSatisfy { $0["earlier"] == nil })
  }

  /// A report of an older program, which has no list of earlier runs, is continued as one run.
  @Test func jsonOfAnOlderProgramIsKept() throws {
    let report = program.work.appending(path: "r.json")
    try add("a.jpg", "gps-exif.jpg")
    try Data("{\"files\":[\n{\"path\":\"/x\"}\n],\"summary\":{\"files\":1}}\n".utf8).write(
      to: report)
    #expect(try program.run("import", photos.path, "--report", report.path).exitCode == 0)
    let told = try JSONSerialization.jsonObject(with: Data(contentsOf: report)) as? [String: Any]
    let earlier = try #require(told?["earlier"] as? [[String: Any]])
    #expect((earlier[0]["files"] as? [[String: Any]])?[0]["path"] as? String == "/x")
  }

  /// The import is refused, and the existing file stays unchanged.
  @Test(arguments: [
    ("r.json", "{}"), ("r.json", "{\"files\":[\"a.c\"]}\n"),
    ("r.html", "<!doctype html>\n<p>mine\n"),
    ("r.csv", "path,outcome\r\nmine,mine\r\n"), ("r.csv", "{\"files\":[\n\n],\"summary\":{}}\n"),
  ])
  func anotherFileStays(_ name: String, _ text: String) throws {
    try add("a.jpg", "gps-exif.jpg")
    let file = program.work.appending(path: name)
    try Data(text.utf8).write(to: file)
    let told = try program.run("import", photos.path, "--report", file.path, "--json")
    told.expectError(
      exit: 73, code: "storage", says: "\(file.path) isn't a report", #_sourceLocation)
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
    #expect(!FileManager.default.fileExists(atPath: program.cache.path))
  }

  @Test func aLinkAndAPipeStay() throws {
    try add("a.jpg", "gps-exif.jpg")
    let (link, pipe) = (program.work.path + "/link.csv", program.work.path + "/pipe.csv")
    #expect(symlink("elsewhere.csv", link) == 0 && mkfifo(pipe, 0o600) == 0)
    for (path, kind, text) in [(link, S_IFLNK, "is a link"), (pipe, S_IFIFO, "isn't a report")] {
      let told = try program.run("import", photos.path, "--report", path)
      #expect(told.exitCode == 73 && told.err.contains(text), "\(told.err)")
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == kind)
    }
  }

  @Test(arguments: ["html", "json", "csv"])
  func anEmptyFileBecomesAReport(_ kind: String) throws {
    try add("a.jpg", "gps-exif.jpg")
    let report = program.work.appending(path: "r." + kind)
    try Data().write(to: report)
    #expect(try program.run("import", photos.path, "--report", report.path).exitCode == 0)
    #expect(try String(contentsOf: report, encoding: .utf8).contains("a.jpg"))
  }

  /// This system file has no size and can't be read.
  @Test func whatCannotBeReadIsNotTakenForEmpty() throws {
    let error = #expect(throws: Failure.self) {
      try EarlierReport.find(at: "/proc/self/mem", .json)
    }
    #expect(error?.exitCode == 74 && error?.message.contains("input/output error") == true)
  }

  /// A file that appears during the import stays, and the report gets another name beside it.
  @Test(arguments: [("file", 73), ("folder", 74)])
  func whatCameMeanwhileStays(_ what: String, _ exitCode: Int32) throws {
    try add("a.jpg", "gps-exif.jpg")
    let (report, other) = (program.work.path + "/r.csv", program.work.path + "/r-2.csv")
    #expect(try program.run("import", photos.path, "--report", report).exitCode == 0)
    try Data("mine".utf8).write(to: URL(filePath: other))
    try add("b.jpg", "orientation-6.jpg")
    let watching = try program.start("import", photos.path, "--report", report, "--watch")
    while try program.run("list", "b.jpg").out.split(separator: "\n").count < 2 { usleep(100_000) }
    try FileManager.default.removeItem(atPath: report)
    if what == "file" {
      try Data("mine".utf8).write(to: URL(filePath: report))
    } else {
      try FileManager.default.createDirectory(atPath: report, withIntermediateDirectories: false)
    }
    kill(watching.process.processIdentifier, SIGINT)
    let told = try watching.outcome()
    #expect(told.exitCode == exitCode && told.out.contains("1 imported"), "\(told)")
    let new = program.work.path + "/r-3.csv"
    #expect(told.err.contains(report) && told.err.contains(new), "\(told.err)")
    #expect(try String(contentsOfFile: new, encoding: .utf8).contains("b.jpg"))
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
    if what == "file" { #expect(try String(contentsOfFile: report, encoding: .utf8) == "mine") }
    let names = try FileManager.default.contentsOfDirectory(atPath: program.work.path)
    #expect(!names.contains { $0.hasPrefix(".petspot-report") })
  }

  /// The markers are split between the pieces in which a report is read.
  @Test(arguments: (1...16).map { (1 << 20) - $0 })
  func longReportsAreTakenUpWhole(_ at: Int) throws {
    let head = "{\"files\":[\n"
    let path = FilePath(program.work.path + "/r.json")
    let newest = { (end: String) in
      head + String(repeating: " ", count: at - head.utf8.count) + "\n],\"summary\":{}" + end
    }
    let earlier = "{\"files\":[\"" + String(repeating: "x", count: 3 << 20) + "\"]}\n"
    try Data((newest(",\"earlier\":[\n") + earlier + "]}\n").utf8)
      .write(to: URL(filePath: path.string))
    let stream = try ReportStream(beside: path)
    try #require(try EarlierReport.find(at: path, .json)).copyRuns(to: stream)
    try stream.close()
    #expect(try String(contentsOfFile: path.string, encoding: .utf8) == newest("},\n") + earlier)
  }

  @Test func aTableKeepsTheRunsBefore() throws {
    let report = program.work.appending(path: "r.csv")
    try threeRuns(report)
    let lines = try String(contentsOf: report, encoding: .utf8).components(separatedBy: "\r\n")
    #expect(lines.count == 8 && lines[0].hasSuffix(",original,url,run"))
    #expect(lines.filter { $0.hasPrefix("path,") }.count == 1)
    for (outcome, count) in [("imported", 2), ("unchanged", 3), ("duplicate", 1)] {
      #expect(lines.filter { $0.contains(",\"\(outcome)\",") }.count == count, "\(outcome)")
    }
    #expect(lines[1...6].allSatisfy { $0.wholeMatch(of: /.*"20\d\d-\d\d-\d\d \d\d:\d\d"/) != nil })
  }
}
