import Foundation
import ReportFlow
import Testing

@testable import petspot

/// Tests a whole report at a real terminal, in both languages, with a power cut in every step.
@Suite struct ConversationTests {
  /// A question, and the answer that the person types.
  private struct Question {
    var label: TextKey
    var answer: String
    /// The text in brackets when the question is shown again.
    var kept: String

    init(_ label: TextKey, _ answer: String, kept: String? = nil) {
      (self.label, self.answer, self.kept) = (label, answer, kept ?? answer)
    }
  }

  private static func command(_ words: Words) -> String {
    "petspot report --lang \(words.language)"
  }

  private static func steps(_ words: Words) -> [[Question]] {
    [
      [Question("chip.label", "616-093 9000", kept: "61609-39000")],
      [Question("talk.photo", Program.image("one-pixel.gif"), kept: "one-pixel.gif")],
      [
        Question("date.label", "2026-02-28"), Question("petName.label", "Łatek"),
        Question("species.label", "1", kept: words.text(named: "species.dog")),
        Question("race.label", "Beagle"),
        Question("gender.label", words("gender.male")), Question("age.label", "4"),
        Question("talk.place", "52,2297; 21.0122"),
        Question("description.label", "białe łapy, boi się burzy"),
      ],
      [
        Question("name.label", "Żaneta"), Question("phone.label", "+48 600 700 800"),
        Question("email.label", "z@example.com"), Question("reward.label", "100 zł"),
      ],
    ]
  }

  /// Answers every question of every step, but kills the program after each answer and restarts it. The question must
  /// be shown again with the answer in brackets.
  @Test(arguments: Language.allCases) func killedAfterEveryAnswer(_ language: Language) throws {
    let program = try Program()
    let words = Words(language)
    let arguments = ["report", "--lang", language.rawValue]
    let steps = Self.steps(words)
    for (number, step) in steps.enumerated() {
      for index in step.indices {
        let terminal = try Pseudoterminal(arguments, cache: program.cache)
        try keep(step[..<index], of: number, at: terminal, words)
        try terminal.expect(words(step[index].label))
        try terminal.expect(": ")
        terminal.type(step[index].answer)
        // The next output shows that the answer is on the disk.
        if index + 1 < step.count {
          try terminal.expect(words(step[index + 1].label))
        } else {
          try terminal.expect(number < 3 ? "\(number + 2)/4" : words("talk.publish"))
        }
        terminal.killHard()
      }
    }
    try keepUnpublished(program, words, arguments, steps)
    try publish(program, words, arguments, steps)
  }

  /// Expects that the whole report is shown before it is published, and that only "yes" publishes it.
  private func keepUnpublished(
    _ program: borrowing Program, _ words: Words, _ arguments: [String],
    _ steps: [[Question]]
  ) throws {
    for answer in ["", "-", words("talk.no"), "no", "x"] {
      let terminal = try Pseudoterminal(arguments, cache: program.cache)
      // All questions are answered, so the program begins at the review.
      try terminal.expect("4/4")
      for shown in [
        "61609-39000", "one-pixel.gif", "2026-02-28", "Łatek", "Beagle", "z@example.com",
      ] {
        try terminal.expect(shown)
      }
      try terminal.expect(words("talk.publish"))
      terminal.type(answer)
      try terminal.expect(words("talk.kept", ["command": Self.command(words)]))
      #expect(terminal.exitCode() == 0)
    }
    #expect(try program.run("announcements", "--json").out.isEmpty)
  }

  /// Reopens a step, and keeps the values in brackets of its first questions.
  private func keep(
    _ questions: ArraySlice<Question>, of step: Int, at terminal: Pseudoterminal,
    _ words: Words
  ) throws {
    try terminal.expect("\(step + 1)/4")
    for question in questions {
      try terminal.expect("\(words(question.label)) [\(question.kept)]: ")
      terminal.type("")
    }
  }

