import Foundation
import ReportFlow
import Testing

@testable import petspot

/// Tests of answers that are typed, pasted or piped.
@Suite struct AnsweringTests {
  private static let english = Words(.en)

  /// Completes a report up to the description.
  private func describe(_ program: borrowing Program) throws {
    for arguments in [
      ["report", "chip"], ["report", "photo", Program.image("one-pixel.gif")],
    ] {
      #expect(try program.run(arguments).exitCode == 0)
    }
    let terminal = try Pseudoterminal(["report"], cache: program.cache)
    for (question, answer) in [
      ("3/4", ""), ("name", "Rex"), ("7  ", "1"), ("breed", "Beagle"), ("2  ", "1"), ("age", ""),
    ] {
      try terminal.expect(question)
      try terminal.expect(": ")
      terminal.type(answer)
    }
    try terminal.expect("Place, or latitude")
  }

  private func status(_ program: borrowing Program, _ step: String) throws -> [String: Any] {
    try #require(try program.run("report", "status", "--json").json[step] as? [String: Any])
  }

  /// Seven pasted lines are one answer, with or without bracketed paste. The next question waits for its own answer.
  @Test(arguments: [true, false]) func pastedLinesAnswerOneQuestion(_ isBracketed: Bool) throws {
    let program = try Program()
    try describe(program)
    let terminal = try Pseudoterminal(["report"], cache: program.cache)
    for (question, answer) in [
      ("Date", ""), ("name", ""), ("[Dog]", ""), ("[Beagle]", ""), ("[Male]", ""), ("age", ""),
      ("Place, or latitude", ""),
    ] {
      try terminal.expect(question)
      try terminal.expect(": ")
      terminal.type(answer)
    }
    try terminal.expect("description")
    try terminal.expect(": ")
    let lines = ["white paws", "limps", "Jan", "600700800", "yes", "yes", "100"]
    let text = lines.joined(separator: "\n")
    if isBracketed {
      terminal.send("\u{1B}[200~\(text.replacing("\n", with: "\r"))\r\u{1B}[201~")
      try terminal.expect("100")
      terminal.type("")
    } else {
      terminal.type(text)
    }
    try terminal.expect("4/4")
    try terminal.expect("Your name: ")
    // In a field of one line, pasted lines are joined. The person still has to press Enter.
    terminal.send("\u{1B}[200~Jan\nNowak\n\u{1B}[201~")
    try terminal.expect("Jan Nowak")
    terminal.type("")
    try terminal.expect("Phone number: ")
    terminal.killHard()
    #expect(try status(program, "description")["description"] as? String == text)
    #expect(try status(program, "contact")["name"] as? String == "Jan Nowak")
    #expect(try status(program, "contact")["phone"] as? String == "")
  }

  /// The keys of a shell's line editor work: to the start, over a word, and back in the history. The terminal gets its
  /// old modes back.
  @Test func answersAreEdited() throws {
    let program = try Program()
    let terminal = try Pseudoterminal(["report"], cache: program.cache)
    let before = terminal.modes
    try terminal.expect("\u{1B}[?2004h")
    try terminal.expect("(optional): ")
    // The keys are 2 3, Home, 1, End, 4, Backspace, 5.
    terminal.send("23\u{1B}[H1\u{1B}[F4\u{7F}5\u{1B}[D0\r")
    try terminal.expect("2/4")
    try terminal.expect("photo: ")
    // Up shows the previous answer, and Ctrl-U deletes it.
    terminal.send("\u{1B}[A")
    try terminal.expect("12305")
    terminal.send("\u{15}back\r")
    try terminal.expect("[12305]: ")
    // Ctrl-D in an empty line ends the program, and Ctrl-L redraws the line.
    terminal.send("\u{0C}")
    try terminal.expect("[12305]: ")
    terminal.endInput()
    try terminal.expect("saved")
    try terminal.expect("\u{1B}[?2004l")
    #expect(terminal.exitCode() == 0)
    #expect(terminal.modes == before)
  }

