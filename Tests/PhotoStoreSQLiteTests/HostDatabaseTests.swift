import Foundation
import GRDB
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import TestPictures
import Testing

@Suite("Photos in a host's own database")
struct HostDatabaseTests {
  enum Kind: String, CaseIterable { case queue, pool }

  @Test("A commit records the row and the photo, and a rollback neither", arguments: Kind.allCases)
  func commitAndRollback(kind: Kind) async throws {
    let host = try await Host(kind)
    let first = try await host.photos.prepare(try Host.picture("portrait-phone.heic"))
    try await host.insert("rex", first)
    #expect(try await host.photos.load(draft: "rex")?.id == first.photo.id)

    let second = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    await #expect(throws: ChangedMind.self) {
      try await host.insert("fox", second, thenThrows: true)
    }
    #expect(try await host.photos.status(draft: "fox") == .empty)
    #expect(try await host.rows() == ["rex"])
    _ = try await host.photos.sweep(now: Date() + 3600)
    #expect(!FileManager.default.fileExists(atPath: second.photo.cachedURL.path))
    #expect(FileManager.default.fileExists(atPath: first.photo.cachedURL.path))
    // The swept photo can't be attached any more, and the row isn't recorded either.
    await #expect(throws: StoreError.fault(.blobVanished)) { try await host.insert("fox", second) }
    #expect(try await host.rows() == ["rex"])
  }

  @Test("A photo that is replaced or removed is deleted after the commit", arguments: Kind.allCases)
  func replacing(kind: Kind) async throws {
    let host = try await Host(kind)
    let first = try await host.photos.prepare(try Host.picture("portrait-phone.heic"))
    let second = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.insert("rex", first)
    try await host.database.write { db in try host.photos.attach(second, to: "rex", in: db) }
    try await host.waitUntilGone(first)
    #expect(try await host.photos.load(draft: "rex")?.id == second.photo.id)

    await #expect(throws: ChangedMind.self) {
      try await host.database.write { db in
        try host.photos.remove("rex", in: db)
        throw ChangedMind()
      }
    }
    #expect(try await host.photos.canContinue(draft: "rex"))
    try await host.database.write { db in try host.photos.remove("rex", in: db) }
    try await host.waitUntilGone(second)
    #expect(try await host.photos.status(draft: "rex") == .empty)
  }

  @Test("A savepoint that is rolled back takes the photo with it")
  func savepoint() async throws {
    let host = try await Host(.queue)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.database.write { db in
      try db.execute(sql: "INSERT INTO pet (key) VALUES ('rex')")
      try db.inSavepoint {
        try host.photos.attach(photo, to: "rex", in: db)
        return .rollback
      }
    }
    #expect(try await host.rows() == ["rex"])
    #expect(try await host.photos.status(draft: "rex") == .empty)
  }

  @Test("The stream of statuses tells of commits and not of rollbacks", arguments: Kind.allCases)
  func statuses(kind: Kind) async throws {
    let host = try await Host(kind)
    var statuses = host.photos.statuses(draft: "rex").makeAsyncIterator()
    #expect(await statuses.next() == .empty)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    await #expect(throws: ChangedMind.self) {
      try await host.insert("rex", photo, thenThrows: true)
    }
    try await host.insert("rex", photo)
    guard case .confirmed(let confirmed) = await statuses.next() else {
      Issue.record("the photo isn't confirmed")
      return
    }
    #expect(confirmed.id == photo.photo.id)
  }

  @Test("Our tables live beside the host's and its migrations", arguments: Kind.allCases)
  func migrations(kind: Kind) async throws {
    let host = try await Host(kind)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("pets") { db in
      try db.execute(sql: "CREATE TABLE photo (id INTEGER PRIMARY KEY) STRICT")
      try db.execute(sql: "ALTER TABLE pet ADD COLUMN name TEXT")
    }
    try migrator.migrate(host.database)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.insert("rex", photo)
    let reopened = try await PhotoAttachmentCache.open(
      in: host.database, folder: host.photos.folder, decoding: .inProcess)
    #expect(try await reopened.load(draft: "rex")?.id == photo.photo.id)
    let tables = try await host.database.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    }
    let others = tables.filter { !$0.hasPrefix("petspot_") }
    #expect(others == ["grdb_migrations", "pet", "photo"])
    #expect(!tables.contains { $0.contains("announcement") })
    try reopened.catalog.checkIntegrity()
  }

  @Test("A row of the host that refers to a photo keeps it")
  func references() async throws {
    let host = try await Host(.queue)
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    try await host.insert("rex", photo)
    try await host.database.write { db in
      try db.execute(
        sql: "CREATE TABLE album (photo TEXT NOT NULL REFERENCES petspot_photo (id)) STRICT")
      try db.execute(
        sql: "INSERT INTO album (photo) VALUES (?)", arguments: [photo.photo.id.uuidString])
      try host.photos.remove("rex", in: db)
    }
    #expect(try await host.photos.photo(id: photo.photo.id) != nil)
    #expect(FileManager.default.fileExists(atPath: photo.photo.cachedURL.path))
  }

  @Test("A folder belongs to one database, and foreign keys are needed")
  func refusals() async throws {
    let host = try await Host(.queue)
    let other = try DatabaseQueue()
    await #expect(throws: StoreError.self) {
      try await PhotoAttachmentCache.open(
        in: other, folder: host.photos.folder, decoding: .inProcess)
    }
    await #expect(throws: StoreError.self) {
      try await PhotoAttachmentCache.open(host.photos.folder, decoding: .inProcess)
    }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let loose = try DatabaseQueue(configuration: configuration)
    await #expect(throws: StoreError.self) {
      try await PhotoAttachmentCache.open(
        in: loose, folder: CacheFolder(path: host.folder.path + "/loose"), decoding: .inProcess)
    }
    let photo = try await host.photos.prepare(try Host.picture("one-pixel.gif"))
    await #expect(throws: StoreError.fault(.transaction)) {
      try await host.database.writeWithoutTransaction { db in
        try host.photos.attach(photo, to: "rex", in: db)
      }
    }
  }

  @Test(
    "No kill leaves a row without a picture or a picture without a row", arguments: Kind.allCases)
  func kills(kind: Kind) async throws {
    let folder = try ScratchFolder()
    let picture = TestImage.folder.appending(path: "one-pixel.gif").path
    let count = ProcessInfo.processInfo.environment["PETSPOT_KILLS"].flatMap(Int.init) ?? 20
    for _ in 0..<count {
      let host = Process()
      host.executableURL = URL(filePath: Petspot.beside("AttachInTransaction"))
      host.arguments = [folder.path, kind.rawValue, picture]
      host.standardOutput = FileHandle.nullDevice
      try host.run()
      try await Task.sleep(for: .milliseconds(Int.random(in: 30...400)))
      kill(host.processIdentifier, SIGKILL)
      host.waitUntilExit()
    }
    let host = try await Host(kind, in: folder)
    let rows = try await host.rows()
    #expect(!rows.isEmpty)
    for key in rows { #expect(try await host.photos.canContinue(draft: key), "\(key)") }
    let attached = try await host.database.read { db in
      try String.fetchAll(db, sql: "SELECT draft FROM petspot_attachment ORDER BY draft")
    }
    #expect(attached == rows.sorted())
    _ = try await host.photos.sweep(now: Date() + 3600)
    for key in rows { #expect(try await host.photos.canContinue(draft: key), "\(key)") }
    let recorded = try await host.database.read { db in
      try Set(String.fetchAll(db, sql: "SELECT blobSHA256 FROM petspot_photo"))
    }
    let stored = try FileManager.default.subpathsOfDirectory(
      atPath: folder.path + "/pictures/blobs"
    )
    .filter { $0.hasSuffix(".gif") }
    #expect(stored.count == recorded.count)
  }
}

struct ChangedMind: Error {}

/// An empty folder that is deleted with this object.
final class ScratchFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/petspot-host-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A host with a table of pets.
final class Host: Sendable {
  let folder: ScratchFolder
  let database: any DatabaseWriter
  let photos: PhotoAttachmentCache

  init(_ kind: HostDatabaseTests.Kind, in folder: ScratchFolder? = nil) async throws {
    let folder = try folder ?? ScratchFolder()
    let file = folder.path + "/host.sqlite"
    self.folder = folder
    database = kind == .pool ? try DatabasePool(path: file) : try DatabaseQueue(path: file)
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS pet (key TEXT PRIMARY KEY) STRICT")
    }
    photos = try await PhotoAttachmentCache.open(
      in: database, folder: CacheFolder(path: folder.path + "/pictures"), decoding: .inProcess)
  }

  static func picture(_ name: String) throws -> PhotoSource {
    try #require(TestImage.accepted.first { $0.file == name }).source
  }

  /// Inserts a row and attaches its photo in one transaction.
  func insert(_ key: String, _ photo: PreparedAttachment, thenThrows: Bool = false) async throws {
    try await database.write { [photos] db in
      try db.execute(sql: "INSERT INTO pet (key) VALUES (?)", arguments: [key])
      try photos.attach(photo, to: AttachmentKey(key), in: db)
      if thenThrows { throw ChangedMind() }
    }
  }

  func rows() async throws -> [String] {
    try await database.read { try String.fetchAll($0, sql: "SELECT key FROM pet ORDER BY key") }
  }

  /// Waits for the deletion of a photo's picture, which happens after the commit.
  func waitUntilGone(_ photo: PreparedAttachment) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while FileManager.default.fileExists(atPath: photo.photo.cachedURL.path), .now < end {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(!FileManager.default.fileExists(atPath: photo.photo.cachedURL.path))
  }
}
