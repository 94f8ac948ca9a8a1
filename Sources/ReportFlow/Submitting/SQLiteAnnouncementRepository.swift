public import Announcements
import Dispatch
public import Foundation
import GRDB
public import Logging
import PhotoAttachments

/// Announcements in the database on this machine, the default. It lives here and not in
/// `Announcements`, which knows no SQL: it shares one file, and its migrations, with the drafts.
public final class SQLiteAnnouncementRepository: AnnouncementRepositoryProtocol {
  private let database: ReportDatabase
  private let logger: Logger
  private let now: @Sendable () -> Date
  /// scrypt takes a tenth of a second and 32 MiB: one at a time, and never on Swift's own threads.
  private let hashing = DispatchQueue(label: "petspot.management-password")

  private let passwordCost: Int

  /// A repository in `database`.
  public convenience init(
    _ database: ReportDatabase, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(database, logger: logger, now: now, passwordCost: ManagementPassword.cost)
  }

  /// The same with cheaper passwords, for tests of everything else.
  init(
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
    _ report: NewAnnouncement, idempotencyKey: UUID
  ) async throws -> CreatedAnnouncement {
    let invalid = report.invalidFields(now: now())
    guard invalid.isEmpty else { throw AnnouncementError.invalid(invalid) }
    let password = ManagementPassword.random()
    let hash = try await slowly { [passwordCost] in
      try ManagementPassword.hash(password, cost: passwordCost)
    }
    let (id, isSecret) = try await writing { [now] database in
      try Self.insertOrFind(report, idempotencyKey, hash, at: now().milliseconds, in: database)
    }
    return CreatedAnnouncement(
      announcement: try await announcement(id: id), managementPassword: isSecret ? password : nil)
  }

  /// See the protocol.
  public func attachPhoto(
    _ photo: AnnouncementPhoto, to id: String, managementPassword: String
  ) async throws -> Announcement {
    try await authorize(id, managementPassword)
    let isThere = try await writing { [now] in
      // Photo and reference in one transaction: from here on the photo cannot be deleted.
      try $0.execute(
        sql: """
          UPDATE announcement SET photo_id = ?1, photo_sha256 = ?2, updated_at = ?3
          WHERE id = ?4 AND EXISTS (SELECT 1 FROM photo WHERE id = ?1 AND blobSHA256 = ?2)
          """, arguments: [photo.id.uuidString, photo.sha256, now().milliseconds, id])
      return $0.changesCount > 0
    }
    guard isThere else { throw AnnouncementError.missingPhoto }
    return try await announcement(id: id)
  }

  /// See the protocol.
  public func close(id: String, managementPassword: String) async throws -> Announcement {
    try await authorize(id, managementPassword)
    try await writing { [now] in
      try $0.execute(
        sql: """
          UPDATE announcement SET closed_at = ?, updated_at = ? WHERE id = ? AND closed_at IS NULL
          """, arguments: [now().milliseconds, now().milliseconds, id])
    }
    return try await announcement(id: id)
  }

  // MARK: - The password

  /// How many wrong passwords in a row are free, and the longest wait after more.
  private static let (freeTries, longestWait) = (5, Int64(15 * 60 * 1000))

  /// Lets the owner of `password` pass. A try is counted before it is looked at, in the database, so
  /// that neither a restart nor many tries at once get around the throttle.
  private func authorize(_ id: String, _ password: String) async throws {
    let hash = try await writing { [now] database in
      try Self.countTry(id, at: now().milliseconds, in: database)
    }
    guard try await slowly({ try ManagementPassword.verify(password, against: hash) }) else {
      throw AnnouncementError.wrongPassword
    }
    try await writing {
      try $0.execute(
        sql: """
          UPDATE announcement SET wrong_passwords = 0, locked_until = NULL WHERE id = ?
          """, arguments: [id])
    }
  }

  private static func countTry(_ id: String, at now: Int64, in database: Database) throws -> String
  {
    guard
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT password_hash, wrong_passwords, locked_until FROM announcement WHERE id = ?
          """, arguments: [id])
    else { throw AnnouncementError.notFound(id: id) }
    if let until = row["locked_until"] as Int64?, until > now {
      throw AnnouncementError.throttled(until: Date(milliseconds: until))
    }
    let tries = (row["wrong_passwords"] as Int) + 1
    // 30 s after the fifth, doubling from there.
    let wait = tries < freeTries ? 0 : min(longestWait, 30_000 << Int64(min(tries - freeTries, 10)))
    try database.execute(
      sql: "UPDATE announcement SET wrong_passwords = ?, locked_until = ? WHERE id = ?",
      arguments: [tries, wait == 0 ? nil : now + wait, id])
    return row["password_hash"]
  }

  // MARK: - The way to the database

  private func reading<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await translating { try await database.catalog.queue.read(body) }
  }

  private func writing<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await translating { try await database.catalog.queue.write(body) }
  }

  private func translating<Value>(
    _ body: () async throws -> sending Value
  ) async throws -> sending Value {
    do {
      return try await body()
    } catch let error as DatabaseError {
      if [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) { throw AnnouncementError.busy }
      throw AnnouncementError.unavailable(String(describing: error))
    }
  }

  private func slowly<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      hashing.async { continuation.resume(with: Result(catching: body)) }
    }
  }
}

extension SQLiteAnnouncementRepository {
  /// Writes the report, or finds the announcement of its key; with it, whether `hash` is now the one
  /// that counts.
  private static func insertOrFind(
    _ report: NewAnnouncement, _ key: UUID, _ hash: String, at now: Int64, in database: Database
  ) throws -> (id: String, isSecret: Bool) {
    if let known = try Row.fetchOne(
      database, sql: "SELECT id, photo_id FROM announcement WHERE idempotency_key = ?",
      arguments: [key.uuidString])
    {
      let isSecret = (known["photo_id"] as String?) == nil
      if isSecret {
        try database.execute(
          sql: "UPDATE announcement SET password_hash = ? WHERE id = ?",
          arguments: [hash, known["id"] as String])
      }
      return (known["id"], isSecret)
    }
    let id = UUID().uuidString.lowercased()
    try database.execute(
      sql: """
        INSERT INTO announcement (
          id, idempotency_key, pet_name, species, breed, sex, age, status, latitude, longitude, cell,
          description, contact_name, contact_phone, email, reward, microchip_number,
          disappeared_on, created_at, updated_at, password_hash
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        id, key.uuidString, report.petName, report.species, report.breed, report.sex.rawValue,
        report.age, AnnouncementStatus.lost.rawValue, report.location?.latitude,
        report.location?.longitude, report.location.map { GeoCell.code(of: $0) },
        report.description, report.ownerName, report.ownerPhone,
        report.email, report.reward, report.microchipNumber,
        report.dateOfDisappearance.description, now, now, hash,
      ])
    return (id, true)
  }
}
