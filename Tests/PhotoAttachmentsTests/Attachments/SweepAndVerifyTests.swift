import Foundation
import GRDB
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

@Suite struct SweepAndVerifyTests {
  let cache = TemporaryCache()
  let day: TimeInterval = 86_400

  /// Drafts expire with their photos (decision 12).
  @Test func untouchedDraftsExpireWithTheirPhotos() async throws {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    let opened = try cache.open(now: { start })
    let old = try await opened.save(draft: "old", of: .report) { .sample(1) }
    try await opened.save(draft: "shared", of: .report) { .sample(1) }
    try await opened.save(draft: "touched", of: .report) { .sample(2) }
    let later = try cache.open(now: { start.addingTimeInterval(6 * 86_400) })
    try await later.keepAlive(draft: "touched")
    try await later.keepAlive(draft: "shared")

    #expect(try await opened.sweep(now: start.addingTimeInterval(7 * day)) == SweepReport())
    let end = start.addingTimeInterval(7 * day + 1)
    // The files stay, because another draft shows the same picture.
    #expect(try await opened.sweep(dryRun: true, now: end) == .init(removedDrafts: 1))
    #expect(try await opened.load(draft: "old") == old.photo)
    #expect(try await opened.sweep(now: end) == .init(removedDrafts: 1))
    #expect(try await opened.status(draft: "old") == .empty)
    #expect(try await opened.photos().count == 2)
    #expect(cache.files.count == 4)

    let rehearsed = try await opened.sweep(dryRun: true, now: start.addingTimeInterval(30 * day))
    #expect(try await opened.photos().count == 2)
    #expect(try await opened.sweep(now: start.addingTimeInterval(30 * day)) == rehearsed)
    #expect(rehearsed.removedDrafts == 2)
    #expect(rehearsed.removedBlobs == 4)
    #expect(cache.files.isEmpty)
  }