  private func publish(
    _ program: borrowing Program, _ words: Words, _ arguments: [String],
    _ steps: [[Question]]
  ) throws {
    let terminal = try Pseudoterminal(arguments, cache: program.cache)
    try terminal.expect(words("talk.publish"))
    // Back leads to the last question, and its answer leads to the review.
    terminal.type(words("talk.back"))
    try terminal.expect("\(words("reward.label")) [100 zł]: ")
    // Lines that were pasted after the last answer don't answer the question.
    terminal.type("\n" + words("talk.yes"))
    try terminal.expect(words("talk.publish"))
    terminal.type(words("talk.yes"))
    try terminal.expect(words("status.password") + ": ")
    try terminal.expect(words("talk.passwordNoted"))
    // After a kill, a code that wasn't noted is shown again.
    terminal.killHard()
    let again = try Pseudoterminal(arguments, cache: program.cache)
    try again.expect(words("status.password") + ": ")
    try again.expect(words("talk.passwordNoted"))
    again.type("")
    #expect(again.exitCode() == 0)

    let listed = try program.run("announcements", "--json").json
    #expect(listed["petName"] as? String == "Łatek")
    #expect(listed["breed"] as? String == "Beagle")
    #expect(listed["dateOfDisappearance"] as? String == "2026-02-28")
    #expect(listed["description"] as? String == "białe łapy, boi się burzy")
    let place = try #require(listed["location"] as? [String: Any])
    #expect(place["latitude"] as? Double == 52.2297)
    #expect(listed["contactName"] as? String == "Żaneta")

    let over = try Pseudoterminal(arguments, cache: program.cache)
    try over.expect(words("talk.startOver"))
    over.type(words("talk.yes"))
    try over.expect("1/4")
    over.endInput()
    try over.expect(words("talk.kept", ["command": Self.command(words)]))
    #expect(over.exitCode() == 0)
  }

  @Test(arguments: Language.allCases) func errorsBackAndQuit(_ language: Language) throws {
    let program = try Program()
    let words = Words(language)
    let terminal = try Pseudoterminal(
      ["report", "--lang", language.rawValue], cache: program.cache)
    try terminal.expect(words("chip.label"))
    terminal.type("123")
    try terminal.expect(words("talk.photo"))
    terminal.type("")
    try terminal.expect(words("photo.mandatory"))
    terminal.type(UUID().uuidString)
    try terminal.expect(words("failure.missing-photo"))
    terminal.type(words("talk.back"))
    try terminal.expect("\(words("chip.label")) [123]: ")
    terminal.type("")
    try terminal.expect(words("talk.photo"))
    terminal.type("'\(Program.image("gps-exif.jpg"))'")
    // The preview is drawn with two pixels per character.
    try terminal.expect("▀")
    // The next question follows at once. The attached photo can be kept when a later step leads back.
    try terminal.expect(words("date.label"))
    #expect(!terminal.screen.contains("[gps-exif.jpg]: "))
    terminal.type(words("talk.back"))
    try terminal.expect("[gps-exif.jpg]: ")
    terminal.type("")
    try terminal.expect(words("date.label"))
    terminal.type("2999-01-01")
    try terminal.expect(words("date.future"))
    terminal.type("-")
    try terminal.expect(words("date.missing"))
    terminal.type("")
    try terminal.expect(words("petName.label"))
    terminal.type(String(repeating: "a", count: 101))
    try terminal.expect(words("petName.tooLong"))
    try terminal.expect("\(words("petName.label")): ")
    terminal.type("-")
    try terminal.expect("7  ")
    terminal.type("")
    try terminal.expect(words("species.missing"))
    terminal.type("-")
    try terminal.expect(words("species.missing"))
    terminal.type("dragon")
    try terminal.expect(words("talk.choose"))
    terminal.type("7")
    try terminal.expect(words("race.label"))
    terminal.type("-")
    try terminal.expect(words("race.missing"))
    terminal.type("Jeż")
    try terminal.expect("2  ")
    terminal.type("")
    try terminal.expect(words("gender.missing"))
    terminal.type("F")
    try terminal.expect(words("age.label"))
    terminal.type("5 lat")
    try terminal.expect(words("age.notWhole"))
    // Returns to the previous question, and forward again.
    terminal.type(words("talk.back"))
    try terminal.expect("[\(words("gender.female"))]: ")
    terminal.type("")
    try terminal.expect("\(words("age.label")): ")
    terminal.type("?")
    try terminal.expect(words("talk.back"))
    try terminal.expect("\(words("age.label")): ")
    terminal.type("4")
    try terminal.expect("(\(words("talk.yesOrNo")))")
    terminal.type("-3")
    try terminal.expect(words("talk.answerYesOrNo"))
    terminal.type(words("talk.no"))
    try terminal.expect("\(words("talk.place")): ")
    terminal.type("999")
    try terminal.expect(words("location.latitudeRange"))
    terminal.type("0")
    try terminal.expect("\(words("longitude.label")): ")
    terminal.type("-")
    // The input for the place is gone. A pair fills both coordinates, and neither is requested again.
    try terminal.expect(words("description.label"))
    terminal.type(words("talk.back"))
    try terminal.expect("(\(words("talk.yesOrNo")))")
    terminal.type(words("talk.no"))
    try terminal.expect("\(words("talk.place")): ")
    terminal.type("52.2297, 21.0122")
    try terminal.expect(words("description.label"))
    terminal.type("")
    try terminal.expect("4/4")
    // Goes from a step's first question to the previous step.
    terminal.type(words("talk.back"))
    try terminal.expect("3/4")
    try terminal.expect(words("description.label"))
    terminal.type("")
    try terminal.expect(words("name.label"))
    terminal.type("-")
    try terminal.expect(words("contact.nameMissing"))
    terminal.type(String(repeating: "n", count: 800))
    try terminal.expect(words("contact.nameTooLong"))
    terminal.type(words("talk.exit"))
    try terminal.expect(words("talk.kept", ["command": "petspot report --lang \(language)"]))
    #expect(terminal.exitCode() == 0)
    let description = try program.run("report", "status", "--json").json["description"]
    let typed = try #require(description as? [String: Any])
    #expect(typed["species"] as? String == "other")
    #expect(typed["race"] as? String == "Jeż")
    #expect(typed["age"] as? String == "4")
    #expect(typed["captureMethod"] as? String == "manual")
  }

