import Foundation
import Testing

@testable import petspot

/// Tests of the commands' documentation: help in both languages, the manual, and completion in real shells.
@Suite struct HelpRunTests {
  private static let polish = ["LC_ALL": "pl_PL.UTF-8"]

  /// A text of the help, with its place.
  private struct Text: Hashable { var place, text: String }

  /// Returns all texts of the commands that are shown to people, as ArgumentParser dumps them for tools.
  private func texts(_ environment: [String: String]) throws -> [Text] {
    let told = try Program().run(["--experimental-dump-help"], environment: environment)
    func look(_ command: [String: Any], _ path: String) -> [Text] {
      let arguments = (command["arguments"] as? [[String: Any]] ?? [])
        .filter { $0["shouldDisplay"] as? Bool == true }
        .map { argument in
          Text(
            place: "\(path) <\(argument["valueName"] ?? "")>",
            text: argument["abstract"] as? String ?? "")
        }
      let own = [command["abstract"], command["discussion"]].map {
        Text(place: path, text: $0 as? String ?? "")
      }
      let below = (command["subcommands"] as? [[String: Any]] ?? []).filter {
        $0["commandName"] as? String != "help"
      }
      return own + arguments
        + below.flatMap { look($0, path + " \($0["commandName"] ?? "")") }
    }
    return look(try #require(told.json["command"] as? [String: Any]), "petspot")
  }

  /// Every text of every command is in the reader's language. ArgumentParser's own two texts are translated when the
  /// help is shown.
  @Test func everyTextOfTheHelpIsInTheReadersLanguage() throws {
    let (english, polish) = (try texts([:]), try texts(Self.polish))
    #expect(english.count > 200 && english.map(\.place) == polish.map(\.place))
    let same = Set(english).intersection(polish).filter { !$0.text.isEmpty }
    #expect(
      Set(same.map(\.text)) == ["Show the version.", "Show help information."], "\(same)")
  }

  @Test(arguments: [60, 80])
  func helpFitsTheTerminalAndHasNoHeadingInAnotherLanguage(_ columns: Int) throws {
    let program = try Program()
    let commands = [
      [], ["import"], ["report"], ["report", "describe"], ["announcements"], ["serve"],
    ]
    for command in commands {
      for way in [command + ["--help"], ["help"] + command, command + ["--help", "--lang", "pl"]] {
        let told = try program.run(
          way, environment: Self.polish.merging(["COLUMNS": String(columns)]) { $1 })
        #expect(told.exitCode == 0 && told.out.hasPrefix("OPIS: "), "\(told.err)")
        for word in ["OVERVIEW", "USAGE", "OPTIONS", "SUBCOMMANDS", "default", "Show ", "See '"] {
          #expect(!told.out.contains(word), "\(word) in \(told.out)")
        }
        #expect(told.out.contains("SKŁADNIA: petspot") && told.out.contains("Pokaż tę pomoc."))
        // Text without spaces, such as an address, may be longer.
        let long = told.out.split(separator: "\n").filter {
          TextCells.width(of: $0) > columns && $0.drop { $0 == " " }.contains(" ")
        }
        #expect(long.isEmpty, "\(long)")
      }
    }
    // The help is for the command itself, not for its default subcommand.
    let report = try program.run("report", "--help", "--lang", "pl")
    #expect(report.out.contains("\n  describe ") && report.out.contains("\n  chip "))
    let english = try program.run("import", "--help")
    #expect(english.out.hasPrefix("OVERVIEW: ") && english.out.contains("EXAMPLES:"))
    for name in ["man petspot", "--generate-completion-script"] {
      #expect(try program.run("--help").out.replacing("\n", with: " ").contains(name))
    }
  }

  /// Each example of the help runs unchanged if the files that it names exist. An example that needs a database, a
  /// terminal or a real ID fails with exactly that reason.
  @Test func everyExampleRuns() throws {
    let program = try Program()
    for (name, image) in [
      ("rex.heic", "portrait-phone.heic"), ("a.jpg", "gps-exif.jpg"),
      ("Photos/b.jpg", "orientation-6.jpg"), ("Phone/c.gif", "still.gif"),
    ] {
      let file = program.work.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: URL(filePath: Program.image(image)), to: file)
    }
    try Data("code".utf8).write(to: program.work.appending(path: "code.txt"))
    let examples = try texts([:]).flatMap { text in
      text.text.replacing(/\\\n */, with: "").split(separator: "\n")
        .filter { $0.hasPrefix("  ") && $0.contains("petspot") }
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(examples.count > 80, "\(examples)")
    let needsMore = ["--distribute", "worker", "undo 3", "close 6f9619ff", "erase 6f9619ff"]
    // Absolute folders are moved into the test's folder.
    let work = program.work.path
    let folders = /(?:^| )(\/(?:backup|var|tmp|mnt|media)\S*)/
    for text in Set(examples).sorted() {
      let example = text.replacing(folders) { " " + work + String($0.output.1) }
      let told = try program.run(
        script: """
          exec < /dev/null; petspot() { timeout --signal=INT 3 "$petspot" "$@"; }
          export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b HOME='\(program.work.path)'
          cd; \(example)
          """)
      for refusal in ["nknown option", "nexpected argument", "issing expected", "is invalid"] {
        #expect(!told.err.contains(refusal), "\(example): \(told.err)")
      }
      #expect(told.exitCode != 70, "\(example): \(told.err)")
      if !needsMore.contains(where: example.contains) {
        #expect(told.exitCode != 64, "\(example): \(told.err)")
      }
    }
  }

