import Foundation
import ReportFlow
import Testing

@testable import petspot

/// Tests of messages about places, audiences, finished reports and languages, with the built program.
@Suite struct TellingTheTruthTests {
  private static let polish = Words(.pl)

  private func complete(
    _ program: borrowing Program, draft: String = "default", name: [String] = [],
    photo: String = "gps-exif.jpg"
  ) throws {
    let runs =
      [
        ["report", "chip"], ["report", "photo", Program.image(photo)],
        [
          "report", "describe", "--species", "dog", "--race", "Beagle", "--gender", "female",
          "--age", "4",
        ] + name,
        [
          "report", "contact", "--name", "Jan", "--phone", "+48 600 700 800", "--email",
          "jan@example.com", "--reward", "100 zł",
        ],
      ]
    for arguments in runs {
      let outcome = try program.run(arguments + ["--json", "--draft", draft])
      #expect(outcome.exitCode == 0, "\(outcome.out)\(outcome.err)")
    }
  }

  /// Answers questions up to the place, and returns whether the photo's position is offered.
  private func offersPlace(_ program: borrowing Program) throws -> Bool {
    let terminal = try Pseudoterminal(["report"], cache: program.cache)
    try terminal.expect("3/4")
    for question in ["Date", "name", "[Dog]", "[Beagle]", "[Female]", "[4]"] {
      try terminal.expect(question)
      try terminal.expect(": ")
      terminal.type("")
    }
    try terminal.expect("Place, or latitude", or: "This photo was taken at")
    terminal.killHard()
    return terminal.screen.contains("52.2297° N")
  }

  /// The position belongs to the draft. It is offered after restarts, whichever command attached the photo, and is
  /// deleted with the photo.
  @Test func thePhotosPlaceIsOfferedAsLongAsTheDraftHasThePhoto() throws {
    let program = try Program()
    #expect(try program.run("report", "chip").exitCode == 0)
    #expect(try program.run("attach", Program.image("gps-exif.jpg")).exitCode == 0)
    #expect(try program.run("report", "photo").exitCode == 0)
    let refused = try program.run([
      "report", "describe", "--species", "dog", "--race", "Beagle", "--gender", "female", "--age",
      "4", "--latitude", "99",
    ])
    #expect(refused.exitCode == 65)
    #expect(try program.run("report", "describe", "--latitude", "").exitCode == 0)
    // Goes back to step 3 in a new process.
    let back = try Pseudoterminal(["report"], cache: program.cache)
    try back.expect("Your name: ")
    back.type("back")
    try back.expect("3/4")
    back.killHard()
    #expect(try offersPlace(program))
    #expect(!(try program.run("report", "status", "--json").out.contains("52.22")))
    #expect(try program.run("attach", Program.image("foreign.tiff")).exitCode == 65)
    #expect(try offersPlace(program))
    #expect(try program.run("remove").exitCode == 0)
    #expect(try program.run("attach", Program.image("one-pixel.gif")).exitCode == 0)
    #expect(try !offersPlace(program))
    let file = try Data(contentsOf: program.cache.appending(path: "database/catalog.sqlite"))
    #expect(file.range(of: Data("52.229".utf8)) == nil)
  }

  /// Without a server the list is this machine's, and the command to continue names the draft.
  @Test(arguments: Language.allCases) func theAudienceIsNamed(_ language: Language) throws {
    let program = try Program()
    let words = Words(language)
    try complete(program, draft: "b c")
    let arguments = ["report", "--draft", "b c", "--lang", language.rawValue]
    let terminal = try Pseudoterminal(arguments, cache: program.cache)
    // All questions are answered, so the review is shown at once.
    let local = words("talk.audienceLocal", ["folder": program.cache.path])
    try terminal.expect(String(local.prefix(20)))
    try terminal.expect(words("talk.publish"))
    terminal.type(words("talk.no"))
    try terminal.expect("petspot report --draft 'b c' --lang \(language)")
    #expect(terminal.exitCode() == 0)
    let submitted = try program.run(["report", "submit"] + arguments.dropFirst())
    #expect(submitted.out.contains(words("summary.localList")))
    #expect(!submitted.out.contains(words("summary.paragraph1")))
    let over = try Pseudoterminal(arguments, cache: program.cache)
    try over.expect(words("talk.startOver"))
    over.endInput()
    #expect(over.exitCode() == 0)
    #expect(!over.screen.contains("petspot report"))
  }

  /// An interrupted program explains in the reader's language that the input is kept and how to continue.
  @Test(arguments: Language.allCases) func anInterruptionTellsThatAnswersAreKept(
    _ language: Language
  ) throws {
    let program = try Program()
    let words = Words(language)
    let terminal = try Pseudoterminal(
      ["report", "--lang", language.rawValue], cache: program.cache)
    let before = terminal.modes
    try terminal.expect(words("chip.label"))
    try terminal.expect(": ")
    terminal.interrupt()
    let command = "petspot report --lang \(language)"
    try terminal.expect(words("talk.interrupted", ["command": command]))
    #expect(terminal.exitCode() == 130)
    #expect(terminal.modes == before)
  }

