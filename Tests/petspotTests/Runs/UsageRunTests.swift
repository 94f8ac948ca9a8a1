import Foundation
import Testing

@testable import petspot

/// Tests of the reaction to wrong usage by people and scripts.
@Suite struct UsageRunTests {
  @Test(arguments: [
    (["atach", "x"], "There is no command atach. Did you mean attach?", "Nie ma polecenia atach."),
    (
      ["announcements", "shw"], "no command announcements shw. Did you mean show?",
      "polecenia announcements shw"
    ),
    (["report", "pies"], "no command report pies", "Nie ma polecenia report pies"),
    (["list", "--limt", "3"], "Did you mean '--limit'?", "Nieznana opcja '--limt'."),
    (
      ["list", "--limit", "-1"], "--limit has to be 1 or more", "--limit musi wynosić co najmniej 1"
    ),
    (["list", "--limit=", "7"], "The value '' is invalid for", "Wartość '' jest nieprawidłowa"),
    (["list", "--cache=", "/tmp"], "A path can't be empty", "Ścieżka nie może być pusta"),
    (["sweep", "--dry-run="], "Unexpected argument ''", "Nieoczekiwany argument ''"),
    (["list", "--limit"], "Missing value for '--limit <n>'", "Brak wartości opcji '--limit <n>'"),
    (
      ["list", "--limit", "x"], "The value 'x' is invalid for",
      "Wartość 'x' jest nieprawidłowa dla"
    ),
    (["announcements", "hide", "6f9619ff"], "--reason", "--reason"),
    (["announcements", "hide", "6f9619ff", "--reason", " "], "1 to 500", "od 1 do 500"),
    (["announcements", "erase", "6f9619ff"], "--password-file", "--password-file"),
    (
      ["announcements", "erase", "6f9619ff", "--operator", "--password", "x"], "--operator",
      "--operator"
    ),
    (
      ["announcements", "erase", "6f9619ff", "--operator", "--server", "http://a"],
      "PETSPOT_SERVER", "PETSPOT_SERVER"
    ),
    (
      ["announcements", "list", "--hidden", "--server", "http://a"], "--hidden works on",
      "--hidden"
    ),
    (["announcements", "list", "--hidden", "--near", "1,1"], "--hidden and --near", "--near"),
    (["announcements", "list", "--hidden", "--sort", "oldest"], "--hidden and --sort", "--sort"),
    (
      ["announcements", "--near", "99,1"], "Give latitude from -90 to 90",
      "Podaj szerokość od -90 do 90"
    ),
    (["announcements", "--near", "1,1", "--range", "-1"], "more than 0 km", "większe od 0 km"),
    (
      ["attach", "file:///home/ola/Moje%20zdj%C4%99cia/rex.jpg"],
      "file:///home/ola/Moje%20zdj%C4%99cia/rex.jpg is an address. Give the path instead: "
        + "'/home/ola/Moje zdjęcia/rex.jpg'.",
      "Podaj zamiast niego ścieżkę: '/home/ola/Moje zdjęcia/rex.jpg'."
    ),
    (
      ["inspect", "a.jpg", "file:/home/rex.jpg"], "Give the path instead: /home/rex.jpg",
      "ścieżkę: /home/rex.jpg"
    ),
    (
      ["import", "https://example.org/a/rex.jpg?size=1"],
      "https://example.org/a/rex.jpg?size=1 is an address, and PetSpot takes paths. Download",
      "https://example.org/a/rex.jpg?size=1 to adres, a PetSpot przyjmuje ścieżki. Najpierw pobierz"
    ),
    (["report", "photo", "http://example.org/rex.jpg"], "Download the file", "pobierz plik"),
    (["attach", "s3://bucket/rex.jpg"], "s3://bucket/rex.jpg is an address", "to adres"),
    (["similar"], "Name a photo, or use --all", "Podaj zdjęcie albo użyj --all"),
    (
      ["similar", "rex"], "No photo has an ID starting with", "identyfikatora zaczynającego się od"
    ),
    (["sweep", "a", "b"], "2 unexpected arguments: 'a', 'b'", "Nieoczekiwane argumenty: 'a', 'b'"),
    (
      ["import", ".", "--report", "a.csv", "--report=b.csv"], "--report was given twice",
      "Opcję --report podano dwa razy"
    ),
    (
      ["report", "describe", "--age", "1", "--age", "2"], "--age was given twice",
      "Opcję --age podano dwa razy"
    ),
  ])
  func isOneLineInBothLanguages(_ arguments: [String], _ english: String, _ polish: String) throws {
    let program = try Program()
    let told = try program.run(arguments + ["--json"])
    told.expectError(exit: 64, code: "usage", says: english, #_sourceLocation)
    #expect(told.err.hasSuffix(" --help\n"))
    let other = try program.run(arguments, environment: ["LC_ALL": "pl_PL.UTF-8"])
    #expect(other.out.isEmpty && other.err.contains(polish), "\(other.err)")
    #expect(other.err.hasPrefix("petspot: ") && other.err.split(separator: "\n").count == 1)
  }

  /// Repeatable options may be repeated, and a value that looks like an option is accepted.
  @Test func onlyRepeatedSingleValuesAreRefused() throws {
    let program = try Program()
    let photo = Program.image("one-pixel.gif")
    for arguments in [
      ["import", photo, "--include", "*.gif", "--include", "*.jpg"],
      ["import", photo, "--json", "--json"],
      ["report", "describe", "--name", "--race", "--race", "Beagle"],
    ] {
      let told = try program.run(arguments)
      #expect(told.exitCode != 64, "\(told.err)")
    }
  }

  @Test func lookingMakesNoFolder() throws {
    let program = try Program()
    let id = "6f9619ff"
    let photo = Program.image("one-pixel.gif")
    let rows: [(Int32, [[String]])] = [
      (
        0,
        [
          ["status"], ["list"], ["remove"], ["verify"], ["sweep"], ["doctor"], ["inspect", photo],
          ["report", "status"], ["announcements"], ["announcements", "list"],
          ["announcements", "list", "--hidden"],
        ]
      ),
      (65, [["continue"]]),
      (
        66,
        [
          ["show", id], ["similar", id], ["forget", id], ["export", id, "--to", program.work.path],
          ["announcements", "show", id], ["announcements", "close", id, "--password", "x"],
          ["announcements", "erase", id, "--password", "x"],
          ["announcements", "erase", id, "--operator"], ["announcements", "unhide", id],
          ["announcements", "hide", id, "--reason", "x"],
        ]
      ),
    ]
    for (exitCode, commands) in rows {
      for command in commands {
        let told = try program.run(command + ["--json"])
        #expect(told.exitCode == exitCode, "\(command): \(told.err)")
        #expect(!FileManager.default.fileExists(atPath: program.cache.path), "\(command)")
      }
    }
    #expect(try program.run("report", "status").out.contains("Not done yet: "))
  }

  @Test func idsMayBeGivenByTheirBeginning() throws {
    let program = try Program()
    let images = ["gps-exif.jpg", "orientation-6.jpg"].map(Program.image)
    #expect(try program.run(["import"] + images).exitCode == 0)
    let listed = try program.run("list", "--json").out.split(separator: "\n")
    let ids = try listed.map { line -> String in
      let photo = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(photo?["id"] as? String)
    }
    try #require(ids.count == 2)
    // Long enough to distinguish the two, and at least the minimal length of a prefix.
    let length = max(4, ids[0].commonPrefix(with: ids[1]).count + 1)
    let short = String(ids[0].prefix(length)).lowercased()
    let similar = try program.run("similar", short, "--distance", "64")
    let lines = similar.out.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("DIFFERS") && lines[1].contains(" of 64"))
    #expect(lines[1].contains(String(ids[1].prefix(8))))
    for command in [
      ["show", short], ["export", short, "--to", program.work.path], ["attach", "--asset", short],
      ["report", "photo", "--asset", short], ["forget", short],
    ] {
      let told = try program.run(command)
      #expect(told.exitCode == 0, "\(command): \(told.err)")
    }
    let gone = try program.run("forget", short, "--json")
    gone.expectError(exit: 66, code: "missing-photo", says: short.uppercased(), #_sourceLocation)
    let file = program.work.appending(path: "abcd")
    try Data().write(to: file)
    #expect(try program.run("show", file.path).err.contains("is empty"))
  }

  /// The species, gender and terms of a list are accepted by their names in both languages. For an unknown name, the
  /// error lists the choices.
  @Test func optionsAreTakenByTheirNamesInBothLanguages() throws {
    let program = try Program()
    for (species, gender, id) in [
      ("PIES", "Samica", "dog"), ("cat", "female", "cat"), ("królik", "female", "rabbit"),
      ("Other", "female", "other"), ("inne", "samica", "other"),
    ] {
      let told = try program.run(
        "report", "describe", "--species", species, "--gender", gender, "--race", "x")
      #expect(told.exitCode == 0, "\(species): \(told.err)")
      let form = try program.run("report", "status", "--json").json["description"] as? [String: Any]
      #expect(form?["species"] as? String == id && form?["gender"] as? String == "female")
    }
    for (language, species, gender) in [
      ("en", "dog, cat, bird, rabbit, rodent, reptile, other", "male, female"),
      ("pl", "pies, kot, ptak, królik, gryzoń, gad, inne", "samiec, samica"),
    ] {
      let told = try program.run(
        "report", "describe", "--species", "dragon", "--gender", "x", "--lang", language, "--json")
      #expect(told.exitCode == 65)
      let errors = try #require(told.json["errors"] as? [[String: Any]])
      #expect(errors.map { $0["code"] as? String } == ["invalid-species", "invalid-gender"])
      #expect(told.err.contains(species) && told.err.contains(gender), "\(told.err)")
    }
    // An empty text counts as no species.
    let empty = try program.run("report", "describe", "--species", "", "--json")
    #expect(empty.out.contains("missing-species"))
  }

  @Test func announcementsMayBeGivenByTheBeginningOfTheirIDs() throws {
    let program = try Program()
    var codes: [String: String] = [:]
    for draft in ["a", "b"] {
      for arguments in [
        ["photo", Program.image("one-pixel.gif")],
        ["describe", "--species", "dog", "--race", "x", "--gender", "male"],
        ["contact", "--name", "Jan", "--phone", "600700800"],
      ] {
        #expect(try program.run(["report"] + arguments + ["--draft", draft]).exitCode == 0)
      }
      let made = try program.run("report", "submit", "--draft", draft, "--json").json
      let announcement = try #require(made["announcement"] as? [String: Any])
      codes[try #require(announcement["id"] as? String)] = made["managementPassword"] as? String
    }
    let ids = codes.keys.sorted()
    try #require(ids.count == 2)
    let length = max(4, ids[0].commonPrefix(with: ids[1]).count + 1)
    for id in ids {
      let short = String(id.prefix(length)).uppercased()
      let shown = try program.run("announcements", "show", short, "--json")
      #expect(shown.json["id"] as? String == id, "\(shown.err)")
      let code = try #require(codes[id])
      let hidden = try program.run("announcements", "hide", short, "--reason", "x", "--json")
      #expect(hidden.out == "{\"id\":\"\(id)\",\"hidden\":true,\"reason\":\"x\"}\n")
      #expect(hidden.err.contains(id), "\(hidden.err)")
      let unhidden = try program.run("announcements", "unhide", short, "--json")
      #expect(unhidden.json["id"] as? String == id, "\(unhidden.err)")
      let closed = try program.run("announcements", "close", short, "--password", code)
      #expect(closed.exitCode == 0, "\(closed.err)")
      // A closed announcement is still found, to be erased.
      let owner = id == ids[0] ? ["--operator"] : ["--password", code]
      let erased = try program.run(["announcements", "erase", short, "--json"] + owner)
      #expect(erased.json["id"] as? String == id, "\(erased.err)")
    }
    let gone = try program.run("announcements", "show", String(ids[0].prefix(8)), "--json")
    gone.expectError(
      exit: 66, code: "not-found", says: String(ids[0].prefix(8)), #_sourceLocation)
  }

  @Test func emptyFilesAreToldInTheSameWords() throws {
    let program = try Program()
    let file = program.work.appending(path: "empty.png")
    try Data().write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: file.path)
    let sentence = "\(file.path) is empty (0 bytes). Copy it again"
    for command in ["attach", "inspect", "import"] {
      let told = try program.run(command, file.path)
      #expect((told.out + told.err).contains(sentence), "\(command): \(told.out)\(told.err)")
    }
  }
}
