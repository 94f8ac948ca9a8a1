import Announcements
import Foundation
import GRDB
import PhotoAttachments
import ReportFlow
import Synchronization
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

@Suite("Answers told again while a transaction is under way")
struct QueryCacheTests {
  /// What is told of a question now, nil for what has to be looked up.
  private func told(_ memory: inout QueryCache, _ question: String = "q") -> Int? {
    switch memory.ask(.init(value: question)) {
    case .known(let answer): return answer as? Int
    case .reads(let asked): _ = memory.begin(reading: asked)
    case .joins: Issue.record("nobody reads")
    }
    return nil
  }

  private func asked(
    _ memory: inout QueryCache, _ question: String = "q"
  ) throws -> QueryCache.Read {
    guard case .reads(let asked) = memory.ask(.init(value: question)) else {
      throw StoreError.fault(.unexpected)
    }
    _ = memory.begin(reading: asked)
    return asked
  }

  private func keep(
    _ answer: Int, in memory: inout QueryCache, _ question: String = "q"
  ) throws {
    memory.keep(.init(value: answer), to: try asked(&memory, question))
  }

  @Test("Only while one is under way, and only what was read since the last one")
  func turns() throws {
    var memory = QueryCache()
    try keep(1, in: &memory)
    #expect(told(&memory) == nil)
    memory.begin(version: 5)
    #expect(told(&memory) == nil, "others may have committed before the first one")
    memory.end(hasChanged: true)
    try keep(2, in: &memory)
    #expect(told(&memory) == nil)
    memory.begin(version: 5)
    #expect(told(&memory) == 2)
    #expect(told(&memory, "other") == nil)
    memory.end(hasChanged: true)
    memory.begin(version: 5)
    #expect(told(&memory) == nil)
  }

  @Test("Again in the next one, when this one changed nothing of it")
  func unchanged() throws {
    var memory = QueryCache()
    memory.begin(version: 5)
    memory.end(hasChanged: false)
    try keep(2, in: &memory)
    memory.begin(version: 5)
    let late = try asked(&memory, "late")
    memory.end(hasChanged: false)
    #expect(told(&memory) == nil, "others may commit between two of ours")
    memory.keep(.init(value: 3), to: late)
    memory.begin(version: 5)
    #expect(told(&memory) == 2)
    #expect(told(&memory, "late") == 3)
    memory.end(hasChanged: false)
    memory.begin(version: 6)
    #expect(told(&memory) == nil)
  }

  @Test("Nothing after somebody else committed")
  func others() throws {
    var memory = QueryCache()
    memory.begin(version: 5)
    memory.end(hasChanged: true)
    try keep(1, in: &memory)
    memory.begin(version: 6)
    #expect(told(&memory) == nil)
  }

  @Test("What was asked before an end is not kept behind it")
  func late() throws {
    var memory = QueryCache()
    memory.begin(version: 5)
    let asked = try asked(&memory)
    memory.end(hasChanged: true)
    memory.keep(.init(value: 1), to: asked)
    memory.begin(version: 5)
    #expect(told(&memory) == nil)
  }

  @Test("An answer that may have seen the end drives out those that have not")
  func order() throws {
    var memory = QueryCache()
    memory.begin(version: 5)
    memory.end(hasChanged: true)
    try keep(1, in: &memory, "a")
    memory.begin(version: 5)
    try keep(2, in: &memory, "b")
    #expect(told(&memory, "a") == nil)
    #expect(told(&memory, "b") == 2)
  }

  @Test("Who asks before a read begins is told by it, who asks later is not")
  func sharing() throws {
    var memory = QueryCache()
    guard case .reads(let first) = memory.ask(.init(value: "q")),
      case .joins = memory.ask(.init(value: "q")), case .reads = memory.ask(.init(value: "other"))
    else { throw StoreError.fault(.unexpected) }
    #expect(memory.join(.init(value: "q")) { _ in })
    #expect(memory.begin(reading: first).count == 1)
    #expect(!memory.join(.init(value: "q")) { _ in })
    guard case .reads(let second) = memory.ask(.init(value: "q")) else {
      throw StoreError.fault(.unexpected)
    }
    #expect(memory.begin(reading: second).isEmpty)
  }

