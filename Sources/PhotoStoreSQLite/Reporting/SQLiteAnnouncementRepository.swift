public import Announcements
import Dispatch
public import Foundation
import GRDB
public import Logging
import PhotoAttachments
import ReportFlow

/// Announcements in the database on this machine, the default. They share one file, and its
/// migrations, with the drafts.
public final class SQLiteAnnouncementRepository: AnnouncementRepositoryProtocol {
  private let database: ReportDatabase
  private let logger: Logger
  private let now: @Sendable () -> Date
  /// For what takes its time, never on Swift's own threads: scrypt, a tenth of a second and 32 MiB
  /// each and so one at a time, and making our tables.
  private let slow = DispatchQueue(label: "petspot.management-password")

  private let passwordCost: Int

  /// A repository in `database`.
  public convenience init(
    _ database: ReportDatabase, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(database, logger: logger, now: now, passwordCost: ManagementPassword.cost)
  }

  /// The same with cheaper passwords, for tests of everything else.
  package init(
    _ database: ReportDatabase, logger: Logger, now: @escaping @Sendable () -> Date,
    passwordCost: Int
  ) {
    (self.database, self.logger, self.now) = (database, logger, now)
    self.passwordCost = passwordCost
  }

  /// See the protocol; every list is found through an index.
  public func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    if query.sortBy == .distanceFromUser && query.location == nil {
      throw AnnouncementError.locationRequired
    }
    return try await reading { [logger] in
      try AnnouncementListing(database: $0, logger: logger).announcements(matching: query)
    }
  }

  /// See the protocol; a stored row that is not valid counts as not found, and is logged.
  public func announcement(id: String) async throws -> Announcement {
    let found = try await reading { [logger] in
      try Row.fetchOne($0, sql: "SELECT * FROM announcement WHERE id = ?", arguments: [id])
        .flatMap { Announcement(row: $0, logger: logger) }
    }
    guard let found else { throw AnnouncementError.notFound(id: id) }
    return found
  }

  /// See the protocol.
  public func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String
  ) async throws -> CreatedAnnouncement {
    let invalid = report.invalidFields(now: now())
    guard invalid.isEmpty else { throw AnnouncementError.invalid(invalid) }
    let hash = try await slowly { [passwordCost] in
      try ManagementPassword.hash(managementPassword, cost: passwordCost)
    }
    let (id, kept) = try await writing { [now] db in
      try Self.insertOrFind(report, idempotencyKey, hash, at: now().milliseconds, in: db)
    }
    var isOurs = kept == hash
    if !isOurs {
      isOurs = try await slowly { try ManagementPassword.verify(managementPassword, against: kept) }
    }
    return CreatedAnnouncement(
      announcement: try await announcement(id: id),
      managementPassword: isOurs ? managementPassword : nil)
  }

  /// See the protocol.
  public func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    let hash = try await authorize(id, managementPassword, client)
    let replaced = try await writing { [now] in
      try Self.attach(photo, to: id, hash, at: now().milliseconds, in: $0)
    }
    if let replaced { try await database.releasing { _ in [replaced] } }
    return try await announcement(id: id)
  }

  /// See the protocol.
  public func close(
    id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    let hash = try await authorize(id, managementPassword, client)
    try await writing { [now] in
      try $0.execute(
        sql: """
          UPDATE announcement SET closed_at = ?1, updated_at = ?1
          WHERE id = ?2 AND closed_at IS NULL AND password_hash = ?3
          """, arguments: [now().milliseconds, id, hash])
      return .success(())
    }
    return try await announcement(id: id)
  }

  /// See the protocol. The submitted draft goes too, since it has the same contact data; a photo that
  /// the library or a draft shows stays theirs.
  public func erase(id: String, managementPassword: String, client: String?) async throws {
    let hash = try await authorize(id, managementPassword, client)
    try await database.releasing { db in
      try Self.delete("id = ? AND password_hash = ?", [id, hash], in: db)
    }
    await forgetFreePages()
  }

  /// See the protocol.
  public func withdraw(idempotencyKey: UUID) async throws -> Announcement? {
    let key = idempotencyKey.uuidString
    let left = try await writing { [logger] db in
      try db.execute(
        sql: "DELETE FROM announcement WHERE idempotency_key = ? AND photo_id IS NULL",
        arguments: [key])
      return .success(
        try Row.fetchOne(
          db, sql: "SELECT * FROM announcement WHERE idempotency_key = ?", arguments: [key]
        ).flatMap { Announcement(row: $0, logger: logger) })
    }
    return left
  }

  // MARK: - The password

  /// How many wrong passwords in a row are free, and the longest wait after more.
  private static let (freeTries, longestWait) = (5, Int64(15 * 60 * 1000))

  /// Lets the owner of `password` pass and returns the hash it was held against. A try is counted
  /// before it is looked at, in the database, so that neither a restart nor many tries at once get
  /// around the throttle.
  private func authorize(
    _ id: String, _ password: String, _ client: String?
  ) async throws -> String {
    let hash = try await writing { [now] db in
      try Self.countTry(id, client, at: now().milliseconds, in: db)
    }
    guard try await slowly({ try ManagementPassword.verify(password, against: hash) }) else {
      throw AnnouncementError.wrongPassword
    }
    if let client {
      try await writing {
        try $0.execute(
          sql: "DELETE FROM wrong_password WHERE announcement = ? AND client = ?",
          arguments: [id, client])
        return .success(())
      }
    }
    return hash
  }

  private static func countTry(
    _ id: String, _ client: String?, at now: Int64, in db: Database
  ) throws -> Result<String, AnnouncementError> {
    guard
      let hash = try String.fetchOne(
        db, sql: "SELECT password_hash FROM announcement WHERE id = ?", arguments: [id])
    else { return .failure(.notFound(id: id)) }
    guard let client else { return .success(hash) }
    let row = try Row.fetchOne(
      db,
      sql: "SELECT tries, locked_until FROM wrong_password WHERE announcement = ? AND client = ?",
      arguments: [id, client])
    if let until = row?["locked_until"] as Int64?, until > now {
      return .failure(.throttled(until: Date(milliseconds: until)))
    }
    let tries = (row?["tries"] ?? 0) + 1
    // 30 s after the fifth, doubling from there.
    let wait = tries < freeTries ? 0 : min(longestWait, 30_000 << Int64(min(tries - freeTries, 10)))
    try db.execute(
      sql: """
        INSERT INTO wrong_password (announcement, client, tries, tried_at, locked_until)
        VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET tries = excluded.tries, tried_at = excluded.tried_at,
          locked_until = excluded.locked_until
        """, arguments: [id, client, tries, now, wait == 0 ? nil : now + wait])
    return .success(hash)
  }

  // MARK: - The way to the database

  private func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await prepare()
    return try await database.catalog.readAsync(body)
  }

  /// What is no failure of the database comes out of the transaction as a value.
  private func writing<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result<Value, AnnouncementError>
  ) async throws -> Value {
    try await prepare()
    return try await database.catalog.writeAsync(body).get()
  }

  private func prepare() async throws {
    guard !database.isPrepared else { return }
    try await slowly { [database] in try database.prepare() }
  }

  private func slowly<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      slow.async { continuation.resume(with: Result(catching: body)) }
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
