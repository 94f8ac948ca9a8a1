import Foundation
import Glibc
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import StoreConformance
import Synchronization
import TestPostgres
import TestStores
import Testing

@testable import BlobStoreS3

/// Tests of `petspot move` between a folder and two servers, and of failures in the middle.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct StoreMoveTests {
  private let embedded = MovedStores()
  private let database: TestDatabase
  private let server: S3Server
  private let blobs: String

  init() throws {
    (database, server) = (try TestDatabase(), try S3Server.shared.get())
    blobs = server.url()
  }

  private var large: MovedStores { MovedStores(database, server, blobs: blobs) }

  @Test(
    "After a move there and back the stores list the same, are complete, and nothing is copied twice"
  )
  func roundTrip() throws {
    let announcement = try embedded.fill()
    let (large, before) = (large, try embedded.told())
    let there = ["move", "--to-database", database.url, "--to-blobs", blobs]
    let moved = try embedded.run(there, server.environment)
    #expect(moved.exit == 0 && moved.last["done"] as? Bool == true, "\(moved.text)")
    #expect(moved.last["moved"] as? Int == 6 && moved.last["alreadyThere"] as? Int == 0)
    #expect(try embedded.told() == before)
    #expect(try large.told() == before)
    #expect(try large.run(["verify", "--all"]).exit == 0)
    // Searches find the announcement at the target, too.
    let species = "SELECT 'found ' || count(*) FROM announcement_word WHERE word LIKE '=%'"
    #expect(try database.sql(species).contains("found 1"))
    let again = try embedded.run(there, server.environment).last
    #expect(again["alreadyThere"] as? Int == 6 && again["moved"] as? Int == 0)
    #expect(again["pictures"] as? Int == 0 && again["entries"] as? Int == 0)
    #expect(again["entriesAlreadyThere"] as? Int == moved.last["entries"] as? Int)

    let back = MovedStores()
    let returned = try large.run(["move", "--to-cache", back.cache.folder.path])
    #expect(returned.exit == 0 && returned.last["moved"] as? Int == 6, "\(returned.text)")
    #expect(returned.last["entries"] as? Int == moved.last["entries"] as? Int)
    #expect(try back.told() == before)
    #expect(try back.run(["verify", "--all"]).exit == 0)
    #expect(back.cache.files == embedded.cache.files)
    #expect(try database.sql("SELECT secret FROM store").contains("\\x"))
    for stores in [large, back] {
      let close = ["announcements", "close", announcement.id, "--password"]
      #expect(try stores.run(close + ["AAAA-AAAA-AAAA"]).exit != 0)
      #expect(try stores.run(close + [announcement.password]).exit == 0)
      #expect(try stores.run(["sweep"]).last["removedBlobs"] as? Int == 0)
    }
    // The target keeps its own version of an entry.
    let differing = try embedded.run(there, server.environment)
    #expect(differing.exit == 65 && differing.last["entriesDiffering"] as? Int ?? 0 > 0)
    #expect(
      differing.text.contains(
        #""event":"entry","kind":"announcements","key":"\#(announcement.id)""#))
    #expect(differing.text.contains("closed_at"), "\(differing.text)")
    #expect(try large.run(["announcements"]).text.isEmpty)
  }

  @Test(
    "An announcement that an operator hid stays hidden, and can be shown again in its new store")
  func hidden() throws {
    let (id, large) = (try embedded.fill().id, large)
    #expect(try embedded.run(["announcements", "hide", id, "--reason", "spam"]).exit == 0)
    let there = ["move", "--to-database", database.url, "--to-blobs", blobs]
    #expect(try embedded.run(there, server.environment).exit == 0)
    for stores in [embedded, large] {
      let shown = try stores.run(["announcements", "show", id])
      let error = shown.last["error"] as? [String: Any]
      #expect(shown.exit == 66 && error?["code"] as? String == "taken-down", "\(shown.text)")
      #expect(error?["reason"] as? String == "spam")
    }
    #expect(try large.run(["announcements"]).text.isEmpty)
    #expect(try large.run(["announcements", "unhide", id]).last["status"] as? String == "Lost")
    #expect(try large.run(["announcements"]).last["id"] as? String == id)
  }

  @Test(
    "No move brings back records that were erased or forgotten in one store, and the other loses them"
  )
  func erasedStaysErased() throws {
    let announcement = try embedded.fill()
    let there = ["move", "--to-database", database.url, "--to-blobs", blobs]
    #expect(try embedded.run(there, server.environment).exit == 0)
    // The operator keeps a copy of the folder.
    let copy = MovedStores()
    try FileManager.default.copyItem(
      atPath: embedded.cache.folder.path, toPath: copy.cache.folder.path)
    let photo =
      try large.run(["list", "--limit", "1000"]).text.split(separator: "\n")
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .first(where: { $0["fileName"] as? String == "baseline-420.jpg" })?["id"] as? String
    let erase = ["announcements", "erase", announcement.id, "--password", announcement.password]
    #expect(try large.run(erase).exit == 0)
    #expect(try large.run(["forget", try #require(photo), "--only-copies"]).exit == 0)
    let after = try large.told()
    #expect(!"\(after)".contains(announcement.id) && !"\(after)".contains("baseline-420.jpg"))
    for stores in [embedded, copy] {
      let again = try stores.run(there, server.environment)
      // Two photos, one of them with its file in the library, the announcement, and its draft.
      #expect(again.exit == 0 && again.last["erased"] as? Int == 6, "\(again.text)")
      #expect(again.last["moved"] as? Int == 0 && again.last["pictures"] as? Int == 0)
      #expect(try large.told() == after)
    }
    #expect(
      try database.sql("SELECT count(*) FROM report_draft WHERE content LIKE '%600 700%'") == "0")

    // A move back takes the marks of erased records and the remaining records along.
    #expect(try large.run(["move", "--to-cache", embedded.cache.folder.path]).exit == 0)
    #expect(try embedded.told() == after)
    #expect(try embedded.run(["verify", "--all"]).exit == 0)
    #expect(try embedded.run(["sweep"]).last["removedBlobs"] as? Int == 0)
    let restored = try copy.run(["move", "--to-cache", embedded.cache.folder.path])
    #expect(restored.exit == 0 && restored.last["erased"] as? Int == 6, "\(restored.text)")
    #expect(try embedded.told() == after)
    #expect(try large.run(["move", "--to-cache", copy.cache.folder.path]).exit == 0)
    #expect(try copy.told() == after)
  }

  @Test("A photo that was forgotten in one store stays in another that has the only copy")
  func onlyCopyStays() throws {
    let folder = embedded.cache.folder.path + "-originals"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let original = folder + "/alpha.png"
    try FileManager.default.copyItem(atPath: "TestImages/alpha.png", toPath: original)
    let id = try #require(
      try embedded.run(["import", folder]).text.firstMatch(of: /"id":"([^"]+)"/)?.1)
    let target = MovedStores()
    let there = ["move", "--to-cache", target.cache.folder.path]
    #expect(try embedded.run(there).exit == 0)
    #expect(try embedded.run(["forget", String(id)]).exit == 0)
    try FileManager.default.moveItem(atPath: original, toPath: original + ".away")
    for _ in 1...2 {
      let again = try embedded.run(there)
      #expect(again.exit == 65 && again.last["erased"] as? Int == 0, "\(again.text)")
      #expect(again.text.contains("\"key\":\"\(id)\",\"fields\":[\"forgotten\"]"))
      #expect(try target.run(["verify"]).last["checked"] as? Int == 1)
    }
    // A backup of the target has the photo, too.
    let backup = TemporaryCache().folder.path
    defer { try? FileManager.default.removeItem(atPath: backup) }
    try FileManager.default.createDirectory(atPath: backup, withIntermediateDirectories: true)
    #expect(try target.run(["backup", backup]).last["photos"] as? Int == 1)
    try FileManager.default.moveItem(atPath: original + ".away", toPath: original)
    let last = try embedded.run(there)
    #expect(last.exit == 0 && last.last["erased"] as? Int == 1, "\(last.text)")
    #expect(try target.run(["list"]).text.isEmpty)
  }

  @Test("Records that are erased while a move reads them aren't added")
  func erasedMeanwhile() throws {
    let announcement = try embedded.fill()
    let spool = TemporaryCache()
    let source = try StoreMove.Side.embedded(embedded.cache)
    let target = try StoreMove.Side.large(database, server, blobs: blobs, spool)
    let photos = try source.cache.catalog.page(after: 0, limit: 9, attachedOnly: false)
    let drafts = try source.records.rows(.drafts, after: nil, limit: 9)
    let rows = try source.records.rows(.announcements, after: nil, limit: 9).map { row in
      var row = row
      (row.fields["photo_id"], row.fields["photo_sha256"]) = (.null, .null)
      return row
    }
    #expect(rows.count == 1 && drafts.count == 2)
    let folder = MovedStores()
    for side in [target, try .embedded(folder.cache)] {
      let marks =
        photos.map { ErasureMark.photo($0.id) } + [ErasureMark.announcement(announcement.id)]
      _ = try side.records.add(
        marks.map { MovedRow(.erasures, [.text($0), .text($0)]) }, to: .erasures)
      #expect(try !side.records.add(photos) { true })
      #expect(try side.records.photos(ids: photos.map(\.id)).isEmpty)
      _ = try side.records.add(rows, to: .announcements)
      _ = try side.records.add(drafts, to: .drafts)
      #expect(try side.records.rows(.announcements, after: nil, limit: 9).isEmpty)
      let left = try side.records.rows(.drafts, after: nil, limit: 9)
      #expect(left.map(\.place) == [[.text("begun")]])
    }
  }

  @Test("A move that would move nothing, or let two catalogs share pictures, is refused")
  func refusals() throws {
    _ = try embedded.fill()
    let folder = embedded.cache.folder.path
    for arguments in [
      [], ["--to-cache", folder], ["--to-database", database.url], ["--to-blobs", blobs],
      ["--to-database", "file:x"],
    ] {
      #expect(try embedded.run(["move"] + arguments, server.environment).exit == 64)
    }
    let same = ["move", "--to-database", database.url, "--to-blobs", server.url()]
    #expect(try large.run(same).exit == 64)
    #expect(try MovedStores().run(["move", "--to-cache", folder]).exit == 66)
  }

  @Test(
    "A photo without its picture is left out and reported, with all that shows it; the rest is moved"
  )
  func missing() throws {
    _ = try embedded.fill()
    let status = try #require(
      try embedded.run(["status", "--draft", "other"]).last["photo"] as? [String: Any])
    let url = try #require((status["cachedURL"] as? String).flatMap(URL.init(string:)))
    try FileManager.default.removeItem(at: url)
    let back = MovedStores()
    let moved = try embedded.run(["move", "--to-cache", back.cache.folder.path])
    #expect(moved.exit == 65 && moved.last["done"] as? Bool == false)
    // The draft's photo and the library's photo that it was picked from.
    #expect(moved.last["missing"] as? Int == 2 && moved.last["moved"] as? Int == 4)
    // The attachment, the membership in the library, and the facts about the file.
    #expect(moved.last["entriesLeftOut"] as? Int == 3)
    #expect(moved.text.contains("\"problem\":\"missing\""))
    #expect(try back.run(["verify", "--all"]).exit == 0)
  }

  @Test("A move that was killed continues when it is started again")
  func killed() throws {
    _ = try embedded.fill()
    let before = try embedded.told()
    let there = ["move", "--to-database", database.url, "--to-blobs", blobs]
    let client = try server.client(url: blobs)
    let (process, output) = try embedded.start(there, server.environment)
    defer { unlink(output) }
    while process.isRunning, try client.list(client.address.prefix, after: nil).entries.isEmpty {
      usleep(2000)
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(try embedded.run(there, server.environment).exit == 0)
    #expect(try large.told() == before)
    #expect(try large.run(["verify", "--all"]).exit == 0)
  }

  @Test("Two moves at once both succeed, and each finds what the other has recorded")
  func twoAtOnce() throws {
    _ = try embedded.fill()
    let before = try embedded.told()
    let there = ["move", "--to-database", database.url, "--to-blobs", blobs]
    let moves = try (0..<2).map { _ in try embedded.start(there, server.environment) }
    for (process, output) in moves {
      process.waitUntilExit()
      let text = try String(contentsOfFile: output, encoding: .utf8)
      #expect(process.terminationStatus == 0, "\(text)")
      unlink(output)
    }
    #expect(try large.told() == before)
    #expect(try large.run(["verify", "--all"]).exit == 0)

    // No record is added twice, in whichever order the two moves reach it.
    let spool = TemporaryCache()
    let source = try StoreMove.Side.embedded(embedded.cache)
    let photos = try source.cache.catalog.page(after: 0, limit: 2, attachedOnly: false)
    let target = try StoreMove.Side.large(database, server, blobs: blobs, spool)
    for side in [target, source] {
      #expect(try !side.records.add(photos) { true })
      #expect(try side.records.photos(ids: photos.map(\.id)).count == 2)
    }
  }

  @Test(
    "A move ends the same after a failure at each call in turn, even if pictures are swept in between"
  )
  func interrupted() throws {
    _ = try embedded.fill()
    let before = try embedded.told()
    let spool = TemporaryCache()
    let source = try StoreMove.Side.embedded(embedded.cache)
    let target = try StoreMove.Side.large(database, server, blobs: blobs, spool)
    let stumbling = target.stumbling
    var summary: MoveSummary?
    var failures = 0
    while summary == nil {
      let move = StoreMove(
        from: source, to: stumbling, pageSize: 2, isStopped: { false }, progress: { _ in },
        onUnmoved: { _ in Issue.record("not moved") })
      do throws(StoreError) {
        summary = try move.copyAll()
      } catch {
        #expect(error == .serviceFailed(service: "test", detail: "stumbled"))
        failures += 1
        try #require(failures < 100)
      }
    }
    #expect(summary?.isDone == true && summary?.moved == 0 && summary?.alreadyThere == 6)
    #expect(failures >= 10)
    #expect(try large.told() == before)
    #expect(try large.run(["verify", "--all"]).exit == 0)

    // Moves everything back over many pages, including the counts of wrong passwords.
    try database.sql(
      """
      INSERT INTO wrong_password SELECT id, client, 3, 1, NULL
      FROM announcement, unnest(ARRAY['a', 'b', 'c', 'd', 'e']) AS client
      """)
    let back = MovedStores()
    let side = try StoreMove.Side.embedded(back.cache)
    for moved in [6, 0] {
      let returned = try StoreMove(
        from: target, to: side, pageSize: 2, isStopped: { false }, progress: { _ in },
        onUnmoved: { _ in Issue.record("not moved") }
      ).copyAll()
      #expect(returned.isDone && returned.moved == moved, "\(returned)")
      let entries = (summary?.entriesThere ?? 0) + (summary?.entries ?? 0) + 5
      #expect(returned.entries + returned.entriesThere == entries)
    }
    #expect(try side.records.rows(.tries, after: nil, limit: 100).count == 5)
    #expect(try back.told() == before)
  }
}

extension StoreMove.Side {
  /// A copy whose writing calls fail in turn, before or after they take effect. Each third call succeeds, after a sweep
  /// of all pictures without a record.
  fileprivate var stumbling: Self {
    let acts = Mutex(0)
    let (catalog, blobs) = (cache.catalog, cache.blobs)
    let database = FaultyDatabase(catalog.store) {
      let number = acts.withLock { acts in
        acts += 1
        return acts
      }
      guard number % 3 == 0 else { return number % 2 == 1 ? .before : .afterCommit }
      for kind in BlobPath.Kind.ofRecords {
        for shard in StoreShard.whole.prefixes {
          do throws(StoreError) {
            _ = try catalog.release(try blobs.list(.shard(kind, shard)), deleting: blobs.remove)
          } catch { Issue.record(error) }
        }
      }
      return .nowhere
    }
    return Self(
      PhotoAttachmentCache(
        cache.folder, catalog: Catalog(database), blobs: blobs, policy: cache.policy,
        pool: cache.pool, decoding: .inProcess, now: { Date() }, newID: { UUID() },
        logger: Logger(label: "tests")))
  }
}
