public import Announcements
import Dispatch
public import Foundation
import GRDB
public import Logging
import PhotoAttachments
public import ReportFlow
import Records

/// Announcements in the database on this machine, the default. They share one file, and its
/// migrations, with the drafts.
public struct SQLiteAnnouncements: AnnouncementStorage {
  private let database: ReportDatabase
  private let logger: Logger
  /// Where our tables are made, never on Swift's own threads.
  private let slow = DispatchQueue(label: "petspot.report-tables")

  /// The announcements in `database`.
  public init(_ database: ReportDatabase, logger: Logger) {
    (self.database, self.logger) = (database, logger)
  }

  /// See the protocol.
  public func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    try await prepare()
    let list: @Sendable (Database) throws -> [Announcement] = { [logger] in
      try SQLiteListing(database: $0, logger: logger).announcements(matching: query)
    }
    // A long one is not worth the memory.
    guard let limit = query.limit, limit <= 100 else {
      return try await database.catalog.readAside(list)
    }
    return try await database.catalog.readAside(
      answering: query, staysCurrent: query.location == nil, list)
  }

  /// See the protocol.
  public func announcement(id: String) async throws -> Announcement? {
    guard id.isWhole else { return nil }
    return try await looking { [logger] in
      try Row.fetchOne($0, sql: "SELECT * FROM announcement WHERE id = ?", arguments: [id])
        .flatMap { Announcement(row: $0, logger: logger) }
    }
  }

  /// See the protocol.
  public func isErased(id: String) async throws -> Bool {
    try await looking { try Self.isMarked(ErasureMark.announcement(id), $0) }
  }

  /// See the protocol; by the index of ids, in which no id has a letter behind `~`.
  public func ids(beginning text: String, limit: Int) async throws -> [String] {
    try await looking {
      try String.fetchAll(
        $0, sql: "SELECT id FROM announcement WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
        arguments: [text, text + "~", limit])
    }
  }

  /// SQL for whether an open announcement has a photo, by its id.
  static let showsPhoto = """
    SELECT EXISTS (SELECT 1 FROM announcement WHERE photo_id = ? AND closed_at IS NULL)
    """

  /// See the protocol.
  public func shows(photo id: UUID) async throws -> Bool {
    try await looking {
      try Bool.fetchOne($0, sql: Self.showsPhoto, arguments: [id.uuidString]) ?? false
    }
  }

  /// See the protocol.
  public func secret() async throws -> Data { try await reading(ReportDatabase.secret) }

  /// See the protocol.
  public func find(_ request: CreateRequest) async throws -> KeptAnnouncement? {
    try await reading { try Self.find(request, in: $0) }?.get()
  }

  /// See the protocol.
  public func findOrMake(
    _ request: CreateRequest, hash: String, at now: Date
  ) async throws -> KeptAnnouncement {
    try await writing { try Self.findOrMake(request, hash, at: now.milliseconds, in: $0) }
  }

  /// See the protocol.
  public func attach(
    _ photo: AnnouncementPhoto, to id: String, hash: String, at now: Date
  ) async throws {
    let catalog = try database.catalog
    let replaced = try await writing {
      try Self.attach(photo, to: id, hash, at: now, catalog, in: $0)
    }
    if let replaced {
      try await database.releasing { catalog, db in
        try catalog.run({ try PhotoRows.deleteUnreferenced(replaced.uuidString, $0) }, db).value
      }
    }
  }

  /// See the protocol.
  public func change(
    id: String, hash: String, client: String?, at now: Date,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> AnnouncementError?
  ) async throws {
    try await writing { try Self.change(id, hash, client, at: now.milliseconds, in: $0, edit) }
  }

  /// See the protocol.
  public func close(id: String, hash: String, at now: Date) async throws {
    try await writing {
      try $0.execute(
        sql: """
          UPDATE announcement SET closed_at = coalesce(closed_at, ?1), updated_at = ?1,
            owner_closed_at = CASE WHEN hidden_reason IS NOT NULL THEN ?1 END
          WHERE id = ?2 AND password_hash = ?3
            AND (closed_at IS NULL OR hidden_reason IS NOT NULL AND owner_closed_at IS NULL)
          """, arguments: [now.milliseconds, id, hash])
      return .success(())
    }
  }

  /// See the protocol.
  public func hide(id: String, reason: String?, at now: Date) async throws {
    try await writing { try Self.hide(id, reason, at: now.milliseconds, in: $0) }
  }

  /// See the protocol.
  public func erase(id: String, hash: String?) async throws {
    try await database.releasing { catalog, db in
      try Self.erase(
        "id = ? AND password_hash = coalesce(?, password_hash)", [id, hash], catalog, in: db)
    }
    await forgetFreePages()
  }

  /// See the protocol.
  public func withdraw(key: UUID) async throws -> Announcement? {
    let key = key.uuidString
    return try await writing { [logger] db in
      try db.execute(
        sql: "DELETE FROM announcement WHERE idempotency_key = ? AND photo_id IS NULL",
        arguments: [key])
      return .success(
        try Row.fetchOne(
          db, sql: "SELECT * FROM announcement WHERE idempotency_key = ?", arguments: [key]
        ).flatMap { Announcement(row: $0, logger: logger) })
    }
  }

  // MARK: - The way to the database

  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await prepare()
    return try await database.catalog.readAsync(body)
  }

  /// Reads what strangers ask for, beside what is being recorded.
  private func looking<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await prepare()
    return try await database.catalog.readAside(body)
  }

  /// What is no failure of the database comes out of the transaction as a value.
  func writing<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result<Value, AnnouncementError>
  ) async throws -> Value {
    try await prepare()
    return try await database.catalog.writeAsync(body).get()
  }

  private func prepare() async throws {
    guard !database.isPrepared else { return }
    try await withCheckedThrowingContinuation { continuation in
      slow.async { [database] in continuation.resume(with: Result(catching: database.prepare)) }
    }
  }

  /// Rewrites the file without its free pages: an older program left what it deleted in them. Where
  /// that cannot be done now, what we delete ourselves is overwritten all the same.
  private func forgetFreePages() async {
    do {
      try await database.catalog.queue.writeWithoutTransaction {
        // In memory: nothing outside the cache folder is written.
        try $0.execute(sql: "PRAGMA temp_store = MEMORY; VACUUM")
      }
    } catch {
      logger.notice("catalog not rewritten", metadata: ["error": "\(error)"])
    }
  }
}
