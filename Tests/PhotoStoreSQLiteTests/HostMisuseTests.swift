import Foundation
import GRDB
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import Testing

extension HostDatabaseTests {
  @Test("A transaction of another database is refused and stays empty")
  func otherDatabase() async throws {
    let host = try await Host(.queue)
    let other = try await Host(.queue)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await other.database.write { db in
      _ = #expect(throws: StoreError.fault(.transaction)) {
        try host.photos.attach(photo, to: "rex", in: db)
      }
    }
    #expect(try await other.photos.status(draft: "rex") == .empty)
    #expect(try await host.photos.status(draft: "rex") == .empty)
  }

  @Test("A closed cache attaches and removes nothing, and leaves the host's database open")
  func closed() async throws {
    let host = try await Host(.queue)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.photos.close()
    try await host.database.write { db in
      #expect(throws: StoreError.database(.closed, detail: "")) {
        try host.photos.attach(photo, to: "rex", in: db)
      }
      _ = #expect(throws: StoreError.database(.closed, detail: "")) {
        try host.photos.remove("rex", in: db)
      }
    }
    #expect(try await host.rows().isEmpty)
  }

  @Test(
    "A prefix with other characters is refused, and no table is made",
    arguments: ["", "x'; DROP TABLE pet; --", "a b", "1_", "Ä_", "A_", "sqlite_", "a\0", "main."])
  func prefixes(prefix: String) async throws {
    let folder = try ScratchFolder()
    let database = try DatabaseQueue()
    await #expect(throws: StoreError.self) {
      try await PhotoAttachmentCache.open(
        in: database, folder: CacheFolder(path: folder.path), prefix: prefix, decoding: .inProcess)
    }
    let count = try await database.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master")
    }
    #expect(count == 0)
  }

  @Test("An attempt that fails changes nothing, even if the host commits")
  func failureIsAtomic() async throws {
    let host = try await Host(.queue)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    let count = try await host.database.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER refusal BEFORE INSERT ON petspot_attachment
          BEGIN SELECT RAISE(FAIL, 'refused'); END
          """)
      #expect(throws: StoreError.self) { try host.photos.attach(photo, to: "rex", in: db) }
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM petspot_photo")
    }
    #expect(count == 0)
  }

  @Test(
    "A prepared photo is attached only once, unless that was rolled back", arguments: Kind.allCases)
  func attachedTwice(kind: Kind) async throws {
    let host = try await Host(kind)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    await #expect(throws: ChangedMind.self) {
      try await host.insert("rex", photo, thenThrows: true)
    }
    try await host.insert("rex", photo)
    for key in ["rex", "fox"] as [AttachmentKey] {
      try await host.database.write { db in
        _ = #expect(throws: StoreError.fault(.attachedTwice)) {
          try host.photos.attach(photo, to: key, in: db)
        }
      }
    }
    #expect(try await host.photos.status(draft: "fox") == .empty)
    #expect(try await host.photos.load(draft: "rex")?.id == photo.photo.id)
  }

  @Test("A transaction that only reads is refused", arguments: Kind.allCases)
  func readTransaction(kind: Kind) async throws {
    let host = try await Host(kind)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.database.read { db in
      #expect(throws: StoreError.fault(.transaction)) {
        try host.photos.attach(photo, to: "rex", in: db)
      }
      _ = #expect(throws: StoreError.fault(.transaction)) {
        try host.photos.remove("rex", in: db)
      }
    }
    try await host.insert("rex", photo)
  }

  @Test("A key with NUL isn't taken for the key before it")
  func zeroInKey() async throws {
    let host = try await Host(.queue)
    let first = try await host.photos.prepare(try Host.picture("portrait-phone.heic"))
    let second = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.insert("rex", first)
    await #expect(throws: StoreError.self) {
      try await host.database.write { try host.photos.attach(second, to: "rex\0", in: $0) }
    }
    await #expect(throws: StoreError.self) { try await host.photos.remove("rex\0") }
    #expect(try await host.photos.load(draft: "rex")?.id == first.photo.id)
  }

  @Test(
    "References count in any spelling, even if a temporary table hides the host's",
    arguments: [
      ("PetSpot_Photo (ID)", "id"), ("\"petspot_photo\" ('id')", "id"),
      ("petspot_photo (id)", "id"), ("petspot_photo", "sequence"),
      ("petspot_photo (sequence)", "sequence"),
    ])
  func spellings(reference: String, column: String) async throws {
    let host = try await Host(.queue)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.insert("rex", photo)
    try await host.database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE "my `photo` 'x'" ("photo `$1`" REFERENCES \(reference));
          INSERT INTO "my `photo` 'x'" SELECT \(column) FROM petspot_photo;
          CREATE TEMPORARY TABLE "my `photo` 'x'" (id TEXT)
          """)
      try host.photos.remove("rex", in: db)
    }
    #expect(try await host.photos.photo(id: photo.photo.id) != nil)
  }

  @Test(
    "Commits survive a power cut in each kind of journal",
    arguments: [("delete", 3), ("truncate", 2), ("wal", 2)])
  func synchronous(journal: String, expected: Int) async throws {
    let folder = try ScratchFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(journal)")
      try db.execute(sql: "PRAGMA synchronous = OFF")
    }
    let database = try DatabaseQueue(
      path: folder.path + "/host.sqlite", configuration: configuration)
    _ = try await PhotoAttachmentCache.open(
      in: database, folder: CacheFolder(path: folder.path + "/pictures"), decoding: .inProcess)
    #expect(try await database.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == expected)
  }

  @Test("The folder of a catalog from before folders had owners is refused")
  func earlierFolder() async throws {
    let folder = try ScratchFolder()
    let pictures = CacheFolder(path: folder.path + "/pictures")
    try await PhotoAttachmentCache.open(pictures, decoding: .inProcess).close()
    try FileManager.default.removeItem(atPath: pictures.path + "/database/owner")
    let database = try DatabaseQueue()
    await #expect(throws: StoreError.database(.otherRecords, detail: pictures.path)) {
      try await PhotoAttachmentCache.open(in: database, folder: pictures, decoding: .inProcess)
    }
    try await PhotoAttachmentCache.open(pictures, decoding: .inProcess).close()
  }

  @Test("The stream of statuses doesn't tell of a savepoint that is rolled back")
  func savepointStatuses() async throws {
    let host = try await Host(.queue)
    var statuses = host.photos.statuses(draft: "rex").makeAsyncIterator()
    #expect(await statuses.next() == .empty)
    let first = try await host.photos.prepare(try Host.picture("portrait-phone.heic"))
    let second = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.database.write { db in
      try db.inSavepoint {
        try host.photos.attach(first, to: "rex", in: db)
        return .rollback
      }
    }
    try await host.insert("rex", second)
    guard case .confirmed(let photo) = await statuses.next() else {
      Issue.record("the photo isn't confirmed")
      return
    }
    #expect(photo.id == second.photo.id)
  }

  @Test("Invalid rows of the host's tables aren't damage of ours")
  func hostRows() async throws {
    let host = try await Host(.queue)
    try await host.database.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          PRAGMA ignore_check_constraints = ON;
          CREATE TABLE owner (id INTEGER PRIMARY KEY);
          CREATE TABLE cat (owner INTEGER REFERENCES owner (id), age INTEGER CHECK (age > 0));
          CREATE TABLE dog (owner INTEGER REFERENCES nobody (id));
          INSERT INTO cat VALUES (7, -1);
          INSERT INTO dog VALUES (7);
          PRAGMA ignore_check_constraints = OFF;
          PRAGMA foreign_keys = ON;
          """)
    }
    try host.photos.catalog.checkIntegrity()
  }
}
