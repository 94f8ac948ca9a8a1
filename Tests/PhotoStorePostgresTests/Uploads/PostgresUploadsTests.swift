import Foundation
import PhotoAttachments
import PhotoIngestion
import StoreConformance
import Synchronization
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres

@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct PostgresUploadsTests {
  private let database: TestDatabase
  private let cache = TemporaryCache()

  init() throws {
    database = try TestDatabase()
    try cache.folder.make()
  }

  private func open(
    limits: UploadLimits = UploadLimits(), now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> UploadRules {
    UploadRules(
      PostgresUploads(try database.store(), folder: cache.folder), limits: limits, now: now)
  }

  private func writer(
    _ store: UploadRules, _ token: String, at offset: Int
  ) throws -> UploadWriter {
    let appending = try store.append(token, owner: "a", at: offset, adding: nil)
    guard case .writer(let writer) = appending else { throw UploadError.notFound }
    return writer
  }

  @Test("PostgreSQL keeps every rule of uploads", arguments: UploadRule.all)
  func rules(_ rule: UploadRule) async throws {
    let place = UploadPlace { limits, now in try open(limits: limits, now: now) }
    let findings = await rule.findings(in: place)
    #expect(findings == [])
  }

  @Test("A newer request interrupts an older one on another server")
  func cutElsewhere() throws {
    let (one, other) = (try open(), try open())
    let token = try one.create(owner: "a", client: "b", length: 6, fileName: nil).token
    let older = try writer(one, token, at: 0)
    try write([1, 2], older)
    #expect(try other.fetchUpload(token, owner: "a").offset == 2)
    #expect(throws: UploadError.cut) { try write([3], older) }
    let newer = try writer(other, token, at: 2)
    try write([3, 4, 5, 6], newer)
    #expect(throws: UploadError.cut) { try write([3], older) }
    #expect(try newer.sync() == 6)
  }

  @Test("Bytes are stored in pieces of limited size, and deleted at the end of the upload")
  func pieces() throws {
    let store = try open()
    let token = try store.create(owner: "a", client: "b", length: 1 << 20, fileName: nil).token
    let writer = try writer(store, token, at: 0)
    try write([UInt8](repeating: 7, count: 1 << 20), writer)
    #expect(try database.sql("SELECT count(*), max(length(bytes)) FROM upload_piece") == "4|262144")
    _ = try writer.sync()
    try writer.finish(.refused(status: 415, body: [1]))
    #expect(try database.sql("SELECT count(*) FROM upload_piece") == "0")
    #expect(try database.sql("SELECT count(*) FROM upload") == "1")
  }

  @Test("After a process dies, others continue its uploads")
  func holderGone() throws {
    let (store, token) = (try open(), try held())
    // Another process on another machine, seen a moment ago, has the upload.
    try database.sql("UPDATE worker SET id = 'other'; UPDATE upload SET worker = 'other'")
    #expect(throws: UploadError.inUse) { try writer(store, token, at: 2) }
    #expect(throws: UploadError.inUse) { try store.remove(token, owner: "a") }
    #expect(try store.fetchUpload(token, owner: "a").offset == 2)
    try database.sql("UPDATE worker SET seen_at = seen_at - interval '40 seconds'")
    let next = try writer(store, token, at: 2)
    #expect(try next.sync() == 2)
  }

  @Test("An upload that couldn't be released is free at once here, and elsewhere after a sweep")
  func notReleased() throws {
    let (store, token) = (try open(), try held())
    // The release didn't reach the database, so the row still names this process.
    #expect(try database.sql("SELECT worker IS NOT NULL FROM upload") == "t")
    try store.sweep()
    #expect(try database.sql("SELECT worker IS NULL FROM upload") == "t")
    #expect(try writer(store, token, at: 2).sync() == 2)
  }

  /// Returns a complete upload that this process holds according to the database, but not in memory.
  private func held() throws -> String {
    let store = try open()
    let token = try store.create(owner: "a", client: "b", length: 2, fileName: nil).token
    let writer = try writer(store, token, at: 0)
    try write([1, 2], writer)
    _ = try writer.sync()
    let id = try database.sql("SELECT worker FROM upload")
    writer.close()
    try database.sql("UPDATE upload SET worker = '\(id)'")
    return token
  }

  @Test("A piece whose commit gets no response is stored exactly once")
  func connectionLost() throws {
    let store = try open()
    let bytes = (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let token = try store.create(owner: "a", client: "b", length: bytes.count, fileName: nil).token
    let writer = try writer(store, token, at: 0)
    for start in stride(from: 0, to: bytes.count, by: 100) {
      // Breaks the connection between two statements, at any point.
      try database.cutConnections()
      try write(Array(bytes[start..<start + 100]), writer)
    }
    #expect(try writer.sync() == bytes.count)
    guard case .file(let path, _) = try writer.source() else { return }
    #expect(try [UInt8](Data(contentsOf: URL(filePath: "\(path)"))) == bytes)
  }

  private func write(_ bytes: [UInt8], _ writer: UploadWriter) throws {
    try writer.write(bytes)
  }
}
