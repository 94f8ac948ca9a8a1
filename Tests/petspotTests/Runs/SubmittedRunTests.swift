import Foundation
import GRDB
import Testing

@testable import petspot

/// Tests of reports that are submitted, refused, partly submitted or closed, with the built program.
@Suite struct SubmittedRunTests {
  private static let description = [
    "report", "describe", "--species", "dog", "--race", "Beagle", "--gender", "female",
  ]

  private func complete(_ program: borrowing Program, chip: String = "", draft: String = "default")
    throws
  {
    let runs = [
      ["report", "chip", "--number", chip], ["report", "photo", Program.image("gps-exif.jpg")],
      Self.description, ["report", "contact", "--name", "Jan", "--phone", "+48 600 700 800"],
    ]
    for arguments in runs {
      let outcome = try program.run(arguments + ["--json", "--draft", draft])
      #expect(outcome.exitCode == 0, "\(outcome.out)\(outcome.err)")
    }
  }

  /// Submits a report, and returns the announcement's ID and code.
  private func submit(_ program: borrowing Program) throws -> (id: String, code: String) {
    try complete(program)
    let answer = try program.run("report", "submit", "--json").json
    let announcement = try #require(answer["announcement"] as? [String: Any])
    return (
      try #require(announcement["id"] as? String),
      try #require(answer["managementPassword"] as? String)
    )
  }

  private func code(_ outcome: Program.Outcome) -> String? {
    (outcome.json["error"] as? [String: Any])?["code"] as? String
  }

  private func catalog(_ program: borrowing Program) throws -> DatabaseQueue {
    try DatabaseQueue(path: program.cache.path + "/database/catalog.sqlite")
  }

  @Test func whatIsRefusedIsNotSubmittedAndStatusSaysSo() throws {
    let program = try Program()
    try complete(program)
    let refused = try program.run(
      "report", "describe", "--age", "99", "--race", "Changed", "--json")
    #expect(refused.exitCode == 65)
    let status = try program.run("report", "status", "--json").json
    #expect(status["missingSteps"] as? [String] == ["description"])
    #expect((status["counted"] as? [String: Any])?["description"] is NSNull)
    #expect(try program.run("report", "status").out.contains("Not done yet: Animal description"))
    let early = try program.run("report", "submit", "--json")
    #expect(early.exitCode == 65 && code(early) == "incomplete")
    // An argument that isn't a valid value of its field, without other input, leaves the report incomplete, too.
    #expect(try program.run("report", "describe", "--age", "9").exitCode == 0)
    #expect(try program.run("report", "describe", "--gender", "x").exitCode == 65)
    #expect(code(try program.run("report", "submit", "--json")) == "incomplete")
    #expect(try program.run("report", "describe").exitCode == 0)
    let submitted = try program.run("report", "submit", "--json").json
    let announcement = try #require(submitted["announcement"] as? [String: Any])
    #expect(announcement["breed"] as? String == "Changed" && announcement["age"] as? Int == 9)
    #expect(announcement["petName"] as? String == "Dog")
    #expect(announcement["petNameGiven"] as? Bool == false)
  }

  /// The default is the reporter's day when the step is accepted, not when it was refused (seed 021, FR-003).
  @Test func aRefusedDescriptionChoosesNoDay() throws {
    let program = try Program()
    let refused = try program.run(
      "report", "describe", "--species", "dog", environment: ["TZ": "Pacific/Kiritimati"])
    #expect(refused.exitCode == 65)
    let done = try program.run(
      "report", "describe", "--race", "Pug", "--gender", "male",
      environment: ["TZ": "Pacific/Pago_Pago"])
    #expect(done.exitCode == 0, "\(done.err)")
    let status = try program.run("report", "status", "--json").json
    let counted = (status["counted"] as? [String: Any])?["description"] as? [String: Any]
    let zone = try #require(TimeZone(identifier: "Pacific/Pago_Pago"))
    let today = Date().formatted(Date.ISO8601FormatStyle(timeZone: zone).year().month().day())
    #expect(counted?["date"] as? String == today)
  }

