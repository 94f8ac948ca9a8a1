import Foundation
import GRDB
import Glibc
import ReportFlow
import Synchronization
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

@Suite struct CatalogTests {
  let cache = TemporaryCache()

  @Test func theConnectionIsDurable() throws {
    let catalog = try cache.open().sqlite
    let settings = try catalog.readRaw { db in
      try ["journal_mode", "synchronous", "foreign_keys"].map {
        try String.fetchOne(db, sql: "PRAGMA \($0)")
      }
    }
    #expect(settings == ["delete", "3", "1"])
  }

  @Test func aWALCatalogIsTurnedBack() throws {
    try cache.folder.make()
    do {
      let queue = try DatabaseQueue(path: cache.folder.catalog)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try queue.close()
    }
    let catalog = try cache.open().sqlite
    let mode = try catalog.readRaw { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
    #expect(mode == "delete")
  }

  @Test(
    "A catalog whose folder was replaced isn't used any more, and doesn't touch the new journal")
  func replaced() async throws {
    let opened = try cache.open()
    try await opened.save(draft: "a") { .sample(1) }
    let moved = cache.folder.path + "-moved"
    defer { try? FileManager.default.removeItem(atPath: moved) }
    let replaced = StoreError.database(.replaced, detail: cache.folder.catalog)
    func refusesAll() async {
      #expect(throws: replaced) { try opened.sqlite.rows("SELECT 1 FROM store", []) }
      await #expect(throws: replaced) { try await opened.sweep() }
      await #expect(throws: replaced) { try await opened.save(draft: "b") { .sample(2) } }
      for kind in [ReadingKind.health, .list, .search, .lookUp] {
        await #expect(throws: replaced) {
          try await opened.sqlite.reading(kind) { try $0.rows("SELECT 1 FROM store") }
        }
      }
    }
    try FileManager.default.moveItem(atPath: cache.folder.path, toPath: moved)
    await refusesAll()
    try cache.folder.make()
    let journal = cache.folder.catalog + "-journal"
    for path in [cache.folder.catalog, journal] {
      try Data(repeating: 1, count: 4096).write(to: URL(filePath: path))
    }
    await refusesAll()
    #expect(try Data(contentsOf: URL(filePath: journal)) == Data(repeating: 1, count: 4096))
    try FileManager.default.removeItem(atPath: cache.folder.path)
    try FileManager.default.copyItem(atPath: moved, toPath: cache.folder.path)
    let again = try cache.open()
    #expect(try await again.photos().count == 1)
  }