  /// After a suspension the question is shown again.
  @Test func theQuestionIsDrawnAnewAfterASuspension() throws {
    let program = try Program()
    let terminal = try Pseudoterminal(["report"], cache: program.cache)
    try terminal.expect("(optional): ")
    terminal.send("12\u{1A}")
    try terminal.expect("\u{1B}[?2004l")
    terminal.awaitStop()
    terminal.resume()
    try terminal.expect("(optional): 12")
    terminal.send("3\r")
    try terminal.expect("2/4")
    terminal.killHard()
  }

  /// A refused answer isn't offered in brackets, because Enter would submit it again. The draft keeps its value.
  @Test func aRefusedAnswerIsNoDefault() throws {
    let program = try Program()
    try describe(program)
    let terminal = try Pseudoterminal(["report"], cache: program.cache)
    for (question, answer) in [
      ("Date", "2999-01-01"), ("! ", ""), ("name", ""), ("[Dog]", ""), ("[Beagle]", ""),
      ("[Male]", ""), ("age", "99"), ("! ", ""), ("Place, or latitude", "91"), ("! ", "1, 999"),
      ("! ", ""),
      ("description", ""), ("4/4", ""), ("! ", "Jan"), ("Phone", "1"), ("! ", "600700800"),
    ] {
      try terminal.expect(question)
      try terminal.expect(": ")
      terminal.type(answer)
    }
    try terminal.expect("mail")
    for refused in ["[2999", "[99]", "[91]", "[999]", "[1]"] {
      #expect(!terminal.screen.contains(refused), "\(refused)")
    }
    terminal.killHard()
    let form = try status(program, "description")
    #expect(form["age"] as? String == "" && form["latitude"] as? String == "")
    #expect(form["longitude"] as? String == "")
  }

