import Foundation
import ReportFlow
import Testing

@testable import petspot

/// Tests of the report's commands for scripts, as in the contract, with the built program.
@Suite struct ReportRunTests {
  private func fields(_ answer: [String: Any]) -> [String] {
    (answer["errors"] as? [[String: Any]] ?? []).compactMap { error in
      (error["field"] as? String).map { "\($0) \(error["code"] as? String ?? "")" }
    }
  }

  private func complete(_ program: borrowing Program) throws {
    let runs = [
      ["chip", "--number", "616-093-900"], ["photo", Program.image("gps-exif.jpg")],
      [
        "describe", "--species", "rabbit", "--race", "Baran", "--gender", "female", "--age", "0",
        "--name", " Łatek ", "--latitude", "-33.8688", "--longitude", "151,2093",
        "--near", " by the lake ",
      ],
      ["contact", "--name", "Jan", "--phone", "+48 600 700 800", "--reward", "100 zł"],
    ]
    for arguments in runs {
      let outcome = try program.run(["report"] + arguments + ["--json"])
      #expect(outcome.exitCode == 0, "\(outcome.out)\(outcome.err)")
    }
  }

  @Test func everyStepSucceedsAsTheContractSays() throws {
    let program = try Program()
    let photo = Program.image("gps-exif.jpg")
    let rows: [([String], String)] = [
      (["chip", "--number", "123456"], #"{"step":"chip","canContinue":true,"next":"photo"}"#),
      (["photo", photo], #"{"step":"photo","canContinue":true,"next":"description"}"#),
      (["photo"], #"{"step":"photo","canContinue":true,"next":"description"}"#),
      (
        ["describe", "--species", "cat", "--race", "Sfinks", "--gender", "male"],
        #"{"step":"description","canContinue":true,"next":"contact"}"#
      ),
      (
        ["contact", "--name", "Jan", "--phone", "600700800"],
        #"{"step":"contact","canContinue":true,"next":"summary"}"#
      ),
    ]
    for (arguments, answer) in rows {
      let outcome = try program.run(["report"] + arguments + ["--json"])
      #expect(outcome.exitCode == 0, "\(outcome.err)")
      #expect(outcome.out == answer + "\n")
    }
  }

  @Test func allErrorsAtOnce() throws {
    let program = try Program()
    let photo = try program.run("report", "photo", "--json")
    #expect(photo.exitCode == 65 && fields(photo.json) == ["photo missing-photo"])
    let toast = try #require(photo.json["toast"] as? [String: Any])
    #expect(toast["message"] as? String == "Photo is mandatory")
    #expect(toast["seconds"] as? Double == 3)

    let long = String(repeating: "a", count: 101)
    let description = try program.run([
      "report", "describe", "--date", "2999-01-01", "--species", "dragon", "--gender", "x",
      "--age", "-1", "--name", long, "--latitude", "-91", "--longitude", "0x10", "--json",
    ])
    #expect(description.exitCode == 65)
    #expect(description.json["canContinue"] as? Bool == false)
    #expect(
      fields(description.json) == [
        "date future-date", "petName invalid-pet-name", "species invalid-species",
        "race missing-race", "gender invalid-gender", "age invalid-age",
        "latitude invalid-latitude", "longitude invalid-longitude",
      ])
    let contact = try program.run(
      "report", "contact", "--phone", "12", "--email", "x", "--lang", "pl", "--json")
    #expect(contact.exitCode == 65)
    #expect(
      fields(contact.json) == ["name missing-name", "phone invalid-phone", "email invalid-email"])
    #expect(contact.out.contains("Wpisz swoje imię"))
    // Refused input is nevertheless kept.
    let status = try program.run("report", "status", "--json").json
    #expect((status["contact"] as? [String: Any])?["phone"] as? String == "12")
    #expect((status["description"] as? [String: Any])?["age"] as? String == "-1")
    #expect(status["completedSteps"] as? [String] == [])
    let submitted = try program.run("report", "submit", "--json")
    let error = try #require(submitted.json["error"] as? [String: Any])
    #expect(submitted.exitCode == 65 && error["code"] as? String == "incomplete")
    #expect(error["steps"] as? [String] == ["photo", "description", "contact"])
  }

  @Test func aRefusedPhotoIsToldAndTheLastGoodOneStays() throws {
    let program = try Program()
    #expect(try program.run("report", "photo", Program.image("gps-exif.jpg")).exitCode == 0)
    let refused = try program.run(
      "report", "photo", Program.image("foreign.tiff"), "--lang", "pl", "--json")
    #expect(refused.exitCode == 65)
    #expect(fields(refused.json) == ["photo unsupported-format"])
    let error = try #require(refused.json["error"] as? [String: Any])
    #expect(error["detected"] as? String == "image/tiff")
    #expect((error["message"] as? String)?.contains("Wybierz zdjęcie w formacie") == true)
    #expect(try program.run("report", "photo", "/nowhere.jpg", "--json").exitCode == 66)
    #expect(try program.run("report", "photo", "--json").exitCode == 0)
  }

  @Test func submittedOnceListedAndClosed() throws {
    let program = try Program()
    try complete(program)
    let first = try program.run("report", "submit", "--json")
    #expect(first.exitCode == 0, "\(first.err)")
    let announcement = try #require(first.json["announcement"] as? [String: Any])
    let password = try #require(first.json["managementPassword"] as? String)
    let id = try #require(announcement["id"] as? String)
    #expect(announcement["petName"] as? String == "Łatek")
    #expect(announcement["species"] as? String == "Other")
    #expect(announcement["speciesID"] as? String == "rabbit")
    #expect(announcement["age"] == nil)
    #expect(announcement["contactPhone"] as? String == "+48 600 700 800")
    let place = try #require(announcement["location"] as? [String: Any])
    #expect(announcement["near"] as? String == "by the lake")
    #expect(place["latitude"] as? Double == -33.8688 && place["longitude"] as? Double == 151.2093)

    let again = try program.run("report", "submit", "--json")
    #expect(again.exitCode == 0 && again.json["managementPassword"] == nil)
    #expect((again.json["announcement"] as? [String: Any])?["id"] as? String == id)
    #expect(!(try program.run("report", "status", "--json").out.contains(password)))
    let changed = try program.run("report", "contact", "--name", "Eva", "--json")
    #expect(changed.exitCode == 65 && changed.out.contains("\"submitted\""))

    let near = try program.run("announcements", "--near", "-33.8688,151.2193", "--json").json
    #expect(near["id"] as? String == id)
    let distance = try #require(near["distanceKm"] as? Double)
    #expect(abs(distance - 0.923) < 0.002)
    let card = try program.run("announcements", "--near", "-33.8688,151.2193", "--lang", "pl").out
    #expect(card.contains("Łatek  ZAGINIONE") && card.contains("Królik · Baran · Samica"))
    #expect(card.contains("0,9 km") && card.contains("1 ogłoszenie"))
    #expect(card.contains("by the lake (33,8688° S"))
    #expect(card.contains("Nagroda: 100 zł") && announcement["reward"] as? String == "100 zł")
    let far = try program.run(
      "announcements", "--near", "52,21", "--range", "100", "--sort", "nearest", "--json")
    #expect(far.exitCode == 0 && far.out.isEmpty)

    let wrong = try program.run("announcements", "close", id, "--password", "x", "--json")
    #expect(wrong.exitCode == 65 && wrong.out.contains("\"wrong-password\""))
    let closed = try program.run("announcements", "close", id, "--password", password, "--json")
    #expect(closed.exitCode == 0)
    #expect((closed.json["announcement"] as? [String: Any])?["status"] as? String == "Closed")
    #expect(try program.run("announcements", "--json").out.isEmpty)
    #expect(
      try program.run("announcements", "close", "none", "--password", "x", "--json").exitCode == 66)
  }

