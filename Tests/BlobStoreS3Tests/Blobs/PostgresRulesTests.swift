import Foundation
import ImageContainers
import Logging
import PhotoAttachments
import ReportFlow
import StoreConformance
import Synchronization
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3
@testable import PhotoStorePostgres

/// Tests of PostgreSQL together with a real S3 server.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct PostgresRulesTests {
  @Test("PostgreSQL and S3 keep every rule of stores", arguments: StoreRule.all)
  func rules(_ rule: StoreRule) throws {
    let findings = rule.findings(in: try S3Place().stores(in: try TestDatabase()).failing())
    #expect(findings == [])
  }

  @Test(
    "PostgreSQL and S3 are swept, verified and repaired in parts with the same result as in one run"
  )
  func shards() async throws {
    let (cache, place) = (TemporaryCache(), try S3Place().stores(in: try TestDatabase()))
    let findings = await StoreShards.findings(in: place, cache.folder)
    #expect(findings == [])
  }

  /// Returns an object of the ledger's writer.
  private func object(_ ledger: ObjectLedger, _ count: String = "1") throws -> StoredObject {
    let digest = String(repeating: "a", count: 64)
    let place = try #require(BlobPath(.blob, sha256: digest, format: .png))
    return StoredObject(place: place, nonce: try ledger.writer() + "-" + count, sizeBytes: 7)
  }

  @Test("The ledger rejects records of another place with the same error as the embedded ledger")
  func otherPlace() throws {
    let database = try TestDatabase()
    let ledger = try database.catalog().ledger(of: "s3://pets/")
    _ = try ledger.name([try object(ledger)])
    #expect(throws: StoreError.database(.otherBlobs, detail: "s3://pets/")) {
      try database.catalog().ledger(of: "s3://other/")
    }
  }

  @Test("A writer whose process stopped reporting is retired, and can't name objects any more")
  func retires() throws {
    let database = try TestDatabase()
    let ledger = try database.catalog().ledger(of: "s3://pets/")
    let object = try object(ledger)
    let writer = try ledger.writer()
    #expect(try ledger.retireDead(dryRun: false) == [])
    // The server now sees another process as the writer's worker.
    try database.sql("UPDATE object_writer SET worker = 'other'")
    try database.sql("INSERT INTO worker VALUES ('other', 'host', now())")
    #expect(try ledger.retireDead(dryRun: false) == [])
    try database.sql("UPDATE worker SET seen_at = now() - interval '1 minute' WHERE id = 'other'")
    #expect(try ledger.retireDead(dryRun: true) == [writer])
    #expect(try database.sql("SELECT is_retired FROM object_writer") == "f")
    #expect(try ledger.retireDead(dryRun: false) == [writer])
    #expect(try ledger.name([object]) == nil)
    #expect(try ledger.object(of: object.place) == nil)
    #expect(try ledger.writer() != writer)
    #expect(try ledger.retireDead(dryRun: false) == [writer])
  }

  @Test("Retiring a writer waits for a transaction that names objects, and the other way round")
  func fence() throws {
    let database = try TestDatabase()
    let ledger = try database.catalog(timeout: 1).ledger(of: "s3://pets/")
    let object = try object(ledger)
    try database.sql("UPDATE object_writer SET worker = 'gone'")
    let name = "PostgreSQL at 127.0.0.1:\(database.server.port)/\(database.name)"
    let busy = StoreError.busy(seconds: 1, service: name)
    try ledger.database.write { t in
      try t.rows("SELECT 1 FROM object_writer FOR SHARE")
      #expect(throws: busy) { try ledger.retireDead(dryRun: false) }
    }
    try ledger.database.write { t in
      try t.execute("UPDATE object_writer SET is_retired = true")
      #expect(throws: busy) { try ledger.name([object]) }
    }
    #expect(try ledger.name([object]) == nil)
  }

  @Test("If many writers name one picture at once, the object of the last one is used")
  func race() throws {
    let database = try TestDatabase()
    let ledger = try database.catalog().ledger(of: "s3://pets/")
    let objects = try (1...16).map { try object(ledger, String($0, radix: 16)) }
    DispatchQueue.concurrentPerform(iterations: objects.count) { index in
      do { #expect(try ledger.name([objects[index]]) != nil) } catch {
        Issue.record(error)
      }
    }
    let named = try #require(try ledger.object(of: objects[0].place))
    #expect(Set(try ledger.selectDoomed() + [named]) == Set(objects))
    #expect(try !ledger.abandon(named))
    #expect(throws: StoreError.fault(.objectNamedAgain)) {
      try ledger.name([try #require(ledger.selectDoomed().first)])
    }
  }
}

extension TestDatabase {
  /// Opens the catalog in this database, as another process does.
  fileprivate func catalog(timeout: TimeInterval = 60) throws -> PostgresCatalog {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return try PostgresCatalog(
      PostgresAddress(url), tables: [.reports], timeout: timeout, hasPictures: false, logger: logger
    )
  }
}

extension S3Place {
  /// Returns a place with the same pictures, whose records are in a database.
  fileprivate func stores(in database: TestDatabase) throws -> StorePlace {
    let (client, transport) = (client, transport)
    let ledger = try database.catalog().ledger(of: client.address.place)
    let storage = S3BlobStorage(client, ledger: ledger)
    return StorePlace(
      open: {
        let catalog = try database.catalog()
        let ledger = try catalog.ledger(of: client.address.place)
        return Stores(catalog: Catalog(catalog), storage: S3BlobStorage(client, ledger: ledger))
      },
      staged: { [self] in
        let nonces = try keys().compactMap { storage.object(key: $0, sizeBytes: 0)?.nonce }
        return nonces.count - (try ledger.known(nonces)).count
      },
      loseRecord: { id in
        try database.sql(
          "SET session_replication_role = replica; DELETE FROM photo WHERE id = '\(id)'")
      },
      damage: { place, bytes in
        let object = try #require(try ledger.object(of: place))
        try client.put(storage.key(object), bytes, type: "image/png")
      },
      breakdowns: [
        Breakdown(
          "the commit fails", calls: Breakdown.catalogCalls.subtracting(["release"]),
          begin: { _ in try database.hinder(commits: true) }, end: { try database.letWrite() }),
        Breakdown("the store cannot be reached", calls: ["put", "stage"]) { _ in
          transport.isBroken.withLock { $0 = true }
        } end: {
          transport.isBroken.withLock { $0 = false }
        },
        Breakdown("the ledger cannot be written", calls: ["name", "delete", "quarantine"]) { _ in
          try database.sql(
            """
            CREATE FUNCTION hinder_object() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN RAISE EXCEPTION 'hindered'; END $$;
            CREATE TRIGGER hinder BEFORE INSERT OR UPDATE ON object
              FOR EACH ROW EXECUTE FUNCTION hinder_object()
            """)
        } end: {
          try database.sql("DROP FUNCTION hinder_object() CASCADE")
        },
      ])
  }
  private typealias Breakdown = StorePlace.Breakdown
}
