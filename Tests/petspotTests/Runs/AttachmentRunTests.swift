import Foundation
import Testing

@testable import petspot

@Suite struct AttachmentRunTests {
  @Test func attachStatusContinueRemove() throws {
    let program = try Program()
    #expect(try program.run("status", "--json").out == "{\"status\":\"empty\"}\n")
    let refused = try program.run("continue", "--json")
    #expect(refused.exitCode == 65)
    #expect(refused.out == "{\"canContinue\":false,\"toast\":\"Photo is mandatory\"}\n")

    let attached = try program.run("attach", Program.image("gps-exif.jpg"), "--json")
    #expect(attached.exitCode == 0, "\(attached.err)")
    let photo = try #require(attached.json["photo"] as? [String: Any])
    #expect(photo["fileName"] as? String == "gps-exif.jpg")
    #expect(photo["uti"] as? String == "public.jpeg")
    let address = try #require(photo["cachedURL"] as? String)
    let blob = try #require(URL(string: address))
    #expect(FileManager.default.fileExists(atPath: blob.path))

    let status = try program.run("status")
    #expect(status.out.contains("gps-exif.jpg") && status.out.contains("location"))
    #expect(!status.out.contains("\u{1B}"))
    #expect(try program.run("continue", "--json").out == "{\"canContinue\":true}\n")
    #expect(try program.run("verify", "--json").exitCode == 0)
    let bytes = try Data(contentsOf: blob)
    try FileManager.default.removeItem(at: blob)
    #expect(try program.run("verify", "--json").exitCode == 65)
    let stopped = try program.run("continue", "--json")
    #expect(stopped.exitCode == 65 && stopped.err.contains("gps-exif.jpg is missing"))
    #expect(stopped.json["toast"] as? String == "Photo is mandatory")
    #expect(stopped.json["problem"] as? String == "missing")
    let missing = try program.run("status", "--json").json
    #expect(missing["status"] as? String == "empty" && missing["photo"] == nil)
    #expect(missing["problem"] as? String == "missing")
    #expect(missing["fileName"] as? String == "gps-exif.jpg")
    var flipped = bytes
    flipped[bytes.count / 2] ^= 1
    try flipped.write(to: blob)
    #expect(try program.run("status").out.contains("gps-exif.jpg is damaged"))
    #expect(try program.run("continue").exitCode == 65)
    try bytes.write(to: blob)
    #expect(try program.run("continue").exitCode == 0)
    let removed = try program.run("remove", "--json")
    #expect(removed.exitCode == 0 && removed.out == "{\"status\":\"empty\"}\n")
  }

  @Test func refusalKeepsTheLastGoodPhoto() throws {
    let program = try Program()
    #expect(try program.run("attach", Program.image("orientation-6.jpg")).exitCode == 0)
    let refused = try program.run("attach", "-", "--json", input: Data("II*\0    ".utf8))
    #expect(refused.exitCode == 65)
    let error = try #require(refused.json["error"] as? [String: Any])
    #expect(error["code"] as? String == "unsupported-format")
    #expect(error["detected"] as? String == "image/tiff")
    let status = try program.run("status", "--json").json
    #expect(status["status"] as? String == "confirmed")
    #expect(status["lastFailure"] as? String == "unsupported-format")
  }

  @Test func standardInputTakesItsNameFromTheOption() throws {
    let program = try Program()
    let bytes = try Data(contentsOf: URL(filePath: Program.image("gps-exif.jpg")))
    let attached = try program.run("attach", "-", "--name", "a\u{1B}b.jpg", "--json", input: bytes)
    #expect(attached.exitCode == 0, "\(attached.err)")
    #expect(!attached.out.contains("\u{1B}"))
    let empty = try program.run("attach", "-")
    #expect(empty.exitCode == 65 && empty.err.contains("Standard input is empty"))
  }

  /// The screen of seed 028 uses this name for a photo without one.
  @Test(arguments: [("gps-exif.jpg", "jpg"), ("lossy.webp", "webp")])
  func standardInputWithoutANameIsNamedByItsFormat(file: String, suffix: String) throws {
    let program = try Program()
    let bytes = try Data(contentsOf: URL(filePath: Program.image(file)))
    #expect(try program.run("attach", "-", "--draft", "one", input: bytes).exitCode == 0)
    #expect(try program.run("report", "photo", "-", "--draft", "two", input: bytes).exitCode == 0)
    for draft in ["one", "two"] {
      let status = try program.run("status", "--draft", draft, "--json").json
      let photo = try #require(status["photo"] as? [String: Any])
      #expect(photo["fileName"] as? String == "animal-photo.\(suffix)")
    }
  }

  @Test func inputThatIsNoPhotoFile() throws {
    let program = try Program()
    for path in [program.work.path, "/dev/null", "/nowhere/rex.jpg"] {
      let outcome = try program.run("attach", path, "--json")
      #expect(outcome.exitCode == 66)
      let error = try #require(outcome.json["error"] as? [String: Any])
      #expect(error["code"] as? String == "unreadable")
      #expect(error["path"] as? String == path)
    }
  }

  @Test func wrongUsageAndUnusableCache() throws {
    let program = try Program()
    #expect(try program.run("status", "--bogus").exitCode == 64)
    #expect(try program.run("attach").exitCode == 64)
    #expect(try program.run("status", "--cache", "/dev/null").exitCode == 73)
    #expect(try program.run("show", UUID().uuidString).exitCode == 66)
    #expect(try program.run("--help").out.contains("EXAMPLES"))
  }

  @Test func exportNeverOverwrites() throws {
    let program = try Program()
    let attached = try program.run("attach", Program.image("gps-exif.jpg"), "--json").json
    let id = try #require((attached["photo"] as? [String: Any])?["id"] as? String)
    // A missing folder is created.
    let target = program.work.path + "/new/export"
    let paths = try (1...2).compactMap { _ in
      try program.run("export", id, "--to", target, "--json").json["path"] as? String
    }
    #expect(Set(paths).count == 2)
    #expect(paths.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    let blocked = try program.run("export", id, "--to", paths[0], "--json")
    #expect(blocked.exitCode == 74)
    #expect(blocked.json.isEmpty == false && blocked.err.contains("not a directory"))
  }

  @Test func inspectTellsOfEveryFile() throws {
    let program = try Program()
    let outcome = try program.run(
      "inspect", "/nowhere.jpg", Program.image("orientation-6.jpg"), "--json")
    #expect(outcome.exitCode == 66)
    let lines = outcome.out.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("unreadable") == true)
    #expect(lines.last?.contains("\"orientation\":6") == true)
  }
}
