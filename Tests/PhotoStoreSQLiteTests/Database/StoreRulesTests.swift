import Foundation
import GRDB
import Glibc
import PhotoAttachments
import PhotoIngestion
@testable import PhotoStoreSQLite
import ReportFlow
import StoreConformance
import TestStores
import Testing

/// Tests of SQLite together with a folder.
@Suite struct StoreRulesTests {
  @Test("SQLite and a folder keep every rule of stores", arguments: StoreRule.all)
  func rules(_ rule: StoreRule) throws {
    let cache = TemporaryCache()
    let findings = rule.findings(in: try .sqlite(cache).failing())
    #expect(findings == [])
  }

  @Test(
    "The rules detect every fault of a storage", arguments: FaultyStorage.Fault.allCases)
  func aBrokenStorageIsNoticed(_ fault: FaultyStorage.Fault) throws {
    let noticed = try StoreRule.ofPictures.first {
      try !$0.findings(in: .sqlite(TemporaryCache()).failing(breaking: fault)).isEmpty
    }
    #expect(noticed != nil)
  }

  @Test("A database whose transactions fail keeps every rule", arguments: StoreRule.failing)
  func failing(_ rule: StoreRule) throws {
    let findings = rule.findings(in: try .sqlite(TemporaryCache()).failingWrites())
    #expect(findings == [])
  }

  @Test("The rules detect every fault of a database", arguments: DatabaseFault.ofPhotos)
  func aBrokenDatabaseIsNoticed(_ fault: DatabaseFault) throws {
    let noticed = try StoreRule.all.first {
      try !$0.findings(in: .sqlite(TemporaryCache(isInMemory: true)).failing(breaking: fault))
        .isEmpty
    }
    #expect(noticed != nil)
    #expect(fault.found.count == fault.edits.count, "each edit changes something")
  }

  @Test("SQLite keeps every rule of databases", arguments: DatabaseRule.allCases)
  func database(_ rule: DatabaseRule) throws {
    let cache = TemporaryCache()
    defer { withExtendedLifetime(cache) {} }
    #expect(rule.findings(in: try cache.open().sqlite.database) == [])
  }

  @Test("SQLite and a folder are swept, verified and repaired in parts as they are in one run")
  func shards() async throws {
    let cache = TemporaryCache()
    let findings = await StoreShards.findings(in: try .sqlite(cache), cache.folder)
    #expect(findings == [])
  }
}

extension StorePlace {
  /// Returns a place of stores in a cache folder.
  static func sqlite(_ cache: TemporaryCache) throws -> StorePlace {
    _ = try cache.open(tables: [.reports])
    let outside = try Outsider(cache)
    let (incoming, quarantine) = (cache.folder.incoming, cache.folder.path + "/quarantine")
    return StorePlace(
      open: {
        // The timeout is long enough for a busy machine.
        let opened = try cache.open(busyTimeout: 60, tables: [.reports])
        return Stores(catalog: opened.catalog, storage: opened.blobs)
      },
      staged: { cache.stagedCount },
      loseRecord: { id in
        try outside.change {
          try $0.execute(sql: "DELETE FROM photo WHERE id = ?", arguments: [id])
        }
      },
      damage: cache.damage,
      breakdowns: [
        // The commit fails after all statements have succeeded.
        Breakdown(
          "the commit fails", calls: Breakdown.catalogCalls.subtracting(["release"]),
          begin: { _ in try outside.hinderCommits() }, end: { try outside.letCommit() }),
        Breakdown(
          "a table cannot be written", calls: Breakdown.catalogCalls.subtracting(["release"]),
          begin: { _ in try outside.hinderWrites() }, end: { try outside.letWrite() }),
        .foldersAreNone([incoming, quarantine]),
      ])
  }
}

/// Another process that has the database open.
private final class Outsider: Sendable {
  private let queue: DatabaseQueue
  private static let tables = ["photo", "attachment", "library_photo", "source_file"]

  init(_ cache: TemporaryCache) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(60)
    queue = try DatabaseQueue(path: cache.folder.catalog, configuration: configuration)
  }

  func change(_ work: (Database) throws -> Void) throws { try queue.write(work) }

  /// Lets every commit fail: each write leaves an unpaid debt in a deferred constraint.
  func hinderCommits() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE debt (
            owner INTEGER REFERENCES photo (sequence) DEFERRABLE INITIALLY DEFERRED)
          """)
    }
    try trigger("INSERT INTO debt VALUES (-1)")
  }

  func letCommit() throws {
    try dropTriggers()
    try queue.write { try $0.execute(sql: "DROP TABLE debt") }
  }

  func hinderWrites() throws { try trigger("SELECT RAISE(ABORT, 'hindered')") }
  func letWrite() throws { try dropTriggers() }

  private func trigger(_ action: String) throws {
    try queue.write { db in
      for table in Self.tables {
        for event in ["INSERT", "UPDATE", "DELETE"] {
          try db.execute(
            sql: """
              CREATE TRIGGER hinder\(table)\(event) AFTER \(event) ON \(table)
              BEGIN \(action); END
              """)
        }
      }
    }
  }

  private func dropTriggers() throws {
    try queue.write { db in
      for table in Self.tables {
        for event in ["INSERT", "UPDATE", "DELETE"] {
          try db.execute(sql: "DROP TRIGGER hinder\(table)\(event)")
        }
      }
    }
  }
}
