import Foundation
import Testing

@testable import petspot

@Suite final class ImportRunTests {
  let program: Program
  var photos: URL { program.work.appending(path: "photos") }

  init() throws {
    program = try Program()
    try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
  }

  /// Adds a copy of a test image, or bytes, with a modification time an hour ago, because fresh files count as
  /// unfinished.
  private func add(_ name: String, _ image: String? = nil, _ bytes: Data = Data()) throws {
    let file = photos.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let data = try image.map { try Data(contentsOf: URL(filePath: Program.image($0))) } ?? bytes
    try data.write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: file.path)
  }

  /// Returns the objects of a run with `--json`. There is one per file, and the totals have to add up.
  private func objects(
    _ outcome: Program.Outcome
  ) throws -> (files: [[String: Any]], summary: [String: Any]) {
    let lines = try outcome.out.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let summary = try #require(lines.last)
    #expect(summary["event"] as? String == "summary")
    let parts = ["imported", "duplicates", "unchanged", "skipped", "failed"]
    #expect(parts.compactMap { summary[$0] as? Int }.reduce(0, +) == summary["files"] as? Int)
    #expect(summary["files"] as? Int == lines.count - 1)
    return (lines.dropLast(), summary)
  }

  private func run(_ options: String...) throws -> Program.Outcome {
    try program.run(["import", photos.path, "--cache", program.cache.path] + options)
  }

  @Test func tellsOfEveryFileAndReadsUnchangedOnesNotAgain() throws {
    try add("a.jpg", "gps-exif.jpg")
    try add("b.jpg", "gps-exif.jpg")
    try add("c.txt", nil, Data("no photo".utf8))
    try add("d.jpg", nil, Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0]))
    let first = try run("--json")
    #expect(first.exitCode == 65)
    let (files, summary) = try objects(first)
    #expect(
      files.compactMap { $0["outcome"] as? String }
        == ["imported", "duplicate", "skipped", "failed"])
    #expect(files.compactMap { $0["code"] as? String } == ["unsupported-format", "corrupt"])
    #expect(files[1]["duplicateOf"] as? String == files[0]["id"] as? String)
    #expect(files[1]["tier"] as? String == "bytes")
    let stages = try #require(summary["stages"] as? [String: Double])
    #expect(
      Set(stages.keys) == [
        "read", "sniff", "walk", "probe", "decode", "encode", "preview", "prove", "store", "record",
      ])
    #expect(["read", "decode", "preview", "store"].allSatisfy { stages[$0, default: 0] > 0 })

    let second = try objects(try run("--json"))
    #expect(second.summary["unchanged"] as? Int == 2)
    #expect(second.summary["bytesRead"] as? Int == 0)
    #expect(second.files.compactMap { $0["code"] as? String } == ["unsupported-format", "corrupt"])
  }

  @Test func plainLinesInAPipe() throws {
    try add("a.jpg", "gps-exif.jpg")
    let outcome = try run()
    #expect(outcome.exitCode == 0 && outcome.err.isEmpty)
    #expect(!outcome.out.contains("\u{1B}") && !outcome.out.contains("\r"))
    #expect(outcome.out.hasPrefix("imported   \(photos.path)/a.jpg"))
    #expect(outcome.out.contains("1 file: 1 imported"))
    #expect(try run("--quiet").out.isEmpty)
    #expect(try run("--verbose").out.contains("Total thread time: read"))
  }

  @Test func aBarOnATerminal() throws {
    try add("a.jpg", "gps-exif.jpg")
    let terminal = try Pseudoterminal(["import", photos.path], cache: program.cache)
    try terminal.expect("\r\u{1B}[K")
    try terminal.expect("1 file: 1 imported")
    #expect(terminal.exitCode() == 0)
  }

  @Test func aDryRunTellsTheSameAndStoresNothing() throws {
    try add("a.jpg", "gps-exif.jpg")
    try add("b.png", "orientation-6.jpg")
    let dry = try objects(try run("--dry-run", "--json"))
    #expect(try program.run("list", "--json").out.isEmpty)
    let real = try objects(try run("--json"))
    func outcomes(_ files: [[String: Any]]) -> [String] {
      files.compactMap { $0["outcome"] as? String }
    }
    #expect(outcomes(dry.files) == ["imported", "imported"])
    #expect(outcomes(dry.files) == outcomes(real.files))
  }

  /// The output is in the conditional, without IDs that won't exist, and with the originals that would be deleted.
  @Test func aDryRunTellsWhatWouldBe() throws {
    try add("a.jpg", "gps-exif.jpg")
    try add("b.jpg", "gps-exif.jpg")
    try add("c.jpg", "motion-photo.jpg")
    try add("d.txt", nil, Data("no photo".utf8))
    let (files, summary) = try objects(try run("--dry-run", "--json", "--delete-source"))
    #expect(summary["dryRun"] as? Bool == true && summary["bytesWritten"] as? Int == 0)
    #expect(summary["deletedSources"] as? Int == 2 && summary["keptSources"] as? Int == 1)
    #expect(files.allSatisfy { $0["dryRun"] as? Bool == true && $0["id"] == nil })
    #expect(files[1]["duplicateOf"] is NSNull)
    #expect((files[1]["duplicateOfPath"] as? String)?.hasSuffix("/a.jpg") == true)
    #expect(files.map { $0["sourceWouldBeDeleted"] as? Bool } == [true, true, nil, nil])
    let told = try run("--dry-run", "--delete-source")
    #expect(told.err.isEmpty)
    for text in [
      "would import  \(photos.path)/a.jpg  (original would be deleted)",
      "the same file as \(photos.path)/a.jpg", "original would stay: its photo is stored without",
      "would skip", "2 would be imported", "stored nothing", "2 originals would be deleted, 1 kept",
    ] {
      #expect(told.out.contains(text), "\(text): \(told.out)")
    }
    #expect(!told.out.contains("wrote"))
    let polish = try run("--dry-run", "--move-source", program.work.path + "/x", "--lang", "pl")
    #expect(polish.out.contains("Oryginały do przeniesienia: 2, pozostawione: 1."), "\(polish.out)")
    #expect(!FileManager.default.fileExists(atPath: program.work.path + "/x"))
    #expect(try objects(try run("--json")).summary["dryRun"] as? Bool == false)
  }

  @Test func originalsAreMoved() throws {
    try add("a.jpg", "gps-exif.jpg")
    let target = program.work.appending(path: "moved").path
    let (files, summary) = try objects(try run("--move-source", target, "--yes", "--json"))
    #expect(files.first?["sourceMovedTo"] as? String == target + "/a.jpg")
    #expect(summary["movedSources"] as? Int == 1 && summary["deletedSources"] as? Int == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: photos.path).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["a.jpg"])
    // The moved original is known at its new place.
    let again = try program.run("import", target, "--json")
    #expect(try objects(again).summary["unchanged"] as? Int == 1)
    let link = program.work.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: photos.path)
    for place in [photos.path + "/in", link + "/in/it", program.cache.path + "/blobs/x"] {
      let refused = try run("--move-source", place)
      #expect(
        refused.exitCode == 64 && refused.err.contains("outside the imported ones"), "\(place)")
    }
    // A cache that doesn't exist yet can't be the target of a move either, and isn't created.
    for place in [program.work.path + "/later", program.work.path + "/later/in/it"] {
      let early = try program.run([
        "import", photos.path, "--move-source", place, "--cache", program.work.path + "/later/",
      ])
      #expect(early.exitCode == 64 && early.err.contains("--move-source"), "\(early.err)")
    }
    #expect(!FileManager.default.fileExists(atPath: program.work.path + "/later"))
    #expect(try run("--delete-source", "--move-source", target).exitCode == 64)
  }

  /// The meaning of deleting is explained first, and at a terminal it needs a confirmation.
  @Test(arguments: [("no", false), ("yes", true), ("", false)])
  func deletingIsAskedForAtATerminal(_ answer: String, _ isDone: Bool) throws {
    try add("a.jpg", "gps-exif.jpg")
    let terminal = try Pseudoterminal(
      ["import", photos.path, "--delete-source"], cache: program.cache)
    try terminal.expect("takes")
    try terminal.expect("Delete the originals?")
    terminal.type(answer)
    try terminal.expect(isDone ? "Deleted 1 original" : "Nothing was done.")
    #expect(terminal.exitCode() == (isDone ? 0 : 130))
    #expect(FileManager.default.fileExists(atPath: photos.path + "/a.jpg") != isDone)
  }

  @Test func deletingIsNotAskedForWithYes() throws {
    try add("a.jpg", "gps-exif.jpg")
    let script = try run("--delete-source", "--yes")
    #expect(script.exitCode == 0 && script.err.contains("takes its place"))
    try add("a.jpg", "gps-exif.jpg")
    let terminal = try Pseudoterminal(
      ["import", photos.path, "--delete-source", "--yes", "--lang", "pl"], cache: program.cache)
    try terminal.expect("zastąpi")
    try terminal.expect("Usunięte oryginały: 1")
    #expect(terminal.exitCode() == 0 && !terminal.screen.contains("Usunąć oryginały?"))
  }

  /// Without a terminal, originals are deleted or moved only with `--yes`, and nothing is read before.
  @Test func withoutATerminalDeletingAndMovingNeedYes() throws {
    try add("a.jpg", "gps-exif.jpg")
    let target = program.work.appending(path: "moved").path
    for options in [["--delete-source"], ["--move-source", target]] {
      let refused = try program.run(["import", photos.path] + options + ["--json"])
      #expect(refused.exitCode == 64 && refused.err.contains("--yes"), "\(refused.err)")
      #expect(!refused.out.contains("\"event\""))
    }
    #expect(try run("--delete-source", "--lang", "pl").err.contains("Poza terminalem"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: photos.path) == ["a.jpg"])
    #expect(!FileManager.default.fileExists(atPath: program.cache.path))
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(try run("--delete-source", "--dry-run").exitCode == 0)
  }

  /// Folders that cleaning tools may delete never get the only copy, whichever way they are reached.
  @Test func originalsStayWhenTheirPhotosWouldBeInTheUsersCaches() throws {
    try add("a.jpg", "gps-exif.jpg")
    let (home, link) = (program.work.path + "/home", program.work.path + "/link")
    try FileManager.default.createDirectory(
      atPath: home + "/.cache", withIntermediateDirectories: true)
    #expect(symlink(home + "/.cache", link) == 0)
    for (cache, named) in [
      (home + "/.cache", ""), (home + "/.cache/a/b", ""), (link + "/x", ""),
      (home + "/c/x", home + "/c"),
      (home + "/.cache/x", home + "/c"),
    ] {
      let refused = try program.run(
        ["import", photos.path, "--delete-source", "--yes", "--cache", cache],
        environment: ["HOME": home, "XDG_CACHE_HOME": named])
      #expect(refused.exitCode == 64 && refused.err.contains("cache folder"), "\(cache) \(refused)")
    }
    #expect(FileManager.default.fileExists(atPath: photos.path + "/a.jpg"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [".cache"])
    let kept = try program.run(
      ["import", photos.path, "--delete-source", "--yes", "--cache", home + "/.cached"],
      environment: ["HOME": home, "XDG_CACHE_HOME": ""])
    #expect(kept.exitCode == 0 && kept.out.contains("Deleted 1 original"), "\(kept)")
  }

  /// Sidecars have one event each, but only one line in all.
  @Test func sidecarsHaveOneLine() throws {
    try add("IMG_1.HEIC", "portrait-phone.heic")
    try add("b.jpg", "gps-exif.jpg")
    let sidecars = [
      "IMG_1.AAE", "IMG_1.MOV", "IMG_1.xmp", "b.jpg.json", "b.jpg.supplemental-meta.json",
    ]
    for name in sidecars { try add(name, nil, Data("{}".utf8)) }
    try add("b.txt", nil, Data("no photo".utf8))
    try add("c.MOV", nil, Data("no photo".utf8))
    for _ in 0..<2 {
      let (files, summary) = try objects(try run("--json"))
      let found = files.filter { $0["code"] as? String == "sidecar" }
      #expect(
        found.compactMap { ($0["path"] as? String)?.split(separator: "/").last }.map(String.init)
          == sidecars)
      #expect(found.allSatisfy { $0["outcome"] as? String == "skipped" && $0["detected"] != nil })
      #expect(summary["skipped"] as? Int == 7 && summary["failed"] as? Int == 0)
      let told = try run().out
      #expect(told.contains("5  files that go with a photo"), "\(told)")
      #expect(!told.contains(".AAE") && !told.contains("save it as"), "\(told)")
    }
    #expect(try run("--lang", "pl").out.contains("5  pliki należące do zdjęć"))
  }

  /// Output to a pipe has a line for each file except unchanged ones, which `--verbose` adds.
  @Test func aPipeTellsWhatChanged() throws {
    try add("a.jpg", "gps-exif.jpg")
    let first = try program.run("import", photos.path).out.split(separator: "\n")
    #expect(first[0].hasPrefix("imported ") && first[1].hasPrefix("1 file: "), "\(first)")
    let second = try program.run("import", photos.path).out.split(separator: "\n")
    #expect(second.count == 2 && second[0].hasPrefix("1 file: 1 unchanged"), "\(second)")
    let every = try program.run("import", photos.path, "--verbose").out.split(separator: "\n")
    #expect(every[0].hasPrefix("unchanged "), "\(every)")
  }

  /// At a terminal, skipped files are counted by cause, with the way to the list, and the progress bar leaves no line.
  @Test func aTerminalTellsCausesAndNoLineOfTheBar() throws {
    try add("a.jpg", "gps-exif.jpg")
    for number in 0..<3 { try add("\(number).txt", nil, Data("no photo".utf8)) }
    try add(".hidden.jpg", "gps-exif.jpg")
    #expect(symlink("nowhere", photos.path + "/link") == 0)
    #expect(mkfifo(photos.path + "/pipe", 0o600) == 0)
    try add("._a.jpg", nil, Data([0, 5, 0x16, 7, 0, 2, 0, 0]))
    try add("z.jpg", nil, Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0]))
    let terminal = try Pseudoterminal(["import", photos.path], cache: program.cache, columns: 60)
    try terminal.expect("Skipped:")
    try terminal.expect("3  a text file")
    try terminal.expect("Failed:")
    try terminal.expect("1  damaged: ")
    try terminal.expect("FILE.html")
    #expect(terminal.exitCode() == 65)
    for jargon in ["apple-double", "fifo", "truncated"] {
      #expect(!terminal.screen.contains(jargon))
    }
    for text in ["a named pipe", "hidden (import them with --hidden)", "macOS metadata"] {
      #expect(terminal.screen.contains(text), "\(text)")
    }
    // Every line of the bar is cleared before other output.
    let bars = terminal.screen.split(separator: "\u{1B}[?7l").dropFirst()
    for bar in bars {
      let after = bar.split(separator: "\u{1B}[?7h", maxSplits: 1)
      #expect(TextCells.width(of: after[0]) < 60)
      #expect(after.count > 1 && after[1].hasPrefix("\r\u{1B}[K"))
    }
  }

  /// The line of the bar disappears when the program is suspended, and is drawn again when it continues.
  @Test func theBarIsDrawnAnewAfterASuspension() throws {
    for number in 0..<200 {
      let photo = try Data(contentsOf: URL(filePath: Program.image("orientation-6.jpg")))
      let comment = Data([0xFF, 0xFE, 0, 4, UInt8(number), 0])
      try add("\(number).jpg", nil, photo.prefix(2) + comment + photo.dropFirst(2))
    }
    let terminal = try Pseudoterminal(["import", photos.path], cache: program.cache)
    try terminal.expect("\u{1B}[?7h")
    terminal.suspend()
    let before = terminal.screen
    try #require(before.hasSuffix("\r\u{1B}[K"), "\(before.suffix(80))")
    terminal.resume()
    try terminal.expect("\u{1B}[?7h")
    try terminal.expect("200 files: ")
    #expect(terminal.exitCode() == 0)
  }

  /// The page has the interrupted run and the one that continues it. Equal files are side by side.
  @Test func thePageKeepsWhatAnEarlierPartShowed() throws {
    try add("a.jpg", "gps-exif.jpg")
    let page = program.work.appending(path: "page.html")
    #expect(try run("--report", page.path).exitCode == 0)
    try add("b.jpg", "orientation-6.jpg")
    try add("c.jpg", "orientation-6.jpg")
    let second = try program.run(
      "import", photos.path, "--report", page.path, "--lang", "pl")
    #expect(second.exitCode == 0)
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.hasPrefix("<!doctype html>\n<html lang=\"pl\">"))
    #expect(text.components(separatedBy: "<article class=\"run\">").count == 3)
    for shown in [
      "New photos", "Nowe zdjęcia", "<figcaption>a.jpg", "<figcaption>b.jpg",
      "petspot import \(photos.path) --report \(page.path) --lang pl",
      "<code>\(photos.path)</code>",
      "<figcaption>\(photos.path)/b.jpg<br>zapisane</figcaption></figure>\n<figure><img",
      "<figcaption>\(photos.path)/c.jpg<br>ten sam plik co \(photos.path)/b.jpg",
    ] {
      #expect(text.contains(shown), "\(shown)")
    }
    #expect(text.components(separatedBy: "</html>").count == 2)
  }

  @Test(arguments: ["html", "json", "csv"])
  func reportsStandOddNames(kind: String) throws {
    try add("a.jpg", "gps-exif.jpg")
    try add("<b>&\"'.jpg", "orientation-6.jpg")
    try add("=cmd|'x'!A1.jpg", nil, Data("no photo".utf8))
    try add("line\nbreak\u{1B}[31m.txt", nil, Data("no photo".utf8))
    let report = program.work.appending(path: "report.\(kind)")
    #expect(try run("--report", report.path).exitCode == 0)
    let text = try String(contentsOf: report, encoding: .utf8)
    #expect(!text.contains("\u{1B}"))
    switch kind {
    case "html":
      #expect(text.contains("&lt;b&gt;&amp;&quot;&#39;.jpg") && !text.contains("<b>"))
      #expect(text.contains("src=\"report_files/"))
      #expect(!text.contains("http://") && !text.contains("https://"))
    case "json":
      let page = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect((page?["files"] as? [Any])?.count == 4)
    default:
      // Every file can be found by its address.
      let found = text.split(separator: "\"").compactMap { URL(string: String($0)) }
        .filter { $0.isFileURL }.map(\.path)
      #expect(Set(found).isSuperset(of: [photos.path + "/line\nbreak\u{1B}[31m.txt"]))
      // Lines break only inside quotes.
      #expect(text.split(separator: "\r\n").count == 5)
      #expect(text.contains("\",skipped\"") || text.contains("\"skipped\""))
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: program.work.path)
    #expect(!left.contains { $0.hasSuffix(".part") })
  }

  /// The page begins with failures, then files that were skipped, by kind, then photos, each with its folder, date and
  /// ID. Pictures are beside the page, and a later import doesn't take them for photos.
  @Test func thePageBeginsWithFailures() throws {
    try add("sub/a.jpg", "gps-exif.jpg")
    try add("b.jpg", "orientation-6.jpg")
    try add("broken.jpg", "cut-200.jpg")
    for number in 0..<3 { try add("\(number).txt", nil, Data("no photo".utf8)) }
    let page = program.work.appending(path: "page 1.html")
    let (files, _) = try objects(try run("--json", "--report", page.path))
    let id = try #require(files.compactMap { $0["id"] as? String }.first)
    let text = try String(contentsOf: page, encoding: .utf8)
    let places = ["Failed (1)", "Skipped (3)", "3 × a text file", "New photos (2)"].map {
      text.range(of: $0)?.lowerBound
    }
    let found = places.compactMap(\.self)
    #expect(found.count == 4 && found == found.sorted())
    #expect(text.contains("<br>\(photos.path)/sub<br>2026-11-20<br>") && text.contains(id))
    let sources = text.matches(of: /src="(page%201_files\/[0-9a-f]{32}\.petspot-preview\.jpg)"/)
      .map(\.1)
    #expect(Set(sources).count == 2 && text.utf8.count < 8000)
    for source in sources {
      let file = program.work.appending(path: source.removingPercentEncoding ?? "")
      #expect(FileManager.default.fileExists(atPath: file.path))
    }
    let again = try program.run("import", program.work.path + "/page 1_files", "--json")
    #expect(try objects(again).files.allSatisfy { $0["outcome"] as? String == "skipped" })
  }

  @Test func aReportInTheFolderIsNotImported() throws {
    try add("a.jpg", "gps-exif.jpg")
    let report = photos.appending(path: "[re]port*.html").path
    #expect(try objects(try run("--json", "--report", report)).files.count == 1)
    try FileManager.default.createDirectory(
      at: photos.appending(path: "folder.csv"), withIntermediateDirectories: true)
    let refused = try run("--report", photos.path + "/folder.csv")
    #expect(refused.exitCode == 74 && refused.err.contains("is a directory"))
    let names = try FileManager.default.contentsOfDirectory(atPath: photos.path)
    #expect(names.sorted() == ["[re]port*.html", "[re]port*_files", "a.jpg", "folder.csv"])
  }

  @Test func aReportTouchesNothingButItsPlace() throws {
    try add("a.jpg", "gps-exif.jpg")
    let report = program.work.appending(path: "r.html")
    let victim = program.work.appending(path: "victim")
    for file in [victim, report.appendingPathExtension("rows.part")] {
      try Data("kept".utf8).write(to: file)
    }
    #expect(symlink(victim.path, report.path + ".part") == 0)
    #expect(try run("--report", report.path).exitCode == 0)
    for file in [victim, report.appendingPathExtension("rows.part")] {
      #expect(try Data(contentsOf: file) == Data("kept".utf8))
    }
    var status = stat()
    #expect(lstat(report.path, &status) == 0)
    #expect(status.st_mode == S_IFREG | 0o600)
    let left = try FileManager.default.contentsOfDirectory(atPath: program.work.path)
    #expect(!left.contains { $0.hasPrefix(".petspot-report") })
  }

  @Test func aFullStandardOutputLeavesNothingBehind() throws {
    let images = URL(filePath: Program.image("gps-exif.jpg")).deletingLastPathComponent().path
    let script = "$petspot import '\(images)' --json --cache '\(program.cache.path)' >/dev/full"
    #expect(try program.run(script: script).exitCode == 74)
    let incoming = program.cache.path + "/incoming"
    #expect(try FileManager.default.contentsOfDirectory(atPath: incoming).isEmpty)
  }

  @Test func wrongUsage() throws {
    #expect(try run("--delete-lossy-source").exitCode == 64)
    #expect(try run("--jobs", "0").exitCode == 64)
    #expect(try run("--report", "report.txt").exitCode == 64)
    let missing = try program.run("import", program.work.path + "/nowhere", "--json")
    missing.expectError(
      exit: 66, code: "unreadable", says: "There's no file", #_sourceLocation)
    // If other files exist, a missing name is a file that failed.
    try add("a.jpg", "gps-exif.jpg")
    let beside = try run(program.work.path + "/nowhere", "--json")
    #expect(beside.exitCode == 65)
    #expect(
      try objects(beside).files.compactMap { $0["outcome"] as? String } == ["imported", "failed"])
  }

  @Test func deletesOriginalsThatAreProvedAndNoOthers() throws {
    try add("a.jpg", "gps-exif.jpg")
    try add("b.jpg", "gps-exif.jpg")
    try add("c.txt", nil, Data("no photo".utf8))
    let (files, summary) = try objects(try run("--delete-source", "--yes", "--json"))
    #expect(files.map { $0["sourceDeleted"] as? Bool ?? false } == [true, true, false])
    #expect(summary["deletedSources"] as? Int == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: photos.path) == ["c.txt"])
    #expect(try program.run("verify", "--all").exitCode == 0)
  }

  @Test func tellsWhichOriginalsWereKeptAndWhy() throws {
    try add("a.jpg", "motion-photo.jpg")
    try add("b.png", "color-key.png")
    let (files, summary) = try objects(try run("--delete-source", "--yes", "--json"))
    #expect(files.map { $0["sourceDeleted"] as? Bool } == [false, true])
    let kept = try #require(files[0]["sourceKept"] as? [String: Any])
    #expect(kept["code"] as? String == "losses")
    #expect((kept["losses"] as? [String])?.contains("motion-video") == true)
    #expect(summary["keptSources"] as? Int == 1 && summary["deletedSources"] as? Int == 1)
    let csv = program.work.appending(path: "r.csv")
    let told = try run("--delete-source", "--yes", "--report", csv.path)
    #expect(told.out.contains("(original kept: its photo is stored without motion video)"))
    #expect(told.out.contains("Deleted 0 originals, kept 1"))
    #expect(try String(contentsOf: csv, encoding: .utf8).contains("\"kept: its photo is stored"))
    let html = program.work.appending(path: "r.html")
    #expect(try run("--delete-source", "--yes", "--report", html.path).exitCode == 0)
    #expect(try String(contentsOf: html, encoding: .utf8).contains("<h3>Originals kept ("))
    let all = try objects(try run("--delete-source", "--delete-lossy-source", "--yes", "--json"))
    #expect(all.summary["deletedSources"] as? Int == 1)
  }

  @Test func keepsOriginalsWithMuchUnknownData() throws {
    let photo = try Data(contentsOf: URL(filePath: Program.image("gps-exif.jpg")))
    try add("a.jpg", nil, photo + Data(repeating: 7, count: 1025))
    let other = try Data(contentsOf: URL(filePath: Program.image("orientation-6.jpg")))
    try add("b.jpg", nil, other + Data(count: 5000) + Data(repeating: 7, count: 900))
    let (files, summary) = try objects(try run("--delete-source", "--yes", "--json"))
    let kept = try #require(files[0]["sourceKept"] as? [String: Any])
    #expect(kept["code"] as? String == "unknown-data" && kept["bytes"] as? Int == 1025)
    #expect(files[1]["sourceDeleted"] as? Bool == true)
    #expect(summary["keptSources"] as? Int == 1)
    let all = try run("--delete-source", "--delete-lossy-source", "--yes")
    #expect(all.out.contains("of data that PetSpot doesn't know"))
  }

  @Test func aCacheInTheFolderIsToldAndLeftAlone() throws {
    try add("a.jpg", "gps-exif.jpg")
    _ = try run()
    let blobs = program.cache.path + "/blobs"
    let again = try program.run("import", blobs, "--delete-source", "--yes", "--json")
    #expect(try objects(again).files.first?["code"] as? String == "inside-cache")
    #expect(try program.run("verify", "--all").exitCode == 0)
  }

  @Test func anInterruptedImportIsGoneOnWith() throws {
    let names = (0..<60).map { "\($0).jpg" }
    for (number, name) in names.enumerated() {
      let photo = try Data(contentsOf: URL(filePath: Program.image("orientation-6.jpg")))
      // A comment segment right after the start of the image (ITU-T T.81, B.2.4.5).
      let comment = Data([0xFF, 0xFE, 0, 4, UInt8(number), 0])
      try add(name, nil, photo.prefix(2) + comment + photo.dropFirst(2))
    }
    let running = try program.start("import", photos.path, "--json")
    // The import is busy once the first picture waits to be recorded.
    let incoming = program.cache.path + "/incoming"
    while running.process.isRunning,
      (try? FileManager.default.contentsOfDirectory(atPath: incoming))?.isEmpty ?? true
    {}
    running.process.interrupt()
    let first = try running.outcome()
    #expect(first.exitCode == 130)
    #expect(try objects(first).summary["stopped"] as? String == "interrupted")
    #expect(first.err.contains("run the command again"))
    let (_, summary) = try objects(try run("--json"))
    #expect(summary["files"] as? Int == names.count)
    #expect(try program.run("list", "--json").out.split(separator: "\n").count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: incoming).isEmpty)
  }

  @Test func theLibraryFromImportToForget() throws {
    try add("a.jpg", "gps-exif.jpg")
    try add("b.jpg", "orientation-6.jpg")
    let ids = try objects(try run("--json")).files.compactMap { $0["id"] as? String }
    try #require(ids.count == 2)

    let attached = try program.run("attach", "--asset", ids[0], "--json")
    #expect(attached.exitCode == 0, "\(attached.err)")
    #expect((attached.json["photo"] as? [String: Any])?["assetIdentifier"] as? String == ids[0])
    let similar = try program.run("similar", ids[0], "--distance", "64", "--json")
    #expect((similar.json["photo"] as? [String: Any])?["id"] as? String == ids[1])

    let forgotten = try program.run("forget", ids[0], "--json")
    #expect(forgotten.json["drafts"] as? [String] == ["default"])
    let status = try program.run("status", "--json").json
    #expect(status["status"] as? String == "confirmed")
    #expect((status["photo"] as? [String: Any])?["assetIdentifier"] is NSNull)
    #expect(status["lastFailure"] as? String == "asset-forgotten")
    for command in [["attach", "--asset", ids[0]], ["forget", ids[0]], ["similar", ids[0]]] {
      let gone = try program.run(command + ["--cache", program.cache.path])
      #expect(gone.exitCode == 66 && gone.err.contains(ids[0]))
    }
    // A forgotten photo comes back only on request (decision 44).
    let left = try objects(try run("--json"))
    #expect(left.files.compactMap { $0["code"] as? String } == ["forgotten"])
    #expect(try objects(try run("--json", "--again")).summary["imported"] as? Int == 1)
  }
}