  /// The draft is done, and attach and remove report that.
  @Test func aPublishedReportHasNoPhotoToTakeAway() throws {
    let program = try Program()
    try complete(program)
    #expect(try program.run("report", "submit").exitCode == 0)
    #expect(try program.run("status").out == "No photo attached.\n")
    let removed = try program.run("remove")
    #expect(removed.exitCode == 0)
    #expect(removed.out.contains("belongs to the announcement"))
    let attached = try program.run("attach", Program.image("one-pixel.gif"), "--lang", "pl")
    #expect(attached.exitCode == 65 && attached.err.contains(Self.polish("flow.submitted")))
    #expect(try program.run("announcements", "--json").json["photoSHA256"] is String)
  }

  /// A single announcement is shown with everything except private fields.
  @Test func showTellsAll() throws {
    let program = try Program()
    try complete(program)
    try complete(program, draft: "b", name: ["--name", "Dog"], photo: "one-pixel.gif")
    for draft in ["default", "b"] {
      #expect(try program.run("report", "submit", "--draft", draft).exitCode == 0)
    }
    let lines = try program.run("announcements", "--json").out.split(separator: "\n")
    let ids = try lines.map { line in
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(json?["id"] as? String)
    }
    try #require(ids.count == 2)
    let terminal = try Pseudoterminal(
      ["announcements", "show", ids[1], "--lang", "pl"], cache: program.cache)
    try terminal.expect("▀")
    // The first report has no name, so the species is shown instead. A real name stays unchanged.
    for text in ["Pies", "ZAGINIONE", "Beagle", "Samica", "4 lata", "100 zł", "600 700 800"] {
      try terminal.expect(text)
    }
    #expect(terminal.exitCode() == 0)
    #expect(!terminal.screen.contains("example.com"))
    let named = try program.run("announcements", "show", ids[0], "--lang", "pl")
    #expect(named.out.contains("Dog  ZAGINIONE") && named.out.contains("Zdjęcie: petspot"))
    let json = try program.run("announcements", "show", ids[1], "--json").json
    #expect(json["petNameGiven"] as? Bool == false && json["email"] == nil)
    #expect(try program.run("announcements", "show", "none", "--json").exitCode == 66)
  }

  /// The language of the option or the environment applies to photos' commands and errors, too.
  @Test func photosCommandsSpeakTheReadersLanguage() throws {
    let program = try Program()
    let polish = ["LANG": "pl_PL.UTF-8"]
    let rows: [([String], String, String)] = [
      (["status"], "No photo attached.", "Nie dodano zdjęcia."),
      (["continue"], "Photo is mandatory", "Wybierz zdjęcie"),
      (
        ["report", "photo"], "Attach one with: petspot report photo FILE",
        "Dodaj je poleceniem: petspot report photo PLIK"
      ),
      (["remove"], "No photo attached.", "Nie dodano zdjęcia."),
      (["attach", "/nowhere.jpg"], "There's no file", "Nie ma pliku /nowhere.jpg"),
      (["attach", Program.image("foreign.tiff")], "a TIFF image", "to obraz TIFF"),
      (["attach", "/tmp"], "is a folder", "/tmp to folder"),
      (["forget", UUID().uuidString], "There's no photo", "Nie ma zdjęcia"),
      (["attach", Program.image("gps-exif.jpg")], "location", "usunięto lokalizację"),
      (["import", Program.image("one-pixel.gif")], "1 file: ", "Pliki: 1; "),
      (["verify"], "0 damaged", "uszkodzone: 0"),
      (["continue"], "The photo is fine", "Zdjęcie jest w porządku"),
      (["list"], "2 KB", "2 kB"), (["sweep"], "Deleted 0 files", "Usunięto: 0 plików"),
      (["doctor"], "sandbox", "wolne  "),
      (["inspect", Program.image("gps-exif.jpg")], "has a location", "kroki attach: "),
      (["import", Program.image("foreign.tiff")], "is a TIFF image", "to obraz TIFF"),
      (["import", Program.image("one-pixel.gif")], "unchanged", "bez zmian"),
    ]
    for (arguments, english, other) in rows {
      let told = try program.run(arguments)
      #expect((told.out + told.err).contains(english), "\(arguments): \(told.out)\(told.err)")
      let option = try program.run(arguments + ["--lang", "pl"])
      #expect((option.out + option.err).contains(other), "\(option.out)\(option.err)")
      let locale = try program.run(arguments, environment: polish)
      #expect((locale.out + locale.err).contains(other))
    }
  }
}
