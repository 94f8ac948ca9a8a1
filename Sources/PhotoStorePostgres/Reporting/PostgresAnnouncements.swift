package import Announcements
package import Foundation
package import Logging
import PhotoAttachments
package import ReportFlow
import Records

/// Announcements in a database that many servers share.
package final class PostgresAnnouncements: AnnouncementStorage {
  private let reports: PostgresReports
  private let logger: Logger
  /// Where acts wait for the server, never on Swift's own threads.
  private let acts = ActQueue("petspot.announcements", width: PostgresPool.actsAtOnce)

  /// The announcements among `reports`.
  package init(_ reports: PostgresReports, logger: Logger) {
    (self.reports, self.logger) = (reports, logger)
  }

  package func announcements(
    matching query: AnnouncementListQuery
  ) async throws -> [Announcement] {
    try await reading { [logger] in
      try PostgresListing(t: $0, logger: logger).announcements(matching: query)
    }
  }

  package func announcement(id: String) async throws -> Announcement? {
    guard id.isWhole else { return nil }
    return try await reading { [logger] in
      try $0.rows(
        "SELECT \(PostgresListing.columns) FROM announcement WHERE id = $1", [.text(id)]
      ).first.flatMap { PostgresListing.announcement($0, logger) }
    }
  }

  package func isErased(id: String) async throws -> Bool {
    try await reading {
      try !$0.ask(Erasures.among([ErasureMark.announcement(id)], $0.dialect)).isEmpty
    }
  }

  package func ids(beginning text: String, limit: Int) async throws -> [String] {
    // Letter by letter, whatever order the database is set to. No id has a letter behind `~`.
    try await reading {
      try $0.rows(
        """
        SELECT id FROM announcement
        WHERE id COLLATE "C" >= $1 AND id COLLATE "C" < $2 ORDER BY id COLLATE "C" LIMIT $3
        """, [.text(text), .text(text + "~"), FieldValue(limit)]
      ).compactMap { $0.text(0) }
    }
  }

  package func shows(photo id: UUID) async throws -> Bool {
    try await reading {
      try $0.rows(
        """
        SELECT EXISTS (SELECT 1 FROM announcement WHERE photo_id = $1 AND closed_at IS NULL)
        """, [.text(id.uuidString)])[0].isTrue(0)
    }
  }

  package func secret() async throws -> Data {
    try await reading {
      guard let secret = try $0.rows("SELECT secret FROM store").first?.data(0) else {
        throw StoreError.database(what: "damaged", detail: "no secret")
      }
      return secret
    }
  }

  package func find(_ request: CreateRequest) async throws -> KeptAnnouncement? {
    try await reading { try Self.find(request, $0) }?.get()
  }

  package func findOrMake(
    _ request: CreateRequest, hash: String, at now: Date
  ) async throws -> KeptAnnouncement {
    try await writing { try Self.findOrMake(request, hash, at: now.milliseconds, $0) }
  }

  package func attach(
    _ photo: AnnouncementPhoto, to id: String, hash: String, at now: Date
  ) async throws {
    let catalog = reports.catalog
    let gone = try await writing { t -> Result<[BlobPath], AnnouncementError> in
      switch try Self.attach(photo, to: id, hash, at: now, catalog, t) {
      case .failure(let error): return .failure(error)
      case .success(let replaced):
        guard let replaced else { return .success([]) }
        return .success(try PhotoRows.deleteUnreferenced(replaced.uuidString, t))
      }
    }
    await reports.photos.release(gone)
  }

  package func change(
    id: String, hash: String, client: String?, at now: Date,
    _ edit: @escaping @Sendable (inout NewAnnouncement) -> AnnouncementError?
  ) async throws {
    try await writing { try Self.change(id, hash, client, at: now.milliseconds, $0, edit) }
  }

  package func close(id: String, hash: String, at now: Date) async throws {
    _ = try await writing {
      .success(
        try $0.run(
          """
          UPDATE announcement SET closed_at = coalesce(closed_at, $1), updated_at = $1,
            owner_closed_at = CASE WHEN hidden_reason IS NOT NULL THEN $1 END
          WHERE id = $2 AND password_hash = $3
            AND (closed_at IS NULL OR hidden_reason IS NOT NULL AND owner_closed_at IS NULL)
          """, [.int(now.milliseconds), .text(id), .text(hash)]))
    }
  }

  package func hide(id: String, reason: String?, at now: Date) async throws {
    try await writing { try Self.hide(id, reason, at: now.milliseconds, $0) }
  }

  package func erase(id: String, hash: String?) async throws {
    let catalog = reports.catalog
    let gone = try await writing { t -> Result<[BlobPath], AnnouncementError> in
      .success(
        try Self.erase(
          "id = $1 AND password_hash = coalesce($2, password_hash)", [.text(id), FieldValue(hash)],
          catalog, t))
    }
    await reports.photos.release(gone)
  }

  package func withdraw(key: UUID) async throws -> Announcement? {
    let key = FieldValue.text(key.uuidString)
    return try await writing { [logger] t in
      try t.run(
        "DELETE FROM announcement WHERE idempotency_key = $1 AND photo_id IS NULL", [key])
      return .success(
        try t.rows(
          "SELECT \(PostgresListing.columns) FROM announcement WHERE idempotency_key = $1", [key]
        ).first.flatMap { PostgresListing.announcement($0, logger) })
    }
  }

  // MARK: - The way to the database

  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    let database = reports.database
    return try await acts.act { () throws(StoreError) in try database.read(body) }
  }

  /// What is no failure of the database comes out of the transaction as a value.
  func writing<Value: Sendable>(
    _ body:
      @escaping @Sendable (Transaction) throws -> Result<Value, AnnouncementError>
  ) async throws -> Value {
    let database = reports.database
    return try await acts.act { () throws(StoreError) in try database.write(body) }.get()
  }
}