  @Test func aRemovedPhotoIsMissing() throws {
    let program = try Program()
    try complete(program)
    #expect(try program.run("remove").exitCode == 0)
    let status = try program.run("report", "status", "--json").json
    #expect(status["missingSteps"] as? [String] == ["photo"])
    #expect(status["completedSteps"] as? [String] == ["chip", "description", "contact"])
  }

  /// After the submission, the photo belongs to the announcement and the attachment is empty (seed 028).
  @Test func afterSubmittingThereIsNoPhotoToChange() throws {
    let program = try Program()
    _ = try submit(program)
    #expect(try program.run("status", "--json").out == "{\"status\":\"empty\"}\n")
    #expect(try program.run("continue").exitCode == 65)
    for arguments in [
      ["attach", Program.image("one-pixel.gif")],
      ["report", "photo", Program.image("one-pixel.gif")],
      ["report", "chip", "--number", "1"],
    ] {
      let outcome = try program.run(arguments + ["--json"])
      #expect(outcome.exitCode == 65 && code(outcome) == "submitted", "\(arguments)")
    }
    #expect(try program.run("remove", "--json").out == "{\"status\":\"empty\"}\n")
    #expect(try program.run("report", "status", "--json").json["missingSteps"] as? [String] == [])
    #expect(try program.run("sweep").exitCode == 0)
    #expect(try program.run("verify", "--all").exitCode == 0)
    #expect(try program.run("announcements", "--json").json["photoSHA256"] is String)
    #expect(try program.run("attach", Program.image("one-pixel.gif"), "--draft", "b").exitCode == 0)
  }

