import Foundation
import Testing

@testable import petspot

/// Tests of a shelter's work with its library: finding photos, exporting them and forgetting them.
@Suite final class LibraryRunTests {
  let program: Program
  var photos: URL { program.work.appending(path: "photos") }

  init() throws {
    program = try Program()
    let images = [
      ("Rex i Żółw/2024/IMG_1.JPG", "gps-exif.jpg"), ("b/Łąka.jpg", "orientation-6.jpg"),
      ("top.webp", "alpha-lossy.webp"),
    ]
    for (name, image) in images { try add(name, image) }
    let told = try program.run("import", photos.path)
    #expect(told.exitCode == 0, "\(told.err)")
    #expect(told.out.hasSuffix(" are in \(program.cache.path)\n"), "\(told.out)")
  }

  private func add(_ name: String, _ image: String) throws {
    let file = photos.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: URL(filePath: Program.image(image)), to: file)
  }

  @Test func theFolderIsPrintedAsItWasGiven() throws {
    #expect(try program.run("path").out == program.cache.path + "\n")
    #expect(try program.run("path", "--cache", "some/where//").out == "some/where\n")
  }

  @Test(arguments: [
    (["zolw"], ["Rex i Żółw/2024/IMG_1.JPG"]), (["LAKA"], ["b/Łąka.jpg"]),
    (["z\u{0307}o\u{0301}łw", "img"], ["Rex i Żółw/2024/IMG_1.JPG"]), (["rex", "laka"], []),
    (["photos"], []), (["--folder", "rex*"], ["Rex i Żółw/2024/IMG_1.JPG"]),
    (["--folder", "*2024"], ["Rex i Żółw/2024/IMG_1.JPG"]), (["--folder", "2024"], []),
    (["--source", "attach"], []), (["--source", "import", "--limit", "1"], ["top.webp"]),
    (
      ["--taken", "2026-11-20..2026-11-20", "--sort", "name"],
      ["b/Łąka.jpg", "Rex i Żółw/2024/IMG_1.JPG"]
    ),
    (["--taken", "..2026-10"], []), (["--taken", "2026..", "img"], ["Rex i Żółw/2024/IMG_1.JPG"]),
    (["--sort", "taken"], ["b/Łąka.jpg", "Rex i Żółw/2024/IMG_1.JPG", "top.webp"]),
  ])
  func photosAreFound(_ arguments: [String], _ names: [String]) throws {
    let told = try program.run(["list"] + arguments)
    let rows = told.out.split(separator: "\n").map(String.init)
    #expect(rows.count == (names.isEmpty ? 1 : names.count + 1), "\(told.out)")
    for (row, name) in zip(rows.dropFirst(), names) {
      #expect(row.hasSuffix("  " + name), "\(row)")
    }
  }

  @Test func badDaysAreNamed() throws {
    let told = try program.run("list", "--taken", "yesterday")
    #expect(told.exitCode == 64 && told.err.contains("2024-05-01..2024-05-31"), "\(told.err)")
  }

  @Test func aPhotoSaysWhereItIsFrom() throws {
    let id = try #require(
      try program.run("list", "laka", "--verbose").out.split(separator: "\n").last?.prefix(36))
    let shown = try program.run("show", String(id)).out
    #expect(shown.contains("taken 2026-11-20 · imported from b"), "\(shown)")
    #expect(try program.run("show", String(id), "--json").out.contains("\"folder\":\"b\""))
  }

  @Test func groupsOfLookAlikes() throws {
    #expect(try program.run("similar", "--all", "--distance", "0").out == "No photos look alike.\n")
    let all = try program.run("similar", "--all", "--distance", "64", "--json")
    let group = try JSONSerialization.jsonObject(with: Data(all.out.utf8)) as? [String: Any]
    #expect((group?["photos"] as? [Any])?.count == 3, "\(all.out)")
    #expect(try program.run("similar").exitCode == 64)
  }

  /// Photos are exported by folder or date, with the date at which they were taken. A second export copies nothing, and
  /// existing files stay.
  @Test(arguments: [("folder", "Rex i Żółw/2024/IMG_1.jpg"), ("taken", "2026/11/IMG_1.jpg")])
  func allPhotosComeOutAgain(_ grouping: String, _ name: String) throws {
    let target = program.work.appending(path: "out")
    func export(_ more: String...) throws -> Program.Outcome {
      try program.run(["export", "--all", "--to", target.path, "--by", grouping] + more)
    }
    #expect(try export().out.hasSuffix("3 copied, 0 there already, 0 failed.\n"))
    let copy = target.appending(path: name)
    let taken = try FileManager.default.attributesOfItem(atPath: copy.path)[.modificationDate]
    #expect((taken as? Date)?.formatted(.iso8601) == "2026-11-20T09:00:00Z")
    #expect(try export().out == "0 copied, 3 there already, 0 failed.\n")
    // A copy without its date is recognized by its content, but a file with another content isn't.
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: copy.path)
    #expect(try export().out == "0 copied, 3 there already, 0 failed.\n")
    try Data("mine".utf8).write(to: copy)
    #expect(try export().out.hasSuffix("1 copied, 2 there already, 0 failed.\n"))
    #expect(try Data(contentsOf: copy) == Data("mine".utf8))
    let files = try FileManager.default.subpathsOfDirectory(atPath: target.path)
    #expect(files.contains(name.replacing(".jpg", with: "-2.jpg")), "\(files)")
    #expect(!files.contains { $0.contains(".part") })
  }

  /// A copy that was changed and dated back is another file, and stays.
  @Test func aChangedCopyIsNoCopy() throws {
    let target = program.work.appending(path: "out")
    func export() throws -> String {
      try program.run("export", "--all", "--to", target.path).out
    }
    #expect(try export().hasSuffix("3 copied, 0 there already, 0 failed.\n"))
    let copy = target.appending(path: "IMG_1.jpg")
    let date = try FileManager.default.attributesOfItem(atPath: copy.path)[.modificationDate]
    var bytes = try Data(contentsOf: copy)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: copy)
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(date)], ofItemAtPath: copy.path)
    #expect(try export().hasSuffix("1 copied, 2 there already, 0 failed.\n"))
    #expect(try Data(contentsOf: copy) == bytes)
    #expect(try export() == "0 copied, 3 there already, 0 failed.\n")
  }

  /// Leftovers of a killed export are deleted, but neither those of a running export nor other files.
  @Test func unfinishedCopiesAreDeleted() throws {
    let target = program.work.path + "/out"
    #expect(try program.run("export", "--all", "--to", target).exitCode == 0)
    func part(_ id: String = UUID().uuidString) -> String { target + "/.petspot-\(id).part" }
    let (left, locked, link, folder, other) = (part(), part(), part(), part(), part("mine"))
    for file in [left, locked, other] { try Data("part".utf8).write(to: URL(filePath: file)) }
    #expect(symlink(other, link) == 0 && mkdir(folder, 0o700) == 0)
    let writer = open(locked, O_RDWR)
    defer { close(writer) }
    #expect(flock(writer, LOCK_EX) == 0)
    #expect(try program.run("export", "--all", "--to", target).exitCode == 0)
    for path in [locked, link, folder, other] {
      var status = stat()
      #expect(lstat(path, &status) == 0, "\(path)")
    }
    #expect(!FileManager.default.fileExists(atPath: left))
  }

  @Test func filesComeFromAList() throws {
    let list = program.work.appending(path: "list")
    try Data("\(photos.path)/top.webp\r\n\n\(photos.path)/b/Łąka.jpg\n".utf8).write(to: list)
    let told = try program.run("import", "--files-from", list.path)
    #expect(told.out.contains("2 files: 2 unchanged."), "\(told.out) \(told.err)")
    let names = Data("\(photos.path)/top.webp\0".utf8)
    let piped = try program.run("import", "--files-from", "-", input: names)
    #expect(piped.out.contains("1 file: 1 unchanged."), "\(piped.out) \(piped.err)")
    // Windows programs begin a list with a byte order mark.
    for separator in ["\n", "\0"] {
      let marked = Data("\u{FEFF}\(photos.path)/top.webp\(separator)".utf8)
      let told = try program.run("import", "--files-from", "-", input: marked)
      #expect(told.out.contains("1 file: 1 unchanged."), "\(told.out) \(told.err)")
      try marked.write(to: list)
      let listed = try program.run("import", "--files-from", list.path)
      #expect(listed.out.contains("1 file: 1 unchanged."), "\(listed.out) \(listed.err)")
    }
    #expect(try program.run("import", "--files-from", list.path + "x").exitCode == 66)
    for (path, reason) in [("/proc/self/mem", "input/output error"), ("/", "is a directory")] {
      let told = try program.run("import", "--files-from", path)
      #expect(told.exitCode == 66 && told.err.contains(reason), "\(told.err)")
    }
    #expect(try program.run("import").exitCode == 64)
  }

  /// The photos of one import are forgotten together, and a later import skips them.
  @Test func anImportIsTakenBack() throws {
    try add("later/new.png", "gray-1-bit.png")
    let summary = try program.run("import", photos.path, "--json").out.split(separator: "\n").last
    #expect(summary?.contains(#""run":2"#) == true, "\(summary ?? "")")
    let runs = try program.run("runs", "--json").out.split(separator: "\n")
    #expect(runs.count == 2 && runs[0].contains(#""id":2"#) && runs[1].contains(#""imported":3"#))
    let refused = try program.run("runs", "undo", "1")
    #expect(refused.exitCode == 64 && refused.err.contains("--yes"), "\(refused)")
    #expect(try program.run("runs", "undo", "9", "--yes").exitCode == 66)
    #expect(try program.run("runs", "2", "--json").json["imported"] as? Int == 1)
    #expect(try program.run("runs", "9").exitCode == 66)
    #expect(try program.run("runs", "un-do").err.contains("undo"))
    let undone = try program.run("runs", "undo", "1", "--yes", "--json")
    #expect(undone.exitCode == 0 && undone.json["forgotten"] as? Int == 3, "\(undone)")
    #expect(try program.run("list").out.contains("later/new.png"))
    #expect(try program.run("list").out.split(separator: "\n").count == 2)
    #expect(try program.run("runs").out.hasPrefix("2  "))
    #expect(try program.run("import", photos.path).out.contains("3 skipped"))
    #expect(try program.run("import", photos.path, "--again").out.contains("3 imported"))
  }

  /// A photo that may be the only copy is deleted only on explicit request, and no message suggests it.
  @Test(arguments: [["--delete-source"], ["--move-source", "moved"]])
  func onlyCopiesAreKept(_ option: [String]) throws {
    let place = option.count > 1 ? [program.work.appending(path: option[1]).path] : []
    let told = try program.run(["import", photos.path, "--yes", option[0]] + place)
    #expect(told.exitCode == 0, "\(told)")
    #expect(!FileManager.default.fileExists(atPath: photos.path + "/top.webp"))
    let run = try #require(try add("new.png", "gray-1-bit.png", importing: option[0], place))
    #expect(!run.contains("take this import back"), "\(run)")
    #expect(run.contains("only copies") == place.isEmpty, "\(run)")
    let ids = try program.run("list", "--json").out.split(separator: "\n").map {
      try JSONDecoder().decode([String: Identified].self, from: Data("{\"photo\":\($0)}".utf8))
    }.compactMap { $0["photo"]?.id }
    for command in [["forget", ids[0]], ["forget"] + ids, ["runs", "undo", "1", "--yes"]] {
      let refused = try program.run(command + ["--json"])
      refused.expectError(exit: 65, code: "only-copies", says: "--only-copies", #_sourceLocation)
      let named = try program.run(command).err
      #expect(named.contains(place.first ?? "deleted its original"), "\(named)")
    }
    #expect(try program.run("list").out.split(separator: "\n").count == 5)
    #expect(try program.run("forget", ids[0], "--only-copies").exitCode == 0)
    #expect(try program.run("runs", "undo", "1", "--only-copies").exitCode == 64)
    #expect(try program.run("runs", "undo", "1", "--only-copies", "--yes").exitCode == 0)
    #expect(try program.run("list").out == "No photos.\n")
  }

  /// Imports one more photo, and returns the output for people.
  private func add(
    _ name: String, _ image: String, importing option: String, _ place: [String]
  ) throws -> String? {
    try add(name, image)
    return try program.run(["import", photos.path, "--yes", option] + place).out
  }

  private struct Identified: Decodable { let id: String }

  /// Neither of two photos is forgotten, because one has lost its original.
  @Test func anOriginalThatIsGoneKeepsTheWholeImport() throws {
    let file = photos.appending(path: "top.webp")
    let bytes = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    let refused = try program.run("runs", "undo", "1", "--yes")
    #expect(refused.exitCode == 65 && refused.err.contains("top.webp: its original is gone"))
    #expect(!refused.err.contains("IMG_1.JPG"), "\(refused.err)")
    #expect(try program.run("list").out.split(separator: "\n").count == 4)
    try bytes.write(to: file)
    #expect(try program.run("runs", "undo", "1", "--yes").exitCode == 0)
  }

  /// A move deletes photos that the source forgot, unless the target has the only copy.
  @Test func aMoveTakesNoOnlyCopyAway() throws {
    let other = program.work.appending(path: "other").path
    func move(_ code: Int32 = 0) throws {
      #expect(try program.run("move", "--to-cache", other).exitCode == code)
    }
    func names(_ cache: String) throws -> Int {
      try program.run("list", "--cache", cache).out.split(separator: "\n").count - 1
    }
    try move()
    let ids = try program.run("list", "--verbose").out.split(separator: "\n").dropFirst()
      .map { String($0.prefix(36)) }
    #expect(try program.run("forget", ids[0]).exitCode == 0)
    try move()
    #expect(try names(other) == 2)
    #expect(try program.run("forget", ids[1]).exitCode == 0)
    let taken = try program.run("import", photos.path, "--delete-source", "--yes", "--cache", other)
    #expect(taken.exitCode == 0, "\(taken)")
    // Facts about an original differ.
    try move(65)
    #expect(try names(other) == 2)
    #expect(try program.run("forget", ids[2]).exitCode == 65)
    #expect(try program.run("forget", ids[2], "--only-copies").exitCode == 0)
    // The other photo stays as the only copy, and is named.
    try move(65)
    #expect(try names(other) == 1)
  }

  @Test func onlyCopiesGoAtATerminalWhenTheirNumberIsTyped() throws {
    try FileManager.default.removeItem(at: photos.appending(path: "top.webp"))
    try FileManager.default.removeItem(at: photos.appending(path: "b"))
    for (answer, left) in [("yes", 4), ("2", 1)] {
      let terminal = try Pseudoterminal(
        ["runs", "undo", "1", "--yes", "--only-copies"], cache: program.cache)
      try terminal.expect("type 2: ")
      terminal.type(answer)
      #expect(terminal.exitCode() == (left == 1 ? 0 : 130))
      #expect(try program.run("list").out.split(separator: "\n").count == left)
    }
  }

  @Test func aPhotoThatIsAttachedSaysWhere() throws {
    let attached = try program.run("attach", Program.image("gray-1-bit.png"), "--draft", "burek")
    #expect(attached.exitCode == 0)
    let rows = try program.run("list").out.split(separator: "\n").filter { $0.contains("burek") }
    #expect(rows.count == 1 && rows[0].hasSuffix("gray-1-bit.png  (the report burek)"), "\(rows)")
    let listed = try program.run("list", "gray", "--json")
    #expect(listed.out.contains(#""draft":"burek","announcement":null"#), "\(listed.out)")
    let id = try #require(rows.first?.prefix(8))
    let refused = try program.run("forget", String(id), "--json")
    refused.expectError(exit: 65, code: "attached", says: "the report burek", #_sourceLocation)
    #expect(try program.run("status", "--draft", "burek").out.contains("gray-1-bit.png"))
  }

  @Test func takingBackAsksAtATerminal() throws {
    for (answer, left) in [("no", 4), ("yes", 1)] {
      let terminal = try Pseudoterminal(["runs", "undo", "1"], cache: program.cache)
      try terminal.expect("3 photos")
      terminal.type(answer)
      #expect(terminal.exitCode() == (answer == "yes" ? 0 : 130))
      let rows = try program.run("list").out.split(separator: "\n")
      #expect(rows.count == left, "\(rows)")
    }
  }

  /// Files that arrive in watched folders are imported once each, in one import, which Ctrl-C ends.
  @Test func whatArrivesIsImported() throws {
    let watching = try program.start("import", photos.path, "--watch", "--json")
    // The files are written at once, in a new folder, and renamed.
    let new = photos.appending(path: "new/deep")
    try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
    for (name, image) in [("a.png", "gray-1-bit.png"), ("b.gif", "one-pixel.gif")] {
      let part = new.appending(path: name + ".part")
      try FileManager.default.copyItem(at: URL(filePath: Program.image(image)), to: part)
      try FileManager.default.moveItem(at: part, to: new.appending(path: name))
    }
    while try program.run("list", "deep").out.split(separator: "\n").count < 3 { usleep(100_000) }
    kill(watching.process.processIdentifier, SIGINT)
    let told = try watching.outcome()
    #expect(told.exitCode == 0, "\(told.err)")
    let lines = told.out.split(separator: "\n")
    for name in ["a.png", "b.gif", "IMG_1.JPG", "top.webp"] {
      #expect(lines.filter { $0.contains("/" + name + "\"") }.count == 1, "\(name) in \(told.out)")
    }
    let summary = try #require(lines.last)
    #expect(summary.contains(#""imported":2"#) && summary.contains(#""unchanged":3"#), "\(summary)")
    #expect(try program.run("import", photos.path, "--watch", "--dry-run").exitCode == 64)
    #expect(try program.run("import", photos.path + "/top.webp", "--watch").exitCode == 64)
  }
}
