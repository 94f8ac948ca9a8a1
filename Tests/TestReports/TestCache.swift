package import Announcements
package import Foundation
package import GRDB
package import Logging
package import PhotoAttachments
import PhotoIngestion
package import PhotoStoreSQLite
package import ReportFlow
package import ReportFlowViewModels
import TestStores
import Testing

/// The catalog of a cache folder, for tests that look into its tables of reports.
package struct ReportDatabase: Sendable {
  let photos: PhotoAttachmentCache

  package init(_ photos: PhotoAttachmentCache) { self.photos = photos }

  package var catalog: SQLiteDatabase {
    get throws { try #require(photos.catalog.store as? SQLiteDatabase) }
  }

  package func read<T>(_ work: (Database) throws -> T) throws -> T {
    try catalog.readRaw(work)
  }

  package func write<T>(_ work: (Database) throws -> T) throws -> T {
    try catalog.writeRaw(work)
  }
}

/// A real cache folder of its own, deleted with this value.
package final class TestCache: Sendable {
  package let url: URL
  package let photos: PhotoAttachmentCache
  package let database: ReportDatabase
  package let log = LogRecorder()

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)")
    photos = try PhotoAttachmentCache.opened(CacheFolder(path: url.path), tables: [.reports])
    database = ReportDatabase(photos)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package var logger: Logger { Logger(label: "test") { [log] _ in log.handler } }
  package var drafts: RecordedDrafts { RecordedDrafts(photos) }
  package var store: DraftStore { DraftStore(photos, logger: logger) }

  package func repository(
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> AnnouncementStore {
    AnnouncementStore(
      photos, logger: logger, now: now)
  }

  @MainActor package func flow(_ draft: String = "default") throws -> ReportMissingPetFlowState {
    try ReportMissingPetFlowState(draft: draft, store: store, photos: photos, logger: logger)
  }

  /// Opens the photos again, as another process does.
  package func openAgain() throws -> PhotoAttachmentCache {
    try .opened(CacheFolder(path: url.path), tables: [.reports])
  }

  /// Returns the state that a new process would load.
  @MainActor package func reopened(_ draft: String = "default") throws -> ReportMissingPetFlowState
  {
    let photos = try openAgain()
    let store = DraftStore(photos, logger: logger)
    return try ReportMissingPetFlowState(
      draft: draft, store: store, photos: photos, logger: logger)
  }

  package func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try database.write { try $0.execute(sql: sql, arguments: arguments) }
  }
}

extension TestCache {
  /// Lets every write of reports fail, or succeed again.
  package func hinderReports(_ isHindered: Bool) throws {
    for table in ["announcement", "wrong_password", "report_draft"] {
      for event in ["INSERT", "UPDATE", "DELETE"] {
        let name = "hinder_\(table)_\(event)"
        try execute(
          isHindered
            ? "CREATE TRIGGER \(name) BEFORE \(event) ON \(table) BEGIN "
              + "SELECT RAISE(ABORT, 'hindered'); END" : "DROP TRIGGER \(name)")
      }
    }
  }

  /// Stores a draft in the format of the first version, with the columns that later versions derive from it.
  package func putOldDraft(_ content: String, as id: String) throws {
    let marks = DraftMarks(of: content)
    try execute(
      """
      INSERT OR REPLACE INTO report_draft
        (id, content, updated_at, submission_key, announcement_id, is_submitted)
      VALUES (?, ?, 0, ?, ?, ?)
      """, [id, content, marks.submissionKey, marks.announcementID, marks.isSubmitted])
  }

  /// Returns the number of announcements, listed or not.
  package func announcementCount() throws -> Int {
    try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM announcement") ?? 0 }
  }

  /// Returns a stored photo for announcements to show; it is the same one for each call.
  package func albumPhoto() async throws -> AnnouncementPhoto {
    if try await photos.load(draft: "album") == nil {
      let source = testImage("one-pixel.gif")
      try await photos.save(draft: "album") {
        try PhotoPipeline(decoding: .inProcess).prepare(source)
      }
    }
    let photo = try #require(try await photos.load(draft: "album"))
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.uti)
  }

  /// Creates an announcement with its photo, so that it is listed.
  @discardableResult
  package func publish(
    _ report: NewAnnouncement, in repository: any AnnouncementRepositoryProtocol,
    password: String = "K7QM-2XWD-9RTA"
  ) async throws -> Announcement {
    let made = try await repository.create(
      report, idempotencyKey: UUID(), managementPassword: password)
    return try await repository.attachPhoto(
      try await albumPhoto(), to: made.announcement.id, managementPassword: password, client: nil)
  }
}

/// Stores announcements directly, without the cost of hashing their passwords.
package func insertAnnouncements(
  _ places: [Coordinate], into cache: TestCache
) async throws {
  let photo = try await cache.albumPhoto()
  try cache.database.write { database in
    let row = try database.makeStatement(
      sql: """
        INSERT INTO announcement (id, idempotency_key, short_code, fingerprint, species, status,
          latitude, longitude, cell, contact_name, contact_phone, created_at, updated_at,
          password_hash, photo_id)
        VALUES (?1, ?1, ?1, '', 'dog', 'Lost', ?2, ?3, ?4, 'Ola', '1234567', ?5, ?5, '', ?6)
        """)
    for (index, point) in places.enumerated() {
      try row.execute(
        arguments: [
          UUID().uuidString, point.latitude, point.longitude, GeoCell.code(of: point), index,
          photo.id.uuidString,
        ])
    }
  }
}
