import Foundation
import Testing

@testable import petspot

@Suite struct VerifyRunTests {
  /// Imports a photo and flips a bit of its blob. Returns the imported folder and the blob.
  private func damagedLibrary(_ program: borrowing Program) throws -> (folder: URL, blob: URL) {
    let folder = program.work.appending(path: "photos")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let photo = folder.appending(path: "gps.jpg")
    try FileManager.default.copyItem(
      at: URL(filePath: Program.image("gps-exif.jpg")), to: photo)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: photo.path)
    let imported = try program.run("import", folder.path, "--json")
    try #require(imported.exitCode == 0, "\(imported.err)")
    let listed = try program.run("list", "--json")
    let address = try #require(listed.json["cachedURL"] as? String)
    let blob = try #require(URL(string: address))
    var bytes = try Data(contentsOf: blob)
    bytes[bytes.count / 2] ^= 1
    try FileManager.default.removeItem(at: blob)
    try bytes.write(to: blob)
    return (folder, blob)
  }

  private func lines(_ outcome: Program.Outcome) throws -> [[String: Any]] {
    try outcome.out.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func partsAreTheWhole() throws {
    let program = try Program()
    #expect(try program.run("verify", "--shard", "2/2", "--json").json["shard"] as? String == "2/2")
    _ = try damagedLibrary(program)
    var (checked, damaged) = (0, 0)
    for part in ["1/2", "2/2"] {
      let told = try program.run("verify", "--dry-run", "--json", "--shard", part)
      let summary = try #require(try lines(told).last)
      #expect(summary["shard"] as? String == part)
      #expect(told.exitCode == (summary["damaged"] as? Int == 0 ? 0 : 65))
      checked += summary["checked"] as? Int ?? 0
      damaged += summary["damaged"] as? Int ?? 0
      #expect(try program.run("sweep", "--shard", part).exitCode == 0)
    }
    #expect(checked == 1 && damaged == 1)
    for text in ["0/2", "3/2", "1/257", "1", "1/2/3", "+1/2", "a/b", ""] {
      for command in ["sweep", "verify"] {
        #expect(try program.run(command, "--shard", text).exitCode == 64, "\(command) \(text)")
      }
    }
  }

  @Test func damageIsFoundPutAwayAndRepaired() throws {
    let program = try Program()
    let (_, blob) = try damagedLibrary(program)
    // Without an option everything is verified; with one, the omitted photos are reported.
    let rehearsed = try program.run("verify", "--dry-run")
    #expect(rehearsed.out.contains("photos/gps.jpg ("))
    let attached = try program.run("verify", "--attached")
    #expect(
      attached.exitCode == 0 && attached.out.contains("verify everything with: petspot verify"))
    let polish = try program.run("verify", "--dry-run", "--lang", "pl")
    #expect(polish.out.contains("zawartość pliku różni się od zapisanej"))
    #expect(rehearsed.exitCode == 65)
    #expect(rehearsed.out.contains("content differs from the record"))
    #expect(rehearsed.err.contains("petspot verify --all --repair"))
    #expect(FileManager.default.fileExists(atPath: blob.path))

    let found = try program.run("verify", "--all", "--json")
    #expect(found.exitCode == 65)
    let told = try lines(found)
    #expect(told.count == 2)
    #expect(told.first?["problem"] as? String == "digest")
    #expect(told.first?["fileName"] as? String == "gps.jpg")
    #expect((told.first?["original"] as? String)?.hasSuffix("/photos/gps.jpg") == true)
    #expect((told.first?["quarantined"] as? String)?.hasPrefix("quarantine/blobs-") == true)
    #expect(told.last?["event"] as? String == "summary")
    #expect(told.last?["checked"] as? Int == 1 && told.last?["damaged"] as? Int == 1)
    #expect(!FileManager.default.fileExists(atPath: blob.path))

    let repaired = try program.run("verify", "--all", "--repair", "--json")
    #expect(repaired.exitCode == 0, "\(repaired.out)\(repaired.err)")
    #expect(try lines(repaired).first?["from"] as? String == "source")
    #expect(try program.run("verify", "--all").exitCode == 0)
  }

  @Test func whatCannotBeRepairedIsToldWithWhatToDo() throws {
    let program = try Program()
    let (folder, _) = try damagedLibrary(program)
    try FileManager.default.moveItem(
      at: folder.appending(path: "gps.jpg"), to: program.work.appending(path: "moved.jpg"))
    let failed = try program.run("verify", "--all", "--repair")
    #expect(failed.exitCode == 65)
    #expect(failed.out.contains("its original is missing"))
    #expect(failed.err.contains("--from DIR"))
    let repaired = try program.run(
      "verify", "--all", "--repair", "--from", program.work.path)
    #expect(repaired.exitCode == 0, "\(repaired.out)\(repaired.err)")
  }

  @Test(arguments: [["--repair", "--dry-run"], ["--from", "/tmp"]])
  func optionsThatDoNotGoTogether(_ options: [String]) throws {
    let program = try Program()
    #expect(try program.run(["verify"] + options).exitCode == 64)
  }
}
