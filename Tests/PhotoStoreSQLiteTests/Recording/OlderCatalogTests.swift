import Foundation
import GRDB
import ReportFlow
import SystemPackage
import Testing
import TestPictures

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

/// A catalog as the version before forms and locks left it, word for word.
@Suite struct OlderCatalogTests {
  let cache = TemporaryCache()

  /// The folder as that version left it: two photos that are stored as they came, one of them attached
  /// and one in the library; previews and everything unfinished are gone.
  private func makeOlder() throws {
    try cache.folder.make()
    var unordered = Configuration()
    unordered.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: cache.folder.catalog, configuration: unordered)
    try queue.write { try $0.execute(sql: Self.dump) }
    try queue.close()
    for name in ["color-key.png", "animated.gif"] {
      let file = TestImage.folder.appending(path: name)
      let digest = sha256(of: Array(try Data(contentsOf: file)))
      let folder = cache.folder.path + "/blobs/" + digest.prefix(2)
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: file.path, toPath: folder + "/" + digest.dropFirst(2) + "." + file.pathExtension)
    }
  }

  @Test("Records that had no seals yet are sealed as they are")
  func itIsSealed() async throws {
    try makeOlder()
    let queue = try DatabaseQueue(path: cache.folder.catalog)
    try await queue.write { db in
      try db.execute(
        sql: """
          ALTER TABLE photo DROP COLUMN seal; ALTER TABLE libraryPhoto DROP COLUMN seal;
          DELETE FROM grdb_migrations WHERE identifier = 'photos.3-seals'
          """)
    }
    try queue.close()
    let opened = try cache.open()
    let seals = try opened.sqlite.read {
      try Int.fetchAll(
        $0,
        sql: "SELECT count(seal) = count(*) FROM photo UNION SELECT count(seal) FROM library_photo")
    }
    #expect(seals == [1])
    #expect(try await opened.load(draft: "default")?.fileName == "color-key.png")
  }

  @Test("It comes to what a new one is, and that is as it is listed")
  func itsTablesAreThoseOfANewOne() throws {
    try makeOlder()
    let queue = try DatabaseQueue(path: cache.folder.catalog)
    try queue.write { try $0.execute(sql: Self.reports) }
    try queue.close()
    let new = TemporaryCache()
    let (older, made) = (try described(cache.open()), try described(new.open()))
    #expect(older == made, "\(older.symmetricDifference(made))")
    for table in Table.ofPhotos + Table.ofReports {
      let columns = made.filter { $0.hasPrefix(table.name + ".") }.map {
        $0.dropFirst(table.name.count + 1).prefix { $0 != " " }
      }
      #expect(Set(table.names()) == Set(columns.map(String.init)).subtracting(["text_bytes"]))
    }
  }

  private func described(_ opened: PhotoAttachmentCache) throws -> Set<String> {
    _ = try opened.sqlite.hasReports(making: true)
    let lines = try opened.sqlite.read {
      try String.fetchAll(
        $0,
        sql: """
          SELECT made.name || '.' || held.name || ' ' || held.type
            FROM sqlite_master AS made, pragma_table_xinfo(made.name) AS held
            WHERE made.type = 'table'
          UNION ALL SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql <> ''
          UNION ALL SELECT identifier FROM grdb_migrations
          """)
    }
    return Set(lines.map { $0.replacing("\"", with: "").replacing(#/\s+/#, with: " ") })
  }

  @Test func itOpensAndProvesAndIsMended() async throws {
    try makeOlder()
    let opened = try cache.open()
    let photo = try #require(try await opened.load(draft: "default"))
    #expect(photo.fileName == "color-key.png" && photo.form == nil)
    #expect(try await opened.canContinue(draft: "default"))
    let told = try await opened.verifyTelling(all: true)
    // One of its blobs, too, holds more than that version could see.
    #expect(told.findings.map(\.problem).filter { $0 == .metadata }.count == 1)
    let missing = told.findings.filter { $0.problem == .missing }
    #expect(missing.count == 2)
    #expect(missing.allSatisfy { $0.path?.hasPrefix("previews/") == true })
    let images = FilePath(TestImage.folder.path)
    let mended = try await opened.verify(all: true) { ($0.repairs, $0.sources) = (true, [images]) }
    #expect(mended.repaired == 2 && mended.isClean)
    #expect(try await opened.verify(all: true) == VerifyReport(checked: 2))
    let new = try await opened.save(draft: "default") { .sample(1) }
    #expect(try await opened.load(draft: "default") == new.photo)
  }

  @Test func itsUnfinishedWorkIsSweptWhenItsProcessIsGone() async throws {
    try makeOlder()
    let other = try OtherProcess()
    let queue = try DatabaseQueue(path: cache.folder.catalog)
    try await queue.write { [identity = other.identity] db in
      try db.execute(
        sql: """
          UPDATE attachment SET state = 'loading', ticket = 1, ownerPid = ?, ownerStartTicks = ?,
            ownerBoot = ?
          """,
        arguments: [identity.pid, Int64(identity.startTicks), identity.bootID])
    }
    try queue.close()
    try cache.write("half a pic", to: "incoming/\(other.identity.signature)-1f")
    let opened = try cache.open()
    #expect(try await opened.sweep().removedBlobs == 0)
    #expect(try await opened.status(draft: "default") == .loading)
    other.end()
    #expect(try await opened.sweep().removedBlobs == 1)
    #expect(try await opened.snapshot(draft: "default").failure == "interrupted")
    #expect(try await opened.canContinue(draft: "default"))
  }

  private static let dump = #"""
    CREATE TABLE attachment (
      draft TEXT PRIMARY KEY,
      state TEXT NOT NULL CHECK (state IN ('empty', 'loading', 'confirmed')),
      ticket INTEGER,
      photo TEXT REFERENCES photo (id),
      ownerPid INTEGER,
      ownerStartTicks INTEGER,
      ownerBoot TEXT,
      failure TEXT,
      failedAtMilliseconds INTEGER,
      updatedAtMilliseconds INTEGER NOT NULL,
      CHECK (state <> 'empty' OR photo IS NULL),
      CHECK (state <> 'confirmed' OR photo IS NOT NULL),
      CHECK ((state = 'loading') = (ticket IS NOT NULL)),
      CHECK ((state = 'loading') =
        (ownerPid IS NOT NULL AND ownerStartTicks IS NOT NULL AND ownerBoot IS NOT NULL))
    ) STRICT;
    INSERT INTO "attachment" VALUES('default','confirmed',NULL,'8D44D0AB-2008-4EF0-A313-2B8767D34E2A',NULL,NULL,NULL,NULL,NULL,1795313409045);
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO "grdb_migrations" VALUES('photos.1-attachments');
    INSERT INTO "grdb_migrations" VALUES('photos.2-library');
    INSERT INTO "grdb_migrations" VALUES('photos.3-seals');
    CREATE TABLE libraryPhoto (
      photo TEXT PRIMARY KEY REFERENCES photo (id),
      perceptualHash INTEGER NOT NULL
    , seal TEXT) STRICT, WITHOUT ROWID;
    INSERT INTO "libraryPhoto" VALUES('428E7CCD-F4C2-458D-A090-BFDB61C3D5C8',275951648768,'98d796722392fd154d3a9c7bc673c55dd5543bc638e218250f468b544d0d4655');
    CREATE TABLE photo (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      fileName TEXT NOT NULL,
      fileSizeBytes INTEGER NOT NULL CHECK (fileSizeBytes > 0),
      uti TEXT NOT NULL,
      pixelWidth INTEGER NOT NULL CHECK (pixelWidth > 0),
      pixelHeight INTEGER NOT NULL CHECK (pixelHeight > 0),
      assetIdentifier TEXT,
      savedAtMilliseconds INTEGER NOT NULL,
      sourceSHA256 TEXT NOT NULL,
      sourceOrientation INTEGER NOT NULL,
      sourceFrameCount INTEGER NOT NULL,
      sourceHasAlpha INTEGER NOT NULL,
      sourceColorProfile TEXT,
      sourceCapturedAt TEXT,
      sourceHasLocation INTEGER NOT NULL,
      blobSHA256 TEXT NOT NULL,
      blobFormat TEXT NOT NULL,
      blobSizeBytes INTEGER NOT NULL CHECK (blobSizeBytes > 0),
      blobWidth INTEGER NOT NULL,
      blobHeight INTEGER NOT NULL,
      blobFrameCount INTEGER NOT NULL,
      previewSHA256 TEXT NOT NULL,
      previewFormat TEXT NOT NULL,
      previewSizeBytes INTEGER NOT NULL CHECK (previewSizeBytes > 0),
      previewWidth INTEGER NOT NULL,
      previewHeight INTEGER NOT NULL,
      previewFrameCount INTEGER NOT NULL,
      normalizationMethod TEXT NOT NULL,
      normalizationReasons TEXT NOT NULL,
      normalizationLosses TEXT NOT NULL,
      normalizationRepairs TEXT NOT NULL,
      normalizationRemoved TEXT NOT NULL
    , seal TEXT) STRICT;
    INSERT INTO "photo" VALUES(1,'8D44D0AB-2008-4EF0-A313-2B8767D34E2A','color-key.png',170,'public.png',64,48,NULL,1795313409043,'fe0255df9eb53ac77891b654e868a2c9aed93cc9db7f81719f2b4efeb8ede8bd',1,1,1,NULL,NULL,0,'fe0255df9eb53ac77891b654e868a2c9aed93cc9db7f81719f2b4efeb8ede8bd','png',170,64,48,1,'6bd546635e6f77ebcc0a08e176b29a896092f6f781a9668b30a60064f77d55c6','webp',302,64,48,1,'carried-over','[]','[]','[]','[]','1f42460da277e3aa7f274b6cf9e07ab719c443200e15cd4e79a0bc45631200d7');
    INSERT INTO "photo" VALUES(2,'428E7CCD-F4C2-458D-A090-BFDB61C3D5C8','animated.gif',670,'com.compuserve.gif',64,48,NULL,1795313409593,'33738f03fdd99afd4c76a57fe7df7798332f632e28f5f526803229f1deeb000c',1,6,0,NULL,NULL,0,'33738f03fdd99afd4c76a57fe7df7798332f632e28f5f526803229f1deeb000c','gif',670,64,48,6,'404f7cfdcb0b8e3da69bbea0a4cb90876bb774e816d0eeadcbd6af24a11ae110','jpeg',820,64,48,1,'carried-over','[]','[]','[]','[]','7140ffccf80a88acc1b234c4ebbe6a8512899b349b14a25073e7c76e7bd36cc1');
    CREATE TABLE photoCatalog (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      lastTicket INTEGER NOT NULL,
      foundPictures INTEGER NOT NULL
    ) STRICT;
    INSERT INTO "photoCatalog" VALUES(1,1,0);
    CREATE TABLE sourceFile (
      path BLOB PRIMARY KEY,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      sizeBytes INTEGER NOT NULL,
      mtimeNanoseconds INTEGER NOT NULL,
      sha256 TEXT,
      photo TEXT REFERENCES libraryPhoto (photo) ON DELETE CASCADE,
      tier TEXT CHECK (tier IN ('bytes', 'pixels')),
      refusal TEXT,
      CHECK ((photo IS NULL) <> (refusal IS NULL)),
      CHECK (tier IS NULL OR photo IS NOT NULL)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX photoBySource ON photo (sourceSHA256);
    CREATE INDEX photoByBlob ON photo (blobSHA256);
    CREATE INDEX photoByPreview ON photo (previewSHA256);
    CREATE INDEX attachmentByPhoto ON attachment (photo);
    CREATE INDEX sourceFileByInode ON sourceFile (device, inode);
    CREATE INDEX sourceFileByDigest ON sourceFile (sha256);
    CREATE INDEX sourceFileByPhoto ON sourceFile (photo);
    """#

  /// The tables of reports as the first version made them.
  private static let reports = """
    CREATE TABLE report_draft (
      id TEXT NOT NULL PRIMARY KEY,
      content TEXT NOT NULL,
      updated_at INTEGER NOT NULL  -- milliseconds since 1970, as every moment below
    ) STRICT;
    CREATE TABLE announcement (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      idempotency_key TEXT NOT NULL UNIQUE,
      pet_name TEXT, species TEXT NOT NULL, breed TEXT, sex TEXT, age INTEGER,
      status TEXT NOT NULL,
      photo_id TEXT REFERENCES photo (id), photo_sha256 TEXT,
      latitude REAL, longitude REAL, address TEXT,
      cell INTEGER,  -- of the place: the bits of longitude and latitude in turns
      description TEXT, contact_name TEXT NOT NULL, contact_phone TEXT NOT NULL,
      email TEXT, reward TEXT, microchip_number TEXT, disappeared_on TEXT,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, closed_at INTEGER,
      password_hash TEXT NOT NULL,
      wrong_passwords INTEGER NOT NULL DEFAULT 0, locked_until INTEGER
    ) STRICT;
    CREATE INDEX announcement_open_by_age ON announcement (created_at, number)
      WHERE closed_at IS NULL;
    CREATE INDEX announcement_open_by_cell
      ON announcement (cell, created_at, latitude, longitude, closed_at)
      WHERE closed_at IS NULL AND cell IS NOT NULL;
    CREATE INDEX announcement_open_without_place ON announcement (created_at, number)
      WHERE closed_at IS NULL AND cell IS NULL;
    CREATE INDEX announcement_photo ON announcement (photo_id) WHERE photo_id IS NOT NULL;
    -- A photo outlives its draft while an announcement shows it: the photos' own clean-up finds
    -- nothing to delete then, and leaves the picture alone.
    CREATE TRIGGER announcement_keeps_photo BEFORE DELETE ON photo
    WHEN EXISTS (SELECT 1 FROM announcement WHERE photo_id = OLD.id)
    BEGIN SELECT RAISE(IGNORE); END;
    INSERT INTO "grdb_migrations" VALUES('report.1-drafts-and-announcements');
    """
}
