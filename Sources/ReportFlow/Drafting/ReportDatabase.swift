public import Foundation
public import GRDB

/// The tables of reports and announcements, in the same SQLite file as the photos.
public struct ReportDatabase: Sendable {
  let writer: any DatabaseWriter

  /// Uses a connection that is open already, as the photos' one, and brings the tables up to date.
  /// Throws `DatabaseError`.
  public init(_ writer: any DatabaseWriter) throws {
    self.writer = writer
    try Self.migrator.migrate(writer)
  }

  /// Opens `file` by itself, made when it is not there: rollback journal, full synchronization,
  /// foreign keys, five seconds of patience with another process. Throws `DatabaseError`.
  public init(file: URL) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try self.init(DatabaseQueue(path: file.path, configuration: configuration))
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("report.1-drafts-and-announcements") { database in
      try database.execute(
        sql: """
          CREATE TABLE report_draft (
            id TEXT NOT NULL PRIMARY KEY,
            content TEXT NOT NULL,
            updated_at INTEGER NOT NULL  -- milliseconds since 1970
          );
          CREATE TABLE announcement (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            idempotency_key TEXT NOT NULL UNIQUE,
            pet_name TEXT, species TEXT NOT NULL, breed TEXT, sex TEXT, age INTEGER,
            status TEXT NOT NULL, photo_sha256 TEXT,
            latitude REAL, longitude REAL, address TEXT,
            description TEXT, contact_name TEXT NOT NULL, contact_phone TEXT NOT NULL,
            email TEXT, reward TEXT, microchip_number TEXT, disappeared_on TEXT,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, closed_at INTEGER,
            password_hash TEXT NOT NULL,
            wrong_passwords INTEGER NOT NULL DEFAULT 0, locked_until INTEGER
          );
          CREATE INDEX announcement_open_by_age ON announcement (created_at, number)
            WHERE closed_at IS NULL;
          CREATE INDEX announcement_open_without_place ON announcement (created_at, number)
            WHERE closed_at IS NULL AND latitude IS NULL;
          CREATE INDEX announcement_photo ON announcement (photo_sha256)
            WHERE photo_sha256 IS NOT NULL;
          -- Boxes are 32-bit and rounded outwards; the exact place rides along.
          CREATE VIRTUAL TABLE announcement_place USING rtree (
            number, south, north, west, east, +latitude, +longitude, +created_at
          );
          """)
    }
    return migrator
  }
}

extension Date {
  /// Milliseconds since 1970, rounded; the precision of every stored date.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