  @Test("No more than sixteen are kept")
  func bounds() throws {
    var memory = QueryCache()
    memory.begin(version: 5)
    memory.end(hasChanged: true)
    for number in 0..<40 { try keep(number, in: &memory, "\(number)") }
    memory.begin(version: 5)
    for number in 0..<40 { #expect((told(&memory, "\(number)") != nil) == (number >= 32)) }
  }

  @Test("A transaction reads four answers again, and none that no client has asked for in sixteen")
  func again() throws {
    var memory = QueryCache()
    memory.begin(version: 5)
    memory.end(hasChanged: true)
    try keep(0, in: &memory, "costly")
    for number in 1...6 {
      let asked = try asked(&memory, "\(number)")
      memory.keep(.init(value: number) { _ in number }, to: asked)
    }
    #expect(memory.worthReading.count == 4)
    #expect(memory.worthReading[.init(value: "costly")] == nil)
    let kept = try #require(memory.worthReading.keys.first?.value as? String)
    for turn in 1...40 {
      memory.begin(version: 5)
      if turn <= 10 { #expect(told(&memory, kept) != nil) }
      let again = memory.worthReading
      memory.end(hasChanged: true, again: again)
      let names = again.keys.compactMap { $0.value as? String }
      #expect(names.contains(kept) == (turn <= 25), "\(turn)")
      #expect(names.count == (turn <= 16 ? 4 : turn <= 25 ? 1 : 0), "\(turn)")
    }
  }

  private func otherRepository(
    _ cache: TestCache
  ) throws -> AnnouncementStore {
    let photos = try PhotoAttachmentCache.open(CacheFolder(path: cache.url.path))
    return AnnouncementStore(
      photos, logger: cache.logger, now: { Date() })
  }

  /// How many another connection finds.
  private func announcements(in path: String) throws -> Int? {
    try DatabaseQueue(path: path).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM announcement")
    }
  }

  /// The transaction has changed more than it may keep in memory, so that nobody can read the file.
  @Test("A list that was told once is told while nobody can read the database")
  func locked() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let made = try await cache.publish(report(), in: repository)
    let query = AnnouncementListQuery.landingPageQuery(location: nil)
    #expect(try await repository.announcements(matching: query) == [made])
    let catalog = cache.photos.sqlite
    let (locked, isLocked) = AsyncStream<Void>.makeStream()
    let (ends, ended) = AsyncStream<Bool>.makeStream()
    let mayEnd = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // No effect inside a transaction.
      try? catalog.queue.inDatabase {
        try $0.execute(sql: "PRAGMA cache_size = 1; PRAGMA cache_spill = 1")
      }
      try? catalog.write(dryRun: true) { db in
        try db.execute(
          sql: """
            CREATE TABLE big AS WITH RECURSIVE n (i) AS (
              SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
              SELECT i, randomblob(4000) FROM n
            """)
        isLocked.yield()
        ended.yield(mayEnd.wait(timeout: .now() + 60) == .success)
      }
    }
    for await _ in locked { break }
    #expect(throws: DatabaseError.self) { try announcements(in: cache.photos.folder.catalog) }
    #expect(try await repository.announcements(matching: query) == [made])
    mayEnd.signal()
    for await hasWaited in ends {
      #expect(hasWaited, "the list did not wait for the transaction")
      break
    }
  }

  @Test("A change is heard of, be it a trigger's, and one of other tables is not")
  func changes() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let made = try await cache.publish(report(), in: repository)
    let catalog = cache.photos.sqlite
    let changes = TableChanges(of: QueryCache.table)
    catalog.queue.add(transactionObserver: changes)
    try catalog.write { try $0.execute(sql: "UPDATE attachment SET failed_at = 1") }
    try catalog.write { try $0.execute(sql: "UPDATE photo SET blobSHA256 = blobSHA256") }
    #expect(!changes.haveHappened())
    let digest = String(repeating: "0", count: 64)
    try catalog.write {
      try $0.execute(sql: "UPDATE photo SET blobSHA256 = ?", arguments: [digest])
    }
    #expect(changes.haveHappened(), "the trigger follows the photo")
    #expect(!changes.haveHappened())
    try catalog.write(dryRun: true) {
      try $0.execute(sql: "UPDATE announcement SET updated_at = updated_at + 1")
    }
    #expect(changes.haveHappened())
    try catalog.write {
      try $0.execute(sql: "DELETE FROM announcement WHERE id = ?", arguments: [made.id])
    }
    #expect(changes.haveHappened())
  }

  /// Between transactions that record photos, a list is not read again.
  @Test("A list is told through one photo after another")
  func photos() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let made = try await cache.publish(report(), in: repository)
    let query = AnnouncementListQuery.landingPageQuery(location: nil)
    let catalog = cache.photos.sqlite
    try catalog.write { _ in }  // from here on it knows what others committed
    #expect(try await repository.announcements(matching: query) == [made])
    for change in ["UPDATE attachment SET failed_at = 1", "DELETE FROM report_draft"] {
      try catalog.write { db in
        try db.execute(sql: change)
        #expect(catalog.remembered.withLock { $0.isKept(query) })
      }
    }
    try catalog.write { db in
      #expect(catalog.remembered.withLock { $0.isKept(query) })
      try db.execute(sql: "UPDATE announcement SET updated_at = updated_at + 1")
    }
    try catalog.write { _ in
      #expect(catalog.remembered.withLock { $0.isKept(query) }, "it was read again")
    }
  }

  @Test("A list is told as the last transaction left it, before anybody has read it")
  func current() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let made = try await cache.publish(report(), in: repository)
    let query = AnnouncementListQuery.landingPageQuery(location: nil)
    let catalog = cache.photos.sqlite
    func told() throws -> [String]? {
      try catalog.write { _ in
        catalog.remembered.withLock { $0.answer(to: .init(value: query)) as? AnnouncementList }
      }?.announcements.map(\.petName)
    }
    let rename = "UPDATE announcement SET pet_name = ?"
    func read() async throws {
      try catalog.write { _ in }  // from here on it knows what others committed
      _ = try await repository.announcements(matching: query)
    }
    try await read()
    for name in ["Rex", "Fox"] {
      try catalog.write { try $0.execute(sql: rename, arguments: [name]) }
      #expect(try told() == [name])
    }
    try catalog.write { try $0.execute(sql: "UPDATE announcement SET closed_at = 1") }
    #expect(try told() == [])
    try catalog.write { try $0.execute(sql: "UPDATE announcement SET closed_at = NULL") }
    #expect(try told() == ["Fox"])
    // What is not committed is none.
    try catalog.write(dryRun: true) { try $0.execute(sql: rename, arguments: ["Max"]) }
    #expect(try told() == nil)
    try await read()
    #expect(throws: StoreError.self) {
      try catalog.write {
        // Fails when it is committed.
        try $0.execute(sql: "PRAGMA defer_foreign_keys = ON")
        try $0.execute(sql: rename + ", photo_id = 'none'", arguments: ["Max"])
      }
    }
    #expect(try told() == nil)
    // Nor is what another process has changed since.
    try await read()
    try catalog.write { try $0.execute(sql: rename, arguments: ["Max"]) }
    try await DatabaseQueue(path: cache.photos.folder.catalog).write {
      try $0.execute(sql: rename, arguments: ["Bob"])
    }
    #expect(try told() == nil)
    #expect(try await repository.announcements(matching: query).map(\.id) == [made.id])
  }

  @Test("A read that fails is told to all, who ask once more")
  func failure() async throws {
    let cache = try TestCache()
    let catalog = cache.photos.sqlite
    let failed = try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          do {
            _ = try await catalog.readBeside(answering: "q") { _ -> Int in
              throw StoreError.fault(.unexpected)
            }
            return false
          } catch { return error as? StoreError == .fault(.unexpected) }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(failed == 20)
    try await cache.photos.close()
    await #expect(throws: StoreError.database(.closed, detail: "")) {
      try await catalog.readBeside(answering: "q") { _ in 1 }
    }
    await #expect(throws: StoreError.database(.closed, detail: "")) {
      try await catalog.readBeside(answering: "q") { _ in 1 }
    }
  }

  @Test("Whoever asks after a commit is told of it, whichever process made it")
  func truth() async throws {
    let cache = try TestCache()
    let writers = [cache.repository(), try otherRepository(cache)]
    _ = try await cache.albumPhoto()
    let query = AnnouncementListQuery(limit: 100)
    try await withThrowingTaskGroup { group in
      for writer in 0..<3 {
        group.addTask {
          for turn in 0..<8 {
            let repository = writers[(writer + turn) % 2]
            let made = try await cache.publish(report("\(writer) \(turn)"), in: repository)
            let shown = try await writers[0].announcements(matching: query).map(\.id)
            #expect(shown.contains(made.id), "announced by \((writer + turn) % 2)")
            guard turn % 2 == 0 else { continue }
            _ = try await repository.close(
              id: made.id, managementPassword: "K7QM-2XWD-9RTA", client: nil)
            let left = try await writers[0].announcements(matching: query).map(\.id)
            #expect(!left.contains(made.id), "closed by \((writer + turn) % 2)")
          }
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<300 { _ = try await writers[0].announcements(matching: query) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await writers[0].announcements(matching: query).count == 12)
  }
}

extension QueryCache {
  /// Whether an answer would be told now.
  fileprivate func isKept(_ question: some Hashable & Sendable) -> Bool {
    var copy = self
    guard case .known = copy.ask(Key(value: question)) else { return false }
    return true
  }
}