  /// The manual has a page for each command in both languages, and man shows it without a warning.
  @Test(.enabled(if: ["python3", "man"].allSatisfy { isThere($0) }, "needs python3 and man"))
  func theManualIsMadeFromTheCommands() throws {
    let program = try Program()
    let script = Program.root.appending(path: "Scripts/make-manual").path
    let manual = program.work.appending(path: "manual")
    let made = try program.run(
      script: "'\(script)' '\(manual.path)' --program \"$petspot\"")
    #expect(made.exitCode == 0, "\(made.err)")
    for (folder, name, options, text) in [
      ("man1", "petspot-import", "OPTIONS", "Walks the folders"),
      ("pl/man1", "petspot-import", "OPCJE", "Przeszukuje foldery"),
      ("man1", "petspot-announcements-close", "OPTIONS", "--password-file"),
      ("man1", "petspot", "COMMANDS", "petspot-report(1)"),
    ] {
      let page = manual.appending(path: "\(folder)/\(name).1").path
      let shown = try program.run(
        script: "LC_ALL=C.UTF-8 MANWIDTH=400 MANOPT= man --warnings -l '\(page)' | col -bx")
      #expect(shown.exitCode == 0 && shown.err.isEmpty, "\(shown.err)")
      #expect(shown.out.contains("\n\(options)\n") && shown.out.contains(text), "\(shown.out)")
    }
    let pages = try FileManager.default.contentsOfDirectory(atPath: manual.path + "/man1")
    #expect(Set(pages).isSuperset(of: ["petspot.1", "petspot-report-talk.1", "petspot-doctor.1"]))
    #expect(!pages.contains { $0.contains("decode-worker") || $0.contains("help") })
  }

  /// Tab in a real shell completes to the intended arguments.
  @Test(arguments: ["bash", "zsh", "fish"].filter { isThere($0) })
  func tabCompletesInARealShell(_ shell: String) throws {
    let program = try Program()
    let folder = program.work.appending(path: "folder for pets")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let arguments = [
      "bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "-i"],
    ]
    let tools = Program.executable.deletingLastPathComponent().path
    // A shell requires the terminal as its controlling terminal.
    let terminal = try Pseudoterminal(
      ["--ctty", "--wait", "/usr/bin/\(shell)"] + (arguments[shell] ?? []),
      of: URL(filePath: "/usr/bin/setsid"), cache: program.cache,
      columns: 200,
      environment: [
        "PATH": "\(tools):/usr/bin:/bin", "HOME": program.work.path, "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
      ])
    let read = "source <(petspot --generate-completion-script \(shell))"
    switch shell {
    case "fish": terminal.type("petspot --generate-completion-script fish | source")
    case "zsh":
      terminal.type("autoload -U compinit; compinit -u -d \(program.work.path)/dump; \(read)")
    default: terminal.type(read)
    }
    terminal.type("cd \(program.work.path); echo re''ady")
    try terminal.expect("ready")
    // The values of an option are completed; incomplete values would be refused.
    terminal.send("petspot announcements list --so\told\t\r")
    try terminal.expect("No missing pets")
    terminal.send("petspot announcements list --la\tp\t\r")
    try terminal.expect("Nie ma teraz")
    // Completes a species, a gender, and a folder with spaces.
    terminal.send("petspot rep\tdes\t--spec\trab\t--gen\tfem\t--race Lop --cac\tfold\t")
    terminal.send(" && echo do''ne\r")
    try terminal.expect("Animal description: done")
    try terminal.expect("done")
    #expect(FileManager.default.fileExists(atPath: folder.path + "/database"))
    // Completes a photo's ID from its beginning in lowercase, or a file's name if no ID begins like that.
    terminal.type("petspot attach \(Program.image("one-pixel.gif")) -q && echo atta''ched")
    try terminal.expect("attached")
    let id = try #require(
      (try program.run("status", "--json").json["photo"] as? [String: Any])?["id"] as? String)
    for command in ["show --json", "similar --json", "export --to . "] {
      terminal.send("petspot \(command) \(id.prefix(6).lowercased())\t; echo en''ded\r")
      let isLower = id.prefix(6).contains(where: \.isLetter)
      try terminal.expect(String((isLower ? id.lowercased() : id).suffix(20)))
      try terminal.expect("ended")
    }
    terminal.send("petspot show --json \(Program.root.path)/TestImages/portrait-ph\t\r")
    try terminal.expect("public.heic")
    terminal.type("exit")
    _ = terminal.exitCode()
  }
}

/// Returns whether a tool of the system is installed.
private func isThere(_ tool: String) -> Bool {
  FileManager.default.isExecutableFile(atPath: "/usr/bin/\(tool)")
}