  @Test("A ledger's file is never a link, and other users can't read it")
  func ledgerFile() throws {
    try cache.folder.make()
    let (path, other) = (cache.folder.path + "/database/objects.sqlite", cache.folder.path + "/x")
    try Data("mine".utf8).write(to: URL(filePath: other))
    chmod(other, 0o644)
    symlink(other, path)
    #expect(throws: StoreError.unsafeCache(path: path, reason: .notAFile(kind: "symlink"))) {
      try CacheFolder.secure(path)
    }
    var status = stat()
    #expect(stat(other, &status) == 0 && status.st_mode & 0o777 == 0o644)
  }

  @Test("Pages of a list share their statement")
  func pagesOfAList() async throws {
    let opened = try cache.open()
    for order in PhotoQuery.Order.allCases {
      var search = PhotoQuery()
      (search.source, search.order) = (.import, order)
      (search.limit, search.offset) = (73_331, 73_332)
      #expect(try await opened.photos(search).isEmpty)
    }
    let texts = TableNames.plain.texts.withLock { Array($0.keys) }
    #expect(texts.contains { $0.contains("library_photo AS found") })
    #expect(!texts.contains { $0.contains("7333") })
  }

  @Test("The tables are as documented")
  func tables() throws {
    let catalog = try cache.open(tables: [.reports]).sqlite
    for table in Table.ofPhotos + Table.ofReports {
      let columns = try catalog.readRaw {
        try String.fetchAll(
          $0, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table.name])
      }
      #expect(columns == table.names())
    }
  }

  @Test("Deleted data is overwritten, and a sweep frees its space")
  func deletedIsGone() async throws {
    let opened = try cache.open(tables: [.reports])
    let catalog = opened.sqlite
    let text = String(repeating: "Ola 600 ", count: 1_000_000)
    try catalog.writeRaw {
      try $0.execute(
        sql: "INSERT INTO report_draft (id, content, updated_at) VALUES ('a', ?, 0)",
        arguments: [text])
    }
    try catalog.writeRaw { try $0.execute(sql: "DELETE FROM report_draft") }
    let file = URL(fileURLWithPath: cache.folder.catalog)
    let left = try Data(contentsOf: file)
    #expect(left.count > 8_000_000 && left.range(of: Data("Ola 600 ".utf8)) == nil)
    _ = try await opened.sweep()
    #expect(try Data(contentsOf: file).count < 1_000_000)
  }

  /// SQLite reports that it can't open its journal, but not why.
  @Test(.enabled(if: SmallDisk.isPossible))
  func aDiskWithoutInodesIsFull() async throws {
    let disk = try #require(SmallDisk(options: "size=4m,nr_inodes=64"))
    let folder = CacheFolder(path: disk.path + "/cache")
    let opened = try await PhotoAttachmentCache.open(folder)
    try await opened.save(draft: "a") { .sample(1) }
    var files = 0
    while mkdir(disk.path + "/filler-\(files)", 0o700) == 0 { files += 1 }
    let error = await #expect(throws: StoreError.self) { try await opened.remove(draft: "a") }
    #expect(error == .storageFull(operation: "open", path: folder.catalog, errno: ENOSPC))
    for number in 0..<files { rmdir(disk.path + "/filler-\(number)") }
    #expect(try await opened.load(draft: "a") != nil)
    try await opened.remove(draft: "a")
  }

  @Test func everyFieldComesBack() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a", assetIdentifier: "asset-7") { .sample(1) }
    let read = try await cache.open().photo(id: saved.id)
    #expect(read == saved.photo)
    #expect(saved.fileName == "rex.heic")
    #expect(saved.fileSizeBytes == 1234)
    #expect(saved.uti == "public.heic")
    #expect(saved.pixelWidth == 3024)
    #expect(saved.pixelHeight == 4032)
    #expect(saved.assetIdentifier == "asset-7")
    #expect(saved.source == PreparedPhoto.sample(1).source)
    #expect(saved.normalization == PreparedPhoto.sample(1).normalization)
    #expect(saved.cachedURL.path == cache.folder.path + "/" + saved.blob.path)
  }

  @Test func theRecordHoldsNoAbsolutePath() async throws {
    let saved = try await cache.open().save(draft: "a") { .sample(1) }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: cache.folder.catalog))
    #expect(bytes.range(of: Data(cache.folder.path.utf8)) == nil)
    #expect(bytes.range(of: Data(saved.blob.sha256.utf8)) != nil)
    // This lets the whole folder move (lesson P8).
    let moved = TemporaryCache()
    try FileManager.default.moveItem(atPath: cache.folder.path, toPath: moved.folder.path)
    let photo = try #require(try await moved.open().load(draft: "a"))
    #expect(photo.cachedURL.path == moved.folder.path + "/" + saved.blob.path)
  }

  @Test func orderIsTheOrderOfRecordingWhateverTheClockSays() async throws {
    for (number, year) in [2040.0, 1970, 2026].enumerated() {
      let opened = try cache.open(now: { Date(timeIntervalSince1970: (year - 1970) * 31_556_952) })
      try await opened.save(draft: "\(number)") { .sample(number, fileName: "\(number)") }
    }
    let opened = try cache.open()
    #expect(try await opened.photos().map(\.fileName) == ["2", "1", "0"])
    #expect(try await opened.photos(limit: 1).map(\.fileName) == ["2"])
    #expect(try await opened.photos(limit: 0).isEmpty)
    let plan = try opened.sqlite.readRaw { db in
      try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN SELECT * FROM photo ORDER BY sequence DESC LIMIT 20"
      ).description
    }
    #expect(!plan.contains("TEMP B-TREE"))
  }

  @Test(
    "A catalog of another version is refused and left alone",
    arguments: [
      "UPDATE store SET schema = 'another'", "ALTER TABLE store DROP COLUMN schema",
      "DROP TABLE store", "DELETE FROM store",
    ])
  func otherVersion(_ change: String) async throws {
    let saved = try await cache.open().save(draft: "a") { .sample(1) }
    try await DatabaseQueue(path: cache.folder.catalog).write { try $0.execute(sql: change) }
    let before = try Data(contentsOf: URL(fileURLWithPath: cache.folder.catalog))
    #expect(throws: StoreError.database(.otherVersion, detail: "")) { try cache.open() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: cache.folder.catalog)) == before)
    #expect(cache.files.contains(saved.blob.path))
  }

  @Test(
    "A catalog of an earlier version is upgraded to this version",
    arguments: [
      (
        "066cddf6f219f869875e4081ee467a0ef1ae818d6a0760bb5decb4aecb535506",
        """
        ALTER TABLE source_file DROP COLUMN fate; ALTER TABLE source_file DROP COLUMN moved_to;
        ALTER TABLE announcement DROP COLUMN new_password_until;
        """
      ),
      (
        "8236cd0e1450f947ae83d31b354541274c89a1b048f077ec39ac03ef735231c9",
        "ALTER TABLE announcement DROP COLUMN new_password_until;"
      ),
      (
        """
        photos:11677a1a9e32ebcd0ce345e0a0d0a4fb64045ce0ce2f113f1dc7b28d8c00cc9a \
        reports:1fb824807a4458741ef1a8dd6cda41ca7425b07a9113ce8ef9792f48805ca3fb
        """, ""
      ),
    ])
  func earlierVersion(_ digest: String, _ change: String) async throws {
    let saved = try await cache.open(tables: [.reports]).save(draft: "a") { .sample(1) }
    try await DatabaseQueue(path: cache.folder.catalog).write { db in
      try db.execute(
        sql: """
          \(change)
          ALTER TABLE announcement DROP COLUMN closed_reason; DROP TABLE word_update;
          DROP TABLE library_copy;
          DROP INDEX library_photo_by_folder;
          ALTER TABLE library_photo DROP COLUMN taken_from;
          CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken);
          UPDATE store SET schema = '\(digest)'
          """)
    }
    // A host upgrades its own tables only.
    for tables in [[], [.reports], [], [.reports]] as [[TableGroup]] {
      #expect(try await cache.open(tables: tables).load(draft: "a")?.id == saved.id)
    }
    try await DatabaseQueue(path: cache.folder.catalog).read { db in
      let columns = try db.columns(in: "source_file").map(\.name)
      #expect(columns.suffix(2) == ["fate", "moved_to"])
      #expect(try db.columns(in: "library_photo").last?.name == "taken_from")
      #expect(try db.columns(in: "library_copy").count == 4)
      let added = try db.columns(in: "announcement").suffix(2).map(\.name)
      #expect(added == ["new_password_until", "closed_reason"])
    }
  }

  @Test("A damaged catalog is refused and left alone", arguments: ["text", "header", "middle"])
  func damaged(_ how: String) async throws {
    let saved = try await cache.open().save(draft: "a") { .sample(1) }
    let file = URL(fileURLWithPath: cache.folder.catalog)
    var bytes = try Data(contentsOf: file)
    switch how {
    case "text": bytes = Data(String(repeating: "no database ", count: 500).utf8)
    case "header": bytes.replaceSubrange(0..<16, with: Data(repeating: 0x55, count: 16))
    default: bytes.replaceSubrange(100..<bytes.count, with: Data(count: bytes.count - 100))
    }
    try bytes.write(to: file)
    let error = await #expect(throws: StoreError.self) {
      _ = try await cache.open().load(draft: "a")
    }
    guard case .database(.damaged, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(cache.files.contains(saved.blob.path))
    #expect(cache.files.contains(saved.preview.path))
  }

  @Test(
    "Rows that were tampered with don't lead outside the folder",
    arguments: [
      "../../../../etc/passwd", "", "ABCDEF", String(repeating: "/", count: 64),
    ])
  func tampered(_ digest: String) async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    try opened.sqlite.writeRaw {
      try $0.execute(sql: "UPDATE photo SET blobSHA256 = ?", arguments: [digest])
    }
    let error = await #expect(throws: StoreError.self) { try await opened.status(draft: "a") }
    #expect(error == .database(.alteredRecord, detail: saved.id.uuidString))
    #expect(cache.files.contains(saved.blob.path))
  }

  @Test("A lost catalog doesn't cost the photos", arguments: ["gone", "no byte"])
  func lost(_ how: String) async throws {
    let saved = try await cache.open().save(draft: "a") { .sample(1) }
    try FileManager.default.removeItem(atPath: cache.folder.catalog)
    if how == "no byte" { try Data().write(to: URL(fileURLWithPath: cache.folder.catalog)) }
    let opened = try cache.open()
    #expect(try await opened.status(draft: "a") == .empty)
    let report = try await opened.sweep(now: Date(timeIntervalSinceNow: 1e8))
    #expect(report.removedBlobs == 0)
    #expect(cache.files.contains(saved.blob.path))
    // Saving the same photo again uses the existing file.
    #expect(try await opened.save(draft: "a") { .sample(1) }.blob == saved.blob)
  }

  @Test func aBusyCatalogIsToldAfterTheWait() async throws {
    let opened = try cache.open(busyTimeout: 0.05)
    let saved = try await opened.save(draft: "a") { .sample(1) }
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: cache.folder.catalog, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
    await #expect(throws: StoreError.busy(seconds: 1)) {
      try await opened.save(draft: "a") { .sample(2) }
    }
    await #expect(throws: StoreError.busy(seconds: 1)) { try await opened.status(draft: "a") }
    await #expect(throws: StoreError.busy(seconds: 1)) { try await opened.remove(draft: "a") }
    #expect(throws: StoreError.busy(seconds: 1)) { try cache.open(busyTimeout: 0.05) }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await opened.load(draft: "a") == saved.photo)
  }

  @Test func manyMayMakeOneCatalogAtOnce() async throws {
    try cache.folder.make()
    let cache = cache
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask { _ = try await cache.open().save(draft: "\(number)") { .sample(number) } }
      }
      try await group.waitForAll()
    }
    #expect(try await cache.open().photos().count == 8)
  }
}
