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
  let now: @Sendable () -> Date
  let passwords: PasswordLine
  /// Where our tables are made, never on Swift's own threads.
  private let slow = DispatchQueue(label: "petspot.report-tables")

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
    passwords = PasswordLine(cost: passwordCost, now: now)
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
    guard id.isWhole else { throw AnnouncementError.notFound(id: id) }
    let found = try await reading { [logger] in
      try Row.fetchOne($0, sql: "SELECT * FROM announcement WHERE id = ?", arguments: [id])
        .flatMap { Announcement(row: $0, logger: logger) }
    }
    guard let found else { throw AnnouncementError.notFound(id: id) }
    return found
  }

  /// See the protocol; found through an index.
  public func shows(photo id: UUID) async throws -> Bool {
    try await reading {
      try Bool.fetchOne($0, sql: Self.showsPhoto, arguments: [id.uuidString]) ?? false
    }
  }

  /// See the protocol.
  public func create(
    _ report: NewAnnouncement, idempotencyKey: UUID, managementPassword: String
  ) async throws -> CreatedAnnouncement {
    let invalid = report.invalidFields(now: now())
    guard invalid.isEmpty else { throw AnnouncementError.invalid(invalid) }
    let request = Request(
      report: report, key: idempotencyKey, fingerprint: try report.fingerprint)
    // A repeat makes nothing, so it does not wait for a hash that nobody would keep.
    if let found = try await reading({ try Self.find(request, in: $0) }) {
      return try await answer(found.get(), managementPassword)
    }
    try passwords.enter()
    defer { passwords.leave() }
    let hash = try await passwords.hash(managementPassword)
    let made = try await writing { [now] in
      try Self.insertOrFind(request, hash, at: now().milliseconds, in: $0)
    }
    return try await answer(made, managementPassword)
  }

  /// What a create answers: the password only to who has it.
  private func answer(_ made: Made, _ password: String) async throws -> CreatedAnnouncement {
    let isOurs = try await isPassword(password, of: made.hash)
    return CreatedAnnouncement(
      announcement: try await announcement(id: made.id),
      managementPassword: isOurs ? password : nil)
  }

  private func isPassword(_ password: String, of hash: String) async throws -> Bool {
    if passwords.knows(password, of: hash) { return true }
    try passwords.enter()
    defer { passwords.leave() }
    return try await passwords.verify(password, against: hash)
  }

  /// See the protocol.
  public func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    let hash = try await authorized(id, managementPassword, client)
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
    let hash = try await authorized(id, managementPassword, client)
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
    let hash = try await authorized(id, managementPassword, client)
    try await database.releasing { db in
      try Self.delete("id = ? AND password_hash = ?", [id, hash], in: db)
    }
    await forgetFreePages()
  }

  /// See the protocol; the key says enough here.
  public func withdraw(
    idempotencyKey: UUID, credentials: AnnouncementCredentials?
  ) async throws -> Announcement? {
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

  // MARK: - The way to the database

  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await prepare()
    return try await database.catalog.readAsync(body)
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
