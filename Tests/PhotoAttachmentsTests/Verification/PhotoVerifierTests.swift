import Foundation
import GRDB
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

@Suite struct PhotoVerifierTests {
  let cache = TemporaryCache()

  private func file(_ path: String) -> URL { URL(fileURLWithPath: cache.folder.path + "/" + path) }

  private func replace(_ path: String, with bytes: Data?) throws {
    try FileManager.default.removeItem(at: file(path))
    try bytes?.write(to: file(path))
  }

  @Test(
    "Bit rot, truncation, swaps and deletion are found, named and quarantined; unreadable pictures stay",
    arguments: [
      ("flipped", StoreProblem.digest), ("shorter", .size), ("swapped", .swapped),
      ("gone", .missing), ("folder", .unreadable),
    ])
  func damage(_ how: String, _ problem: StoreProblem) async throws {
    let opened = try cache.open()
    let bad = try await opened.save(draft: "a") { .sample(1) }
    let good = try await opened.save(draft: "b") { .sample(2) }
    #expect(try await opened.verify() == VerifyReport(checked: 2))
    for picture in [bad.blob, bad.preview] {
      let sound = try Data(contentsOf: file(picture.path))
      var bytes = sound
      switch how {
      case "flipped": bytes[bytes.count / 2] ^= 4
      case "shorter": bytes.removeLast()
      case "swapped": bytes = try Data(contentsOf: good.cachedURL)
      default: break
      }
      try replace(picture.path, with: how == "gone" || how == "folder" ? nil : bytes)
      if how == "folder" {
        try FileManager.default.createDirectory(
          at: file(picture.path), withIntermediateDirectories: false)
      }
      let damaged = cache.files
      var expected = VerifyReport(checked: 2)
      if how == "gone" { expected.missing = 1 } else { expected.damaged = 1 }
      let rehearsed = try await opened.verifyTelling(all: true) { $0.dryRun = true }
      #expect(rehearsed.report == expected)
      #expect(cache.files == damaged)
      #expect(
        rehearsed.findings == [
          .init(photo: bad.id.uuidString, path: picture.path, problem: problem)
        ])

      let told = try await opened.verifyTelling()
      let stays = how == "gone" || how == "folder"
      expected.quarantined = stays ? 0 : 1
      #expect(told.report == expected)
      #expect(told.findings.map(\.problem) == [problem])
      if stays {
        #expect(cache.files == damaged)
        let error = how == "gone" ? StoreError.missingPhoto : .fault(.blobNotAFile)
        await #expect(throws: error) { try await opened.bytes(of: picture) }
      } else {
        let moved = try #require(told.findings.first?.quarantined)
        #expect(try Data(contentsOf: file(moved)) == bytes)
        let later = try await opened.verifyTelling(all: true)
        #expect(later.report.missing == 1)
        #expect(later.findings.first?.problem == .missing)
        #expect(later.findings.first?.quarantined == moved)
      }
      if how == "folder" { try FileManager.default.removeItem(at: file(picture.path)) }
      try sound.write(to: file(picture.path))
      #expect(try await opened.verify(all: true).isClean)
    }
  }

  @Test func photosThatShareADamagedBlobAreAllTold() async throws {
    let opened = try cache.open()
    let first = try await opened.save(draft: "a") { .sample(1) }
    let second = try await opened.save(draft: "b") { .sample(1) }
    try replace(first.blob.path, with: Data("no picture".utf8))
    let told = try await opened.verifyTelling()
    #expect(told.findings.map(\.photo) == [first.id.uuidString, second.id.uuidString])
    #expect(told.findings.map(\.problem) == [.size, .size])
    #expect(Set(told.findings.map(\.quarantined)).count == 1)
    #expect(told.report.quarantined == 1)
  }

  @Test(
    "Every altered field of a record is detected",
    arguments: [
      "blobSizeBytes = blobSizeBytes + 1", "blobWidth = 2", "blobFormat = 'gif'",
      "blobFormat = 'no'", "blobSHA256 = previewSHA256", "blobSHA256 = '../../x'",
      "previewHeight = 7", "previewFormat = 'jpeg'", "fileName = 'other'", "uti = 'public.png'",
      "savedAtMilliseconds = 1", "sourceSHA256 = 'x'", "normalizationReasons = '['",
      "normalizationMethod = 'magic'", "seal = NULL", "id = 'x'",
    ])
  func alteredRecord(_ change: String) async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    try await opened.save(draft: "b") { .sample(2) }
    try await opened.sqlite.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(
        sql: "UPDATE photo SET \(change) WHERE id = ?", arguments: [saved.id.uuidString])
    }
    let told = try await opened.verifyTelling(all: true)
    let id = change == "id = 'x'" ? "x" : saved.id.uuidString
    #expect(told.findings.first?.problem == .record)
    #expect(told.findings.first?.photo == id)
    #expect(told.report.damaged == (id == "x" ? 2 : 1))  // the draft has no photo either
    #expect(told.report.quarantined == 0)
    #expect(cache.files.count == 4)
  }

  @Test(
    "A photo with an altered record is never shown, and can be replaced", arguments: [true, false])
  func alteredPhotoIsReplaced(_ isReplaced: Bool) async throws {
    let opened = try cache.open()
    try await opened.save(draft: "a") { .sample(1) }
    try opened.sqlite.writeRaw { try $0.execute(sql: "UPDATE photo SET blobFormat = 'no'") }
    await #expect(throws: StoreError.self) { try await opened.canContinue(draft: "a") }
    if isReplaced {
      let saved = try await opened.save(draft: "a") { .sample(2) }
      #expect(try await opened.load(draft: "a") == saved.photo)
    } else {
      try await opened.remove(draft: "a")
      #expect(try await opened.status(draft: "a") == .empty)
    }
    #expect(try await opened.verify(all: true).isClean)
  }

  @Test func filesWithoutARecord() async throws {
    let opened = try cache.open()
    let orphan = try opened.blobs.put(.png(1), kind: .blob)
    let broken = try opened.blobs.put(.png(2), kind: .preview)
    var bytes = try Data(contentsOf: file(broken.path))
    bytes[40] ^= 1
    try replace(broken.path, with: bytes)
    try cache.write("mine", to: "blobs/README")
    var expected = VerifyReport(damaged: 1, quarantined: 1)
    let told = try await opened.verifyTelling(all: true)
    #expect(told.report == expected)
    #expect(told.findings.map(\.path) == [broken.path])
    #expect(told.findings.map(\.problem) == [.digest])
    try cache.age(orphan.path, seconds: 3600)
    expected = VerifyReport(orphans: 1, orphanBytes: orphan.sizeBytes)
    #expect(try await opened.verify(all: true) == expected)
    #expect(cache.files == ["blobs/README", orphan.path].sorted())
  }

  @Test func aPictureStoredAnewIsNotMovedAway() throws {
    let opened = try cache.open()
    let stored = try opened.blobs.put(.png(1), kind: .blob)
    let place = try #require(BlobPath(relativePath: stored.path))
    var looked = try #require(try opened.blobs.findBlob(at: place, quickly: false)).identity
    looked.inode += 1
    #expect(try opened.blobs.quarantine(place, looked, problem: .digest, holds: nil) == nil)
    #expect(opened.blobs.isIntact(place))
    #expect(try opened.blobs.list(.quarantine).isEmpty)
  }

  @Test func whatOthersDoMeanwhileIsNoFinding() async throws {
    let opened = try cache.open(busyTimeout: 30)
    let verifier = try cache.open(busyTimeout: 30)
    let reports = try await withThrowingTaskGroup(of: [VerifyReport].self) { group in
      for draft in 0..<3 {
        group.addTask {
          for round in 0..<15 {
            try await opened.save(draft: "\(draft)") { .sample(round % 4) }
            if round % 3 == 0 { try await opened.remove(draft: "\(draft)") }
          }
          return []
        }
      }
      group.addTask {
        var reports: [VerifyReport] = []
        for _ in 0..<15 {
          reports.append(try await verifier.verify(all: true))
          _ = try await verifier.sweep(now: Date(timeIntervalSinceNow: 60), grace: .seconds(30))
        }
        return reports
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(reports.count == 15)
    #expect(reports.allSatisfy { $0.isClean && $0.quarantined == 0 })
    #expect(try await verifier.verify(all: true).isClean)
  }

  @Test func picturesThatDoNotDecodeAreFoundByTheirData() async throws {
    let opened = try cache.open()
    var photo = PreparedPhoto.sample(1)
    photo.blob = .pngWithoutPixels
    let prepared = photo
    let saved = try await opened.save(draft: "a") { prepared }
    let told = try await opened.verifyTelling(all: true) { $0.dryRun = true }
    #expect(
      told.findings
        == [.init(photo: saved.id.uuidString, path: saved.blob.path, problem: .metadata)])
  }
}
