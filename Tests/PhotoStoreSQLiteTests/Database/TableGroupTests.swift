import Announcements
import GRDB
import Logging
import PhotoAttachments
import PhotoStoreSQLite
import ReportFlow
import StoreConformance
import TestPictures
import TestReports
import TestStores
import Testing

import struct Foundation.UUID

/// Tests of catalogs that are opened with some of their tables.
@Suite final class TableGroupTests {
  private let cache = TemporaryCache()

  private func tables() async throws -> Set<String> {
    try await DatabaseQueue(path: cache.folder.catalog).read {
      Set(try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"))
    }
  }

  private func execute(_ sql: String) async throws {
    try await DatabaseQueue(path: cache.folder.catalog).write { try $0.execute(sql: sql) }
  }

  @Test("A host's catalog has no table of reports, gains them from a server, and stays the host's")
  func gaining() async throws {
    let host = try cache.open()
    let photo = try await host.save(draft: "a") { .sample(1) }
    #expect(try await tables().isDisjoint(with: Table.ofReports.map(\.name)))

    let server = try cache.open(tables: [.reports])
    #expect(try await tables().isSuperset(of: Table.ofReports.map(\.name)))
    let announcements = AnnouncementStore(server, logger: Logger(label: "tests"))
    let id = try await announcements.create(
      report(), idempotencyKey: UUID(), managementPassword: "p"
    ).announcement.id
    let shown = AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.uti)
    _ = try await announcements.attachPhoto(shown, to: id, managementPassword: "p", client: nil)

    // The host keeps the announcement's photo, whether it was opened before the tables were created or after.
    #expect(try await cache.open().load(draft: "a")?.id == photo.id)
    try await host.remove(draft: "a")
    #expect(cache.files.contains(photo.blob.path))
    let again = try cache.open()
    try await again.save(draft: "b") { .sample(1) }
    try await again.remove(draft: "b")
    #expect(try await announcements.announcement(id: id).details.photoID == photo.id)
    #expect(try await again.verify(all: true).isClean)

    try await announcements.erase(id: id, managementPassword: "p", client: nil)
    #expect(!cache.files.contains(photo.blob.path))
  }

  @Test("A catalog that records one version for all tables opens with any of them")
  func oneVersion() async throws {
    let photo = try await cache.open(tables: [.reports]).save(draft: "a") { .sample(1) }
    let version = "845b6895264ad9ec7d69827895b4303db0b2e96dae7391375c02de52e043434c"
    try await execute(
      """
      ALTER TABLE announcement DROP COLUMN closed_reason; DROP TABLE word_update;
      DROP TABLE library_copy; DROP INDEX library_photo_by_folder;
      ALTER TABLE library_photo DROP COLUMN taken_from;
      CREATE INDEX library_photo_by_folder ON library_photo (folder, words, taken)
      """)
    try await execute("UPDATE store SET schema = '\(version)'")
    for tables in [[], [.reports]] as [[TableGroup]] {
      #expect(try await cache.open(tables: tables).load(draft: "a")?.id == photo.id)
      let recorded = try await DatabaseQueue(path: cache.folder.catalog).read {
        try String.fetchOne($0, sql: "SELECT schema FROM store")
      }
      // All tables have changed since. The old version counts for groups that weren't opened yet.
      #expect(recorded?.hasPrefix(version + " photos:") == true)
      #expect(recorded?.contains(" reports:") == !tables.isEmpty)
    }
  }

  @Test("A catalog without other forms of words gains them, and finds by its own words meanwhile")
  func wordForms() async throws {
    let photos = try cache.open(tables: [.reports])
    let announcements = AnnouncementStore(photos, logger: Logger(label: "tests"))
    let photo = try await photos.save(draft: "a") { .sample(1) }
    let id = try await announcements.create(
      report("Ruda"), idempotencyKey: UUID(), managementPassword: "p"
    ).announcement.id
    let shown = AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.uti)
    _ = try await announcements.attachPhoto(shown, to: id, managementPassword: "p", client: nil)
    try await execute(
      """
      DELETE FROM announcement_word; UPDATE announcement SET search = ' ruda dog';
      INSERT INTO announcement_word SELECT 'ruda', number FROM announcement;
      UPDATE store SET schema = \
        'reports:1fb824807a4458741ef1a8dd6cda41ca7425b07a9113ce8ef9792f48805ca3fb ' ||
        substr(schema, 1, instr(schema, ' ') - 1);
      ALTER TABLE announcement DROP COLUMN closed_reason; DROP TABLE word_update
      """)
    let upgraded = AnnouncementStore(
      try cache.open(tables: [.reports]), logger: Logger(label: "tests"))
    func finds(_ text: String) async throws -> Bool {
      try await !upgraded.announcements(
        matching: .init(filter: AnnouncementFilter(text: text, speciesID: nil))
      ).isEmpty
    }
    #expect(try await finds("ruda"))
    #expect(try await !finds("piesek"))
    try await upgraded.updateWords()
    #expect(try await finds("ruda piesek"))
  }

  @Test("Tables of another version are refused only to those who use them")
  func otherVersion() async throws {
    _ = try cache.open(tables: [.reports])
    try await execute("UPDATE store SET schema = replace(schema, 'reports:', 'reports:0')")
    #expect(throws: StoreError.database(.otherVersion, detail: "")) {
      try cache.open(tables: [.reports])
    }
    _ = try cache.open()
  }

  @Test("A table of the same name that isn't ours is left as it is")
  func foreign() async throws {
    _ = try cache.open()
    try await execute("CREATE TABLE announcement (ours TEXT)")
    #expect(throws: StoreError.self) { try cache.open(tables: [.reports]) }
    let tables = try await tables()
    #expect(tables.contains("announcement") && !tables.contains("report_draft"))
    _ = try cache.open()
  }
}