  /// A server limits the space for sizes. A sweep beside it has no such limit unless it is given one.
  @Test func aSweepTrimsSizesOnlyToASpaceThatItIsGiven() throws {
    let program = try Program()
    #expect(try program.run("import", Program.image("large.png")).exitCode == 0)
    for size in ["320", "640", "960"] {
      let folder = program.cache.path + size
      #expect(
        try program.run("export", "--all", "--to", folder, "--size", size).exitCode == 0)
    }
    try catalog(program).write {
      try $0.execute(sql: "UPDATE photo_size SET size_bytes = 9000000000")
    }
    func stored() throws -> Int? {
      try catalog(program).read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM photo_size WHERE is_stored = 1")
      }
    }
    let made = try #require(try stored())
    #expect(made == 3)
    #expect(try program.run("sweep").exitCode == 0)
    #expect(try stored() == made)
    #expect(try program.run("sweep", "--size-space", "20GB").exitCode == 0)
    #expect(try stored() == 2)
  }

  /// If the photo step fails, name and phone aren't listed, and clearing deletes them.
  @Test func halfSubmittedIsNotListedAndClearingTakesItBack() throws {
    let program = try Program()
    try complete(program)
    try catalog(program).write {
      try $0.execute(
        sql: """
          CREATE TRIGGER stumble BEFORE UPDATE OF photo_id ON announcement
          BEGIN SELECT RAISE(ABORT, 'no'); END
          """)
    }
    let failed = try program.run("report", "submit", "--json")
    #expect(failed.exitCode == 74 && code(failed) == "database", "\(failed.out)")
    #expect(!failed.err.contains("network"))
    #expect(try program.run("announcements", "--json").out.isEmpty)
    #expect(try program.run("report", "clear").exitCode == 0)
    let left = try catalog(program).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM announcement")
    }
    #expect(left == 0)
  }

  /// A draft of another version is an error, and only `--force` deletes it.
  @Test func anUnreadableDraftIsToldAndKept() throws {
    let program = try Program()
    #expect(try program.run("report", "chip", "--number", "1").exitCode == 0)
    let content = #"{"version":99,"id":"default"}"#
    try catalog(program).write {
      try $0.execute(sql: "UPDATE report_draft SET content = ?", arguments: [content])
    }
    for command in [
      ["report", "status"], ["report", "chip", "--number", "2"], ["report", "clear"],
    ] {
      let outcome = try program.run(command + ["--json"])
      #expect(outcome.exitCode == 74 && outcome.out.contains("format 99"), "\(outcome.out)")
    }
    #expect(
      try catalog(program).read { try String.fetchOne($0, sql: "SELECT content FROM report_draft") }
        == content)
    #expect(try program.run("report", "clear", "--force").exitCode == 0)
    #expect(try program.run("report", "chip", "--number", "2").exitCode == 0)
  }

  /// An unreadable draft doesn't count as submitted, so it accepts a photo. Clearing the draft removes the photo.
  @Test(arguments: [#"{"id""#, "", "[]"])
  func aDamagedDraftTakesAPhoto(_ content: String) throws {
    let program = try Program()
    #expect(try program.run("report", "chip", "--number", "1").exitCode == 0)
    try catalog(program).write {
      try $0.execute(sql: "UPDATE report_draft SET content = ?", arguments: [content])
    }
    let attached = try program.run("attach", Program.image("gps-exif.jpg"), "--json")
    #expect(attached.exitCode == 0, "\(attached.out)")
    #expect(try program.run("report", "status", "--json").exitCode == 74)
    #expect(try program.run("report", "clear", "--force").exitCode == 0)
    #expect(try program.run("status", "--json").json["status"] as? String == "empty")
  }

  @Test func theSameChipInTwoOpenReportsIsAConflict() throws {
    let program = try Program()
    for draft in ["a", "b"] { try complete(program, chip: "616093900012345", draft: draft) }
    let first = try program.run("report", "submit", "--draft", "a", "--json")
    #expect(first.exitCode == 0)
    let second = try program.run("report", "submit", "--draft", "b", "--lang", "pl", "--json")
    #expect(second.exitCode == 65 && code(second) == "duplicate-microchip")
    #expect(second.out.contains("mikroczipu"))
    #expect(try program.run("report", "chip", "--number", "1", "--draft", "b").exitCode == 0)
    #expect(try program.run("report", "submit", "--draft", "b").exitCode == 0)
  }

  /// An announcement that an operator hid isn't listed, shows the reason, and releases its chip.
  @Test func whatAnOperatorTookDownIsHiddenAndItsChipFree() throws {
    let program = try Program()
    for draft in ["a", "b"] { try complete(program, chip: "616093900012345", draft: draft) }
    let first = try program.run("report", "submit", "--draft", "a", "--json").json
    let id = try #require((first["announcement"] as? [String: Any])?["id"] as? String)
    let password = try #require(first["managementPassword"] as? String)
    let reason = "letter of 3 May"
    #expect(try program.run("announcements", "hide", id, "--reason", reason).exitCode == 0)
    #expect(try program.run("announcements", "--json").out.isEmpty)
    let listed = try program.run("announcements", "list", "--hidden", "--json")
    #expect(listed.json["id"] as? String == id && listed.json["reason"] as? String == reason)
    let printed = try program.run("announcements", "list", "--hidden").out
    #expect(printed.contains(reason) && printed.contains("1 report"), "\(printed)")
    let shown = try program.run("announcements", "show", id, "--json")
    #expect(shown.exitCode == 66 && code(shown) == "taken-down" && shown.out.contains(reason))
    #expect(try program.run("report", "submit", "--draft", "b").exitCode == 0)
    let unhidden = try program.run("announcements", "unhide", id, "--json", "--lang", "pl")
    #expect(unhidden.exitCode == 65 && code(unhidden) == "duplicate-microchip")
    #expect(unhidden.err.contains("pozostaje ukryte"))
    #expect(
      try program.run("announcements", "erase", id, "--password", password).exitCode == 0)
    #expect(try program.run("announcements", "show", id).exitCode == 66)
  }

  /// The code can be passed in a way that other users can't see.
  @Test func theCodeComesFromAFileOrAPipe() throws {
    let program = try Program()
    let (id, code) = try submit(program)
    let file = program.work.appending(path: "code.txt")
    try Data("\(code)\r\nnot this\n".utf8).write(to: file)
    let both = try program.run(
      "announcements", "close", id, "--password", code, "--password-file", file.path)
    #expect(both.exitCode == 64)
    let missing = try program.run("announcements", "close", id, "--password-file", "/nowhere")
    #expect(missing.exitCode == 66 && missing.err.contains("/nowhere"))
    let piped = try program.run(
      "announcements", "close", id, "--password-file", "-", "--json", input: Data(code.utf8))
    #expect(piped.exitCode == 0, "\(piped.err)")
    let closed = try program.run("announcements", "close", id, "--password-file", file.path)
    #expect(closed.exitCode == 0)
  }

  /// At a terminal the program prompts for the code without echoing it.
  @Test func atATerminalTheCodeIsAskedForAndNotShown() throws {
    let program = try Program()
    let (id, code) = try submit(program)
    let terminal = try Pseudoterminal(
      ["announcements", "close", id, "--lang", "pl"], cache: program.cache)
    try terminal.expect("Kod: ")
    terminal.type(code)
    try terminal.expect("ZAMKNIĘTE")
    #expect(terminal.exitCode() == 0)
    #expect(!terminal.screen.contains(code))
  }

  /// Closed, cleared and swept announcements still contain name and phone; erased ones leave no byte.
  @Test func erasedNothingIsLeft() throws {
    let program = try Program()
    let (id, code) = try submit(program)
    #expect(try program.run("announcements", "close", id, "--password", code).exitCode == 0)
    let wrong = try program.run("announcements", "erase", id, "--password", "x")
    #expect(wrong.exitCode == 65)
    let erased = try program.run("announcements", "erase", id, "--password", code, "--json")
    #expect(erased.out == "{\"id\":\"\(id)\",\"erased\":true}\n")
    #expect(try program.run("announcements", "close", id, "--password", code).exitCode == 66)
    let file = try Data(
      contentsOf: program.cache.appending(path: "database/catalog.sqlite"))
    #expect(file.range(of: Data("600 700 800".utf8)) == nil)
    #expect(try program.run("list", "--json").out.isEmpty)
    let blobs = FileManager.default.enumerator(atPath: program.cache.path + "/blobs")
    #expect(blobs?.contains { ($0 as? String)?.contains(".") == true } == false)
    #expect(try program.run("report", "status", "--json").json["isSubmitted"] as? Bool == false)
  }

  /// An unavailable list of species is reported as offline, and blocks nothing (seed 021, FR-014).
  @Test func theListOfSpeciesIsRefreshed() throws {
    let program = try Program()
    let list = program.work.appending(path: "species.json")
    let newer = #"{"version":7,"options":[{"id":"ferret","names":{"en":"Ferret","pl":"Fretka"}}]}"#
    try Data(newer.utf8).write(to: list)
    let ferret = ["report", "describe", "--species", "ferret", "--race", "-", "--gender", "male"]
    let offline = try program.run(
      Self.description[0], Self.description[1], "--species", "ferret", "--lang", "pl",
      environment: ["PETSPOT_TAXONOMY": "/nowhere.json"])
    #expect(offline.exitCode == 65 && offline.err.contains("Używamy listy offline"))
    let named = ["PETSPOT_TAXONOMY": list.path]
    let taken = try program.run(
      ferret[0], ferret[1], ferret[2], ferret[3], ferret[4], "x", ferret[6], ferret[7],
      environment: named)
    #expect(taken.exitCode == 0 && !taken.err.contains("offline"), "\(taken.err)")
    // After that, the species is recognized without the source.
    let kept = try program.run(
      "report", "describe", "--species", "ferret",
      environment: ["PETSPOT_TAXONOMY": "http://127.0.0.1:9/x"])
    #expect(kept.exitCode == 0 && kept.err.contains("Using offline list"), "\(kept.err)")
  }
}
