import Foundation
import Glibc
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import StoreConformance
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres

/// Tests of PostgreSQL together with a folder.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct StoreRulesTests {
  @Test("PostgreSQL and a folder keep every rule of stores", arguments: StoreRule.all)
  func rules(_ rule: StoreRule) throws {
    let (cache, database) = (TemporaryCache(), try TestDatabase())
    let findings = rule.findings(in: try .postgres(database, cache).failing())
    #expect(findings == [])
  }

  @Test("PostgreSQL keeps every rule of databases", arguments: DatabaseRule.allCases)
  func database(_ rule: DatabaseRule) throws {
    let database = try TestDatabase()
    defer { withExtendedLifetime(database) {} }
    #expect(rule.findings(in: try database.open().database) == [])
  }

  @Test("A lookup by a size that no file has returns `nil` without a query")
  func sizes() throws {
    let (cache, database) = (TemporaryCache(), try TestDatabase())
    let stores = try StorePlace.postgres(database, cache).open()
    #expect(try stores.catalog.knownSizes(among: [5, 1_000_003]) == [])
    let size = try #require(try stores.join(1).number("fileSizeBytes"))
    #expect(try stores.catalog.knownSizes(among: [5, size, 1_000_003]) == [size])
  }

  @Test("PostgreSQL and a folder are swept, verified and repaired in parts as they are in one run")
  func shards() async throws {
    let (cache, database) = (TemporaryCache(), try TestDatabase())
    let findings = await StoreShards.findings(in: try .postgres(database, cache), cache.folder)
    #expect(findings == [])
  }
}

extension StorePlace {
  /// Returns a place of stores with a database and a cache folder.
  static func postgres(_ database: TestDatabase, _ cache: TemporaryCache) throws -> StorePlace {
    let (incoming, quarantine) = (cache.folder.incoming, cache.folder.path + "/quarantine")
    return StorePlace(
      open: { [cache] in
        let storage = try FolderStorage.open(cache.folder)
        return Stores(catalog: try database.open(), storage: storage)
      },
      staged: { cache.stagedCount },
      loseRecord: { id in
        try database.sql(
          "SET session_replication_role = replica; DELETE FROM photo WHERE id = '\(id)'")
      },
      damage: cache.damage,
      breakdowns: [
        Breakdown(
          "the commit fails", calls: Breakdown.catalogCalls.subtracting(["release"]),
          begin: { _ in try database.hinder(commits: true) }, end: { try database.letWrite() }),
        Breakdown(
          "a table cannot be written", calls: Breakdown.catalogCalls.subtracting(["release"]),
          begin: { _ in try database.hinder(commits: false) }, end: { try database.letWrite() }),
        .foldersAreNone([incoming, quarantine]),
      ])
  }
}