  /// The output of commands breaks between words, on standard output and standard error.
  @Test func commandsBreakBetweenWords() throws {
    let program = try Program()
    for arguments in [
      ["attach", Program.image("portrait-phone.heic")], ["status", "--verbose"],
      ["attach", Program.image("foreign.tiff")], ["attach", "/none.jpg"],
    ] {
      let terminal = try Pseudoterminal(arguments, cache: program.cache, columns: 60)
      _ = terminal.exitCode()
      let plain = terminal.screen.replacing(/\x{1B}\[[0-9;]*m/, with: "")
      let lines = plain.split(whereSeparator: \.isNewline)
      #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 60 }, "\(lines)")
      let shown = plain.split(whereSeparator: \.isWhitespace)
      let piped = try program.run(arguments)
      // Only a word longer than a line is cut.
      for word in (piped.out + piped.err).split(whereSeparator: \.isWhitespace)
      where word.count < 50 {
        #expect(shown.contains(word), "\(word)")
      }
      #expect(lines.allSatisfy { !$0.hasPrefix("blob ") }, "indents stay")
    }
  }

  /// Texts break between words, and a question longer than a line is shown completely.
  @Test(arguments: [60, 80], Language.allCases)
  func textsBreakBetweenWords(_ columns: Int, _ language: Language) throws {
    let program = try Program()
    let words = Words(language)
    let terminal = try Pseudoterminal(
      ["report", "--lang", language.rawValue], cache: program.cache, columns: columns)
    try terminal.expect(words("chip.label"))
    terminal.type("")
    try terminal.expect("2/4")
    let plain = terminal.screen.replacing(/\x{1B}\[[0-9;?]*[A-Za-z]/, with: "")
    let lines = plain.split(whereSeparator: \.isNewline)
    #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    let whole = lines.joined(separator: " ").replacing("  ", with: " ")
    #expect(whole.contains(words("talk.help")) && whole.contains(words("chip.explanation")))
    terminal.killHard()
  }

  /// Paths are accepted as terminals insert them when a file is dropped, and are completed by Tab.
  @Test func droppedPathsAreRead() throws {
    let program = try Program()
    let folder = program.work.appending(path: "my pets")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let photo = folder.appending(path: "mój pies.gif")
    try FileManager.default.copyItem(
      at: URL(filePath: Program.image("one-pixel.gif")), to: photo)
    let path = photo.path
    #expect(try program.run("report", "chip").exitCode == 0)
    for typed in [
      path, "'\(path)'", "\"\(path)\"", path.replacing(" ", with: "\\ "), photo.absoluteString,
      "'\(photo.absoluteString)'", String(path.dropLast(6)) + "\t",
      String(path.dropLast("my pets/mój pies.gif".count)) + "my\tm\t",
    ] {
      let terminal = try Pseudoterminal(["report"], cache: program.cache)
      try terminal.expect(Self.english("talk.photo"))
      try terminal.expect(": ")
      terminal.type(typed)
      try terminal.expect("3/4")
      terminal.type("back")
      try terminal.expect("[mój pies.gif]: ")
      terminal.type("-")
      try terminal.expect(Self.english("talk.photoRemoved"))
      terminal.killHard()
    }
  }

  /// An unreadable file is reported by its kind, in both languages and without a media type.
  @Test(arguments: Language.allCases) func whatIsNoPhotoIsNamed(_ language: Language) throws {
    let program = try Program()
    let words = Words(language)
    let locked = program.work.appending(path: "locked.jpg")
    try Data("x".utf8).write(to: locked)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: locked.path)
    #expect(try program.run("report", "chip").exitCode == 0)
    let terminal = try Pseudoterminal(
      ["report", "--lang", language.rawValue], cache: program.cache)
    var rows = [
      ("/nowhere/rex.jpg", words("failure.unreadable.ENOENT")),
      (program.work.path, words("failure.unreadable.directory")),
      (
        Program.image("foreign.tiff"),
        language == .en ? "This is a TIFF image. " : "To jest obraz TIFF. "
      ),
    ]
    // The superuser may read every file.
    if geteuid() != 0 { rows.append((locked.path, words("failure.unreadable.EACCES"))) }
    for (path, sentence) in rows {
      try terminal.expect(": ")
      terminal.type(path)
      try terminal.expect(sentence)
    }
    #expect(!terminal.screen.contains("image/"))
    terminal.killHard()
    let refused = try program.run(
      "report", "photo", Program.image("foreign.tiff"), "--lang", language.rawValue)
    #expect(refused.exitCode == 65 && refused.err.contains(rows[2].1), "\(refused.err)")
    #expect(!refused.err.contains("image/"))
  }

  /// Cut or dropped input is reported, at its prompt and in JSON, in the same way for every field.
  @Test func nothingIsCutInSilence() throws {
    let program = try Program()
    let rows: [([String], String, String)] = [
      (["chip", "--number", "abc"], "chip", "dropped"),
      (["chip", "--number", "123456789012345678"], "chip", "shortened"),
      (
        [
          "describe", "--species", "dog", "--race", "x", "--gender", "male", "--description",
          String(repeating: "é", count: 501),
        ], "description", "shortened"
      ),
      (
        [
          "contact", "--name", "Jan", "--phone", "600700800", "--reward",
          String(repeating: "r", count: 121),
        ], "reward", "shortened"
      ),
    ]
    for (arguments, field, code) in rows {
      let outcome = try program.run(["report"] + arguments + ["--json"])
      #expect(outcome.exitCode == 0, "\(outcome.err)")
      let adjusted = try #require(outcome.json["adjusted"] as? [[String: Any]])
      #expect(adjusted.map { $0["field"] as? String } == [field])
      #expect(adjusted.map { $0["code"] as? String } == [code])
      let message = try #require(adjusted[0]["message"] as? String)
      #expect(outcome.err.contains(message))
    }
    let clean = try program.run("report", "chip", "--number", "616-09 39", "--json")
    #expect(clean.json["adjusted"] == nil && clean.err.isEmpty)
    let long = try program.run(
      "report", "contact", "--name", String(repeating: "n", count: 101), "--json")
    #expect(long.exitCode == 65 && long.out.contains("invalid-name"))

    let terminal = try Pseudoterminal(["report", "--draft", "b"], cache: program.cache)
    try terminal.expect("(optional): ")
    terminal.type("abc")
    try terminal.expect("left out: abc")
    terminal.killHard()
  }

  /// Days are accepted as people write them. Impossible days and days long ago are reported as such.
  @Test(arguments: Language.allCases) func daysAreReadAsPeopleWriteThem(_ language: Language) throws
  {
    let program = try Program()
    let words = Words(language)
    let commands = [["report", "chip"], ["report", "photo", Program.image("one-pixel.gif")]]
    for arguments in commands { #expect(try program.run(arguments).exitCode == 0) }
    let terminal = try Pseudoterminal(
      ["report", "--lang", language.rawValue], cache: program.cache)
    for (typed, told) in [
      ("2026-02-30", words("date.noSuchDay")), ("soon", words("date.unreadable")),
      ("1850-01-01", words("date.longAgo", ["day": "1850-01-01"])), (words("talk.no"), ""),
      ("28.2.2026", "= 2026-02-28"), (words("talk.back"), words("date.label")),
      ("22/11/2025", "= 2025-11-22"), (words("talk.back"), words("date.label")),
    ] {
      try terminal.expect(": ")
      terminal.type(typed)
      try terminal.expect(told.isEmpty ? words("date.label") : told)
    }
    let yesterday = Date(timeIntervalSinceNow: -86_400)
      .formatted(Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day())
    terminal.type(language == .en ? "yesterday" : "wczoraj")
    try terminal.expect("= \(yesterday)")
    try terminal.expect(words("petName.label"))
    terminal.killHard()
    #expect(try status(program, "description")["date"] as? String == yesterday)

    for (typed, code) in [
      ("2026-02-30", "invalid-date"), ("x", "invalid-date"),
    ] {
      let outcome = try program.run("report", "describe", "--date", typed, "--json")
      #expect(outcome.exitCode == 65 && outcome.out.contains(code), "\(outcome.out)")
    }
    // The question comes once, and the day isn't refused (decision 42).
    let describe = ["report", "describe", "--date", "1850-01-01", "--lang", language.rawValue]
    let question = words("date.longAgoTaken", ["day": "1850-01-01"])
    for isAsked in [true, false] {
      let old = try program.run(describe + ["--json"])
      #expect(!old.out.contains("invalid-date") && old.err.contains(question) == isAsked)
    }
    #expect(try status(program, "description")["date"] as? String == "1850-01-01")
    #expect(try !program.run(describe + ["--long-ago"]).err.contains(question))
  }

  /// A script can answer one question per line.
  @Test func plainPipesKeepWorking() throws {
    let program = try Program()
    let answers = [
      "123", Program.image("one-pixel.gif"), "2026-02-28", "Rex", "dog", "Beagle", "male", "",
      "", "white paws", "Jan", "600700800", "", "", "yes", "",
    ]
    let outcome = try program.run(
      "report", input: Data(answers.map { $0 + "\n" }.joined().utf8))
    #expect(outcome.exitCode == 0, "\(outcome.err)")
    #expect(!outcome.out.contains("\u{1B}"))
    #expect(outcome.out.contains("list on this machine"))
    // A published report can't be resumed, even if the input ends.
    #expect(!outcome.out.contains("Resume with"))
    let listed = try program.run("announcements", "--json").json
    #expect(listed["petName"] as? String == "Rex")
    #expect(listed["description"] as? String == "white paws")
    #expect(listed["near"] == nil)
  }

  /// A place in words is kept, and no coordinates are requested.
  @Test func wordsAreAPlaceToo() throws {
    let program = try Program()
    let answers = [
      "123", Program.image("one-pixel.gif"), "2026-02-28", "Rex", "dog", "Beagle", "male", "",
      "by the lake, Mokotów", "white paws", "Jan", "600700800", "", "", "yes", "",
    ]
    let outcome = try program.run(
      "report", input: Data(answers.map { $0 + "\n" }.joined().utf8))
    #expect(outcome.exitCode == 0, "\(outcome.err)")
    let listed = try program.run("announcements", "--json").json
    #expect(listed["near"] as? String == "by the lake, Mokotów" && listed["location"] == nil)
    #expect(listed["description"] as? String == "white paws")
  }
}
