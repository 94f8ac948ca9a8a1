import Foundation
import Testing

/// Caches that earlier versions made (`Scripts/make-older-cache`) are opened, proved and used.
@Suite("Caches of earlier versions")
struct OlderCacheTests {
  /// What the script tells of a cache.
  struct Told: Decodable {
    struct Photo: Decodable {
      var id: String
      var fileName: String
      var pixelWidth: Int
      var pixelHeight: Int
    }
    var attached: Photo
    var library: [String]
    var imported: Int
    var announcement: String
    var password: String
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "OlderCaches")

  static let versions: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".tar") }.map { String($0.dropLast(4)) }.sorted()
  }()

  @Test("There is one of an earlier version")
  func thereIsOne() { #expect(Self.versions.contains("2026-11")) }

  @Test("Everything in it is there and whole", arguments: versions)
  func opened(_ version: String) throws {
    let program = try Program()
    let told = try unpack(version, into: program)
    let checked = try program.run("verify", "--all", "--decode", "--json")
    #expect(checked.exitCode == 0, "\(checked.out)\(checked.err)")
    let shown = try program.run("show", told.attached.id, "--json").json
    #expect(shown["fileName"] as? String == told.attached.fileName)
    #expect(shown["pixelWidth"] as? Int == told.attached.pixelWidth)
    let status = try program.run("status", "--draft", "picked", "--json").json
    #expect(status["status"] as? String == "confirmed")
    #expect(try program.run("continue", "--draft", "attached").exitCode == 0)
    let listed = try program.run("list", "--json").out.split(separator: "\n")
    #expect(listed.count > told.imported)
    let announced = try program.run("announcements", "list", "--json")
    #expect(announced.out.contains(told.announcement), "\(announced.out)\(announced.err)")
    let begun = try program.run("report", "status", "--draft", "begun", "--json")
    #expect(begun.out.contains("985112003456789"))
  }

  @Test("It is used as before: imported into, attached from, closed", arguments: versions)
  func used(_ version: String) throws {
    let program = try Program()
    let told = try unpack(version, into: program)
    let again = try program.run("import", Program.image("gps-exif.jpg"), "--json").out
    #expect(again.contains("\"duplicates\":1"), "\(again)")
    let new = try program.run("import", Program.image("baseline-444.jpg"), "--json").out
    #expect(new.contains("\"imported\":1"), "\(new)")
    let attach = try program.run("attach", "--asset", told.library[0], "--draft", "new", "--json")
    #expect(attach.exitCode == 0, "\(attach.out)\(attach.err)")
    #expect(try program.run("forget", told.library[1], "--json").exitCode == 0)
    let closed = try program.run(
      "announcements", "close", told.announcement, "--password", told.password, "--json")
    #expect(closed.exitCode == 0, "\(closed.out)\(closed.err)")
    #expect(try program.run("verify", "--all", "--json").exitCode == 0)
  }

  private func unpack(_ version: String, into program: borrowing Program) throws -> Told {
    let archive = Self.folder.appending(path: version + ".tar").path
    let answer = try program.run(
      script: "tar -xf '\(archive)' -C '\(program.work.path)'")
    try #require(answer.exitCode == 0, "\(answer.err)")
    return try JSONDecoder().decode(
      Told.self, from: Data(contentsOf: Self.folder.appending(path: version + ".json")))
  }
}
