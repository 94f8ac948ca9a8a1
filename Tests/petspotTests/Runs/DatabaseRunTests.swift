import Foundation
import TestPostgres
import Testing

/// Tests of commands with `--database`.
@Suite struct DatabaseRunTests {
  static let isThere = TestServer.shared != nil
  static let absence = Comment(rawValue: TestServer.absence)

  @Test(
    "A photo that one cache attaches to a database is found by another cache of the folder",
    .enabled(if: isThere, absence))
  func attaches() throws {
    let program = try Program()
    let database = try TestDatabase()
    let named = ["PETSPOT_DATABASE": database.url]
    let attached = try program.run(
      "attach", Program.image("one-pixel.gif"), "--json", "--database", database.url)
    #expect(attached.exitCode == 0, "\(attached.err)")
    let catalog = program.cache.appending(path: "database/catalog.sqlite")
    #expect(!FileManager.default.fileExists(atPath: catalog.path))
    let status = try program.run("status", "--json", environment: named)
    #expect(status.json["status"] as? String == "confirmed")
    #expect(try program.run("continue", "--json", environment: named).exitCode == 0)
    let imported = try program.run(
      "import", Program.image("one-pixel.gif"), "--json", environment: named)
    #expect(imported.exitCode == 0 && imported.out.contains(#""imported":1"#), "\(imported.out)")
    let again = try program.run(
      "import", Program.image("one-pixel.gif"), "--json", environment: named)
    #expect(again.out.contains(#""unchanged":1"#), "\(again.out)")
    for command in [["list"], ["verify", "--all"], ["sweep"], ["report", "status"]] {
      let run = try program.run(command + ["--json"], environment: named)
      #expect(run.exitCode == 0, "\(command): \(run.err)")
    }
    // A catalog beside the database would delete pictures that it has no record of.
    let other = try program.run("status", "--json")
    #expect(other.exitCode == 74 && other.err.contains("belong to other records"), "\(other.err)")
    #expect(!FileManager.default.fileExists(atPath: catalog.path))
    #expect(try program.run("remove", environment: named).exitCode == 0)
    #expect(
      try program.run("status", "--json", environment: named).json["status"] as? String == "empty")
  }

  @Test("An unreachable database ends with exit code 69, and its password is never printed")
  func unreachable() throws {
    let program = try Program()
    let url = "postgresql://petspot:s3cret@127.0.0.1:1/name"
    let run = try program.run("status", "--json", environment: ["PETSPOT_DATABASE": url])
    #expect(run.exitCode == 69)
    let error = run.json["error"] as? [String: Any]
    #expect(error?["code"] as? String == "unreachable")
    #expect(run.err.contains("PostgreSQL at 127.0.0.1:1/name can't be reached"))
    #expect(!(run.out + run.err).contains("s3cret"))
  }

  @Test("An invalid address is a usage error, and isn't repeated")
  func noAddress() throws {
    let program = try Program()
    for run in [
      try program.run("status", "--database", "mysql://u:s3cret@h/x"),
      try program.run("status", environment: ["PETSPOT_DATABASE": "mysql://u:s3cret@h/x"]),
    ] {
      #expect(run.exitCode == 64)
      #expect(!(run.out + run.err).contains("s3cret"))
    }
  }

  @Test("libpq is loaded only for a database, and libvips only by processes that decode")
  func loadsNothing() throws {
    let program = try Program()
    let debug = ["LD_DEBUG": "files"]
    let attached = try program.run(
      ["attach", Program.image("one-pixel.gif")], environment: debug)
    #expect(attached.exitCode == 0)
    #expect(attached.err.contains("libsqlite3") && !attached.err.contains("libpq"))
    #expect(!attached.err.contains("libvips"), "its worker has an environment of its own")
    let asked = try program.run(
      ["status", "--database", "postgresql://127.0.0.1:1/x"], environment: debug)
    #expect(asked.err.contains("libpq.so.5"))
  }

  @Test(
    "The doctor reports the server's facts and which promises it doesn't keep",
    .enabled(if: isThere, absence))
  func doctor() throws {
    let program = try Program()
    let database = try TestDatabase()
    let run = try program.run("doctor", "--json", "--database", database.url)
    let told = run.json["database"] as? [String: Any]
    #expect(told?["mayWrite"] as? Bool == true && told?["tables"] as? Bool == false)
    #expect((told?["version"] as? String)?.isEmpty == false)
    // The test server runs without syncing.
    #expect(run.exitCode == 69 && run.out.contains("database-not-durable"))
    let lost = try program.run("doctor", "--json", "--database", "postgresql://127.0.0.1:1/x")
    #expect(lost.exitCode == 69 && lost.out.contains(#""code":"unreachable""#))
    #expect(try program.run("doctor", "--json").json["database"] is NSNull)
  }
}