  @Test func wrongCodesAreThrottledInTheReadersLanguage() throws {
    let program = try Program()
    try complete(program)
    let submitted = try program.run("report", "submit", "--json").json
    let announcement = try #require(submitted["announcement"] as? [String: Any])
    let id = try #require(announcement["id"] as? String)
    func guess() throws -> Program.Outcome {
      try program.run("announcements", "close", id, "--password", "no", "--lang", "pl", "--json")
    }
    var throttled = try guess()
    // On a slow machine, another try is allowed every 12 seconds.
    for _ in 1...60 where throttled.exitCode == 65 { throttled = try guess() }
    #expect(throttled.exitCode == 75)
    let error = try #require(throttled.json["error"] as? [String: Any])
    #expect(error["code"] as? String == "throttled" && error["until"] is String)
    #expect((error["message"] as? String)?.hasSuffix("za 1 minutę.") == true)
  }

  @Test func draftsAreApartAndClearEmptiesOne() throws {
    let program = try Program()
    for draft in ["a", "b"] {
      let outcome = try program.run("report", "chip", "--number", "1\(draft)2", "--draft", draft)
      #expect(outcome.exitCode == 0)
    }
    #expect(
      try program.run("report", "clear", "--draft", "a", "--json").out
        == "{\"draft\":\"a\",\"cleared\":true}\n")
    let status = try ["a", "b"].map {
      (try program.run("report", "status", "--draft", $0, "--json").json["chip"] as? [String: Any])?[
        "number"] as? String
    }
    #expect(status == ["", "12"])
  }

  @Test func wrongUsage() throws {
    let program = try Program()
    let rows = [
      ["report", "--json"], ["report", "chip", "--lang", "de"], ["report", "bogus"],
      ["announcements", "--sort", "nearest"], ["announcements", "--range", "5"],
      ["announcements", "--near", "91,0"], ["announcements", "--limit", "0"],
      ["announcements", "close", "id"],
    ]
    for arguments in rows {
      #expect(try program.run(arguments).exitCode == 64, "\(arguments)")
    }
  }

  @Test func theLocaleChoosesTheLanguageUnlessItIsGiven() {
    #expect(Language.spoken(in: ["LANG": "pl_PL.UTF-8"]) == .pl)
    #expect(Language.spoken(in: ["LANG": "pl_PL.UTF-8", "LC_ALL": "C"]) == .en)
    #expect(Language.spoken(in: ["LC_MESSAGES": "pl", "LANG": "en_US"]) == .pl)
    #expect(Language.spoken(in: [:]) == .en)
    #expect(Language.spoken(in: ["LANGUAGE": "pl"]) == .pl)
    #expect(Language.spoken(in: ["LANGUAGE": "de:pl:en", "LANG": "en_US.UTF-8"]) == .pl)
    #expect(Language.spoken(in: ["LANGUAGE": "pl", "LC_ALL": "C"]) == .en)
  }
}