  @Test func aDryRunTellsNobodyOfAChange() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a", of: .report) { .sample(1) }
    var statuses = opened.statuses(draft: "a").makeAsyncIterator()
    #expect(await statuses.next() == .confirmed(metadata: saved.photo))
    _ = try await opened.sweep(dryRun: true, now: Date(timeIntervalSinceNow: 8 * day))
    _ = try await opened.sweep(now: Date(timeIntervalSinceNow: 8 * day))
    #expect(await statuses.next() == .empty)
  }

  @Test func aClockSetBackExpiresNothing() async throws {
    let opened = try cache.open()
    try await opened.save(draft: "a", of: .report) { .sample(1) }
    #expect(try await opened.sweep(now: Date(timeIntervalSince1970: 0)) == SweepReport())
    #expect(cache.files.count == 2)
  }

  @Test(
    "A draft that was touched under a wrong clock expires as if the sweep had touched it",
    arguments: [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 4_102_444_800)])
  func aWrongClockExpiresNothing(_ wrong: Date) async throws {
    let saved = try await cache.open(now: { wrong }).save(draft: "a", of: .report) { .sample(1) }
    let opened = try cache.open()
    let now = Date()
    #expect(try await opened.sweep(now: now).removedDrafts == 0)
    #expect(try await opened.sweep(now: now.addingTimeInterval(6 * day)).removedDrafts == 0)
    #expect(try await opened.load(draft: "a") == saved.photo)
    #expect(try await opened.sweep(now: now.addingTimeInterval(8 * day)).removedDrafts == 1)
  }

  /// Photos of a host don't expire (decision 58).
  @Test func aHostsPhotoLivesUntilTheHostRemovesIt() async throws {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    let opened = try cache.open(now: { start })
    let kept = try await opened.save(draft: "pet-1") { .sample(1) }
    try await opened.save(draft: "pet-2") { .sample(2) }
    try await opened.save(draft: "visitor", of: .report) { .sample(3) }
    let year = start.addingTimeInterval(365 * day)
    #expect(try await opened.sweep(now: year).removedDrafts == 1)
    #expect(try await opened.load(draft: "pet-1") == kept.photo)
    // A PetSpot command that replaces the host's photo doesn't make the draft its own.
    try await opened.save(draft: "pet-1", of: .report) { .sample(4) }
    #expect(try await opened.sweep(now: year) == SweepReport())
    // A photo that the host removes is gone at once, and its row with the next sweep.
    try await opened.remove(draft: "pet-1")
    #expect(try await opened.sweep(now: year) == .init(removedDrafts: 1))
    let two = 2 * day
    #expect(
      try await opened.sweep(draftsOlderThan: .seconds(two), now: start.addingTimeInterval(two))
        == SweepReport())
    #expect(
      try await opened.sweep(draftsOlderThan: .seconds(two), now: start.addingTimeInterval(two + 1))
        .removedDrafts == 1)
    #expect(cache.files.isEmpty)
  }

  @Test func rubbishFromTheFutureIsRubbish() async throws {
    let opened = try cache.open()
    let stored = try opened.blobs.put(.png(1), kind: .blob)
    try cache.age(stored.path, seconds: -10 * 365 * day)
    #expect(try await opened.sweep().removedBlobs == 1)
  }

  @Test func foreignFilesAreLeftAlone() async throws {
    let opened = try cache.open()
    try await opened.save(draft: "a") { .sample(1) }
    try cache.write("mine", to: "blobs/README")
    try FileManager.default.createDirectory(
      atPath: cache.folder.path + "/blobs/zz", withIntermediateDirectories: true)
    try cache.write("mine", to: "blobs/zz/note.txt")
    _ = try await opened.sweep(now: Date(timeIntervalSinceNow: 3600))
    #expect(cache.files.count == 4)
  }

  @Test func aDamagedFileIsMendedByAttachingThePhotoAgain() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    var bytes = try Data(contentsOf: saved.cachedURL)
    bytes[bytes.count / 2] ^= 4
    try FileManager.default.removeItem(at: saved.cachedURL)
    try bytes.write(to: saved.cachedURL)
    try await opened.save(draft: "b") { .sample(1) }
    #expect(try await opened.verify(all: true) == VerifyReport(checked: 2))
  }

  /// An altered record no longer protects its own pictures.
  @Test func nothingIsSweptWhileARecordIsAltered() async throws {
    let opened = try cache.open()
    try await opened.save(draft: "a") { .sample(1) }
    let later = Date(timeIntervalSinceNow: 3600)
    try opened.sqlite.writeRaw { db in
      try db.execute(sql: "UPDATE photo SET blobSHA256 = previewSHA256")
    }
    await #expect(throws: StoreError.self) { try await opened.sweep(now: later) }
    await #expect(throws: StoreError.self) { try await opened.status(draft: "a") }
    try opened.sqlite.writeRaw { try $0.execute(sql: "DELETE FROM attachment") }
    #expect(try await opened.sweep(now: later).removedBlobs == 0)
    #expect(cache.files.count == 2)
  }

  @Test func nothingIsSweptAfterTheCatalogWasLost() async throws {
    let saved = try await cache.open().save(draft: "a") { .sample(1) }
    for contents in [nil, Data()] {
      let path = cache.folder.catalog
      try FileManager.default.removeItem(atPath: path)
      if let contents { try contents.write(to: URL(fileURLWithPath: path)) }
      let opened = try cache.open()
      #expect(try await opened.sweep(now: Date(timeIntervalSinceNow: 3600)) == SweepReport())
      #expect(cache.files == [saved.blob.path, saved.preview.path])
      let report = try await opened.verify(all: true)
      #expect(report.recordsLost)
      #expect(!report.isClean)
      #expect(report.orphans == 2)
    }
  }

  @Test func exportsAreNamedAfterTheOriginalAndNeverOverwrite() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    let target = TemporaryCache()
    try FileManager.default.createDirectory(
      atPath: target.folder.path, withIntermediateDirectories: true)
    let directory = URL(fileURLWithPath: target.folder.path)
    var names: [String] = []
    for _ in 0..<3 {
      names.append(try await opened.export(id: saved.id, to: directory).lastPathComponent)
    }
    #expect(names == ["rex.png", "rex-2.png", "rex-3.png"])
    for name in names {
      let bytes = try Data(contentsOf: directory.appendingPathComponent(name))
      #expect([UInt8](bytes) == EncodedPicture.png(1).bytes)
    }
    await #expect(throws: StoreError.missingPhoto) {
      try await opened.export(id: UUID(), to: directory)
    }
    let made = directory.appendingPathComponent("none")
    #expect(try await opened.export(id: saved.id, to: made).lastPathComponent == "rex.png")
    let error = await #expect(throws: StoreError.self) {
      try await opened.export(id: saved.id, to: directory.appendingPathComponent("rex.png"))
    }
    #expect(error?.systemErrno == ENOTDIR || error?.systemErrno == EEXIST)
    try FileManager.default.removeItem(at: saved.cachedURL)
    await #expect(throws: StoreError.missingPhoto) {
      try await opened.export(id: saved.id, to: directory)
    }
  }

  @Test(
    "Unsafe names become safe names",
    arguments: [
      ("rex.heic", "rex"), ("IMG 0001.JPG", "IMG 0001"), ("../../etc/passwd", "passwd"),
      ("", "photo"),
      ("..", "photo"), (".hidden.png", "hidden"), ("-rf.jpg", "rf"),
      ("a\u{0}b\u{1B}[2J.png", "a_b_[2J"),
      ("gpj.\u{202E}exe", "gpj"), ("a:b*c?.png", "a_b_c_"), ("żółw.tar.gz", "żółw.tar"),
      ("a. .png", "a"),
      (String(repeating: "ż", count: 200), String(repeating: "ż", count: 50)),
    ])
  func exportNames(_ name: String, _ stem: String) {
    #expect(ExportName.stem(of: name) == stem)
  }

  @Test(
    "The names of folders stay unchanged if they are safe, and don't lead outside",
    arguments: [
      ("Rex i Żółw", "Rex i Żółw"), ("2024.05", "2024.05"), ("..", ""), (".", ""),
      ("a\u{1B}[2J\n", "a_[2J_"), ("gpj.\u{202E}x", "gpj._x"),
    ])
  func exportFolders(_ name: String, _ cleaned: String) {
    #expect(ExportName.cleaned(name) == cleaned)
  }
}