  /// A place with a house number is text. A wrong answer can be corrected by its number in the review.
  @Test(arguments: Language.allCases) func answersAreMendedByNumber(_ language: Language) throws {
    let program = try Program()
    let words = Words(language)
    let arguments = ["report", "--lang", language.rawValue]
    let terminal = try Pseudoterminal(arguments, cache: program.cache)
    let male = language == .en ? "m" : "samie"
    for (label, answer) in [
      ("chip.label", ""), ("talk.photo", Program.image("one-pixel.gif")), ("date.label", ""),
      ("petName.label", "Rex"), ("species.label", "1"), ("race.label", "Beagle"),
      ("gender.label", male), ("age.label", "4"), ("talk.place", "ul. Puławska 12, Warszawa"),
      ("description.label", ""), ("name.label", "Żaneta"), ("phone.label", "600 700 800"),
      ("email.label", ""), ("reward.label", ""),
    ] as [(TextKey, String)] {
      try terminal.expect(words(label))
      try terminal.expect(": ")
      terminal.type(answer)
    }
    try terminal.expect("ul. Puławska 12, Warszawa")
    try terminal.expect(words("talk.publish"))
    terminal.type("3")
    try terminal.expect(words("date.label"))
    terminal.type("2026-02-03")
    try terminal.expect(" 3  \(words("date.label")): 2026-02-03")
    try terminal.expect(words("talk.publish"))
    // Another species requires another breed, because the old one doesn't match it.
    terminal.type("5")
    try terminal.expect(words("species.label"))
    terminal.type("2")
    try terminal.expect(words("race.label"))
    terminal.type("Sfinks")
    try terminal.expect(": Sfinks")
    try terminal.expect(words("talk.publish"))
    terminal.killHard()
    let again = try Pseudoterminal(arguments, cache: program.cache)
    try again.expect(": Sfinks")
    try again.expect(words("talk.publish"))
    again.type(words("talk.yes"))
    try again.expect(words("talk.passwordNoted"))
    again.type("")
    #expect(again.exitCode() == 0)
    let listed = try program.run("announcements", "--json").json
    #expect(listed["dateOfDisappearance"] as? String == "2026-02-03")
    #expect(listed["speciesID"] as? String == "cat" && listed["breed"] as? String == "Sfinks")
    #expect((listed["sex"] as? String)?.lowercased() == "male")
  }
}
