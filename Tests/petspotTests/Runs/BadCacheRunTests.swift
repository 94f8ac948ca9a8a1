import Foundation
import GRDB
import Testing

/// Tests with a cache folder that isn't usable. Each run ends with an error that explains what to do, and confirmed
/// photos are there again after the cause is removed.
@Suite struct BadCacheRunTests {
  private let photo = Program.image("orientation-6.jpg")

  private func catalog(of program: borrowing Program) -> URL {
    program.cache.appending(path: "database/catalog.sqlite")
  }

  @Test(.enabled(if: geteuid() == 0), arguments: [0, 24_000])
  func fullDisk(_ leaving: Int) throws {
    let program = try Program()
    let path = program.cache.path
    let mounted = try program.run(
      script: "mkdir '\(path)' && mount -t tmpfs -o size=1m tmpfs '\(path)'")
    // In a container, even root may be unable to mount.
    guard mounted.exitCode == 0 else { return }
    defer { _ = try? program.run(script: "umount -l '\(path)'") }
    let id = try program.attachFirst()
    let filler = program.cache.appending(path: "filler")
    _ = try program.run(
      script: "dd if=/dev/zero of='\(filler.path)' bs=4k; truncate -s -\(leaving) '\(filler.path)'")
    let large = Program.image("portrait-phone.heic")
    let refused = try program.run("attach", large, "--json")
    refused.expectError(
      exit: 74, code: "storage-full", says: "photos already stored are safe", #_sourceLocation)
    try program.expectConfirmed(id, #_sourceLocation)
    try FileManager.default.removeItem(at: filler)
    #expect(try program.run("attach", large).exitCode == 0)
  }

  @Test func readOnlyCache() throws {
    let program = try Program()
    let id = try program.attachFirst()
    let folders = ["", "/incoming", "/blobs", "/previews", "/database"].map {
      program.cache.path + $0
    }
    for folder in folders { chmod(folder, 0o500) }
    let script = "\(BadInputRunTests.asOrdinaryUser) $petspot attach '\(photo)' --json"
    let refused = try program.run(script: script)
    for folder in folders { chmod(folder, 0o700) }
    refused.expectError(exit: 73, code: "storage", says: "--cache DIR", #_sourceLocation)
    try program.expectConfirmed(id, #_sourceLocation)
  }

  @Test(.enabled(if: geteuid() == 0)) func cacheOfAnotherUser() throws {
    let program = try Program()
    _ = try program.attachFirst()
    chown(program.cache.path, 65_534, 65_534)
    defer { chown(program.cache.path, 0, 0) }
    for command in [["status"], ["announcements", "list"]] {
      let refused = try program.run(command + ["--json"])
      refused.expectError(
        exit: 73, code: "unsafe-cache", says: "Run PetSpot as its owner", #_sourceLocation)
    }
  }

  @Test func cachePathThatIsAFile() throws {
    let program = try Program()
    try Data("kept".utf8).write(to: program.cache)
    let refused = try program.run("attach", photo, "--json")
    refused.expectError(exit: 73, code: "storage", says: "not a directory", #_sourceLocation)
    #expect(try Data(contentsOf: program.cache) == Data("kept".utf8))
  }

  @Test func databaseOfAnotherVersion() throws {
    let program = try Program()
    let id = try program.attachFirst()
    let queue = try DatabaseQueue(path: catalog(of: program).path)
    let own = try queue.write { db in
      let own = try String.fetchOne(db, sql: "SELECT schema FROM store")
      try db.execute(sql: "UPDATE store SET schema = 'another'")
      return own
    }
    for refused in [
      try program.run("attach", photo, "--json"), try program.run("status", "--json"),
    ] {
      refused.expectError(exit: 74, code: "database", says: "another version", #_sourceLocation)
    }
    try queue.write {
      try $0.execute(sql: "UPDATE store SET schema = ?", arguments: [own])
    }
    try program.expectConfirmed(id, #_sourceLocation)
  }

  @Test func damagedDatabase() throws {
    let program = try Program()
    let id = try program.attachFirst()
    let sound = try Data(contentsOf: catalog(of: program))
    var damaged = sound
    damaged.replaceSubrange(
      100..<sound.count, with: Data(repeating: 0x55, count: sound.count - 100))
    try damaged.write(to: catalog(of: program))
    let refused = try program.run("attach", photo, "--json")
    refused.expectError(exit: 74, code: "database", says: "is damaged", #_sourceLocation)
    #expect(try Data(contentsOf: catalog(of: program)) == damaged)
    try sound.write(to: catalog(of: program))
    try program.expectConfirmed(id, #_sourceLocation)
  }

  /// Locks the catalog, as another process's transaction does.
  private func withLockedCatalog(
    of program: borrowing Program, _ body: (DatabaseQueue) throws -> Void
  ) throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: catalog(of: program).path, configuration: configuration)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try body(other)
  }

  @Test func busyCacheIsToldAfterTheWait() throws {
    let program = try Program()
    let id = try program.attachFirst()
    try withLockedCatalog(of: program) { other in
      let refused = try program.run(
        "attach", photo, "--json", environment: ["PETSPOT_BUSY_SECONDS": "0.2"])
      refused.expectError(exit: 75, code: "busy", says: "Try again", #_sourceLocation)
      let swept = try program.run(
        "sweep", "--json", environment: ["PETSPOT_BUSY_SECONDS": "0.2"])
      swept.expectError(exit: 75, code: "busy", says: "Try again", #_sourceLocation)
      try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }
    try program.expectConfirmed(id, #_sourceLocation)
  }

  @Test func busyCacheIsWaitedFor() throws {
    let program = try Program()
    _ = try program.attachFirst()
    let path = catalog(of: program).path
    try withLockedCatalog(of: program) { other in
      let running = try program.start(
        "attach", photo, "--json", environment: ["PETSPOT_BUSY_SECONDS": "300"])
      // The process has opened the catalog, but can't write until the lock is released.
      let descriptors = "/proc/\(running.process.processIdentifier)/fd"
      var isOpen = false
      while running.process.isRunning, !isOpen {
        isOpen =
          (try? FileManager.default.contentsOfDirectory(atPath: descriptors))?.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + $0))
              == path
          } ?? false
      }
      #expect(isOpen)
      try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      let outcome = try running.outcome()
      #expect(outcome.exitCode == 0, "\(outcome.err)")
      #expect(outcome.json["status"] as? String == "confirmed")
    }
  }
}
