import Foundation
import GRDB
import Glibc
import ImageContainers
import Synchronization
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

extension SQLiteDatabase {
  /// Records an attempt in progress, of any owner.
  func leaveLoading(draft: String, ticket: Int64, owner: String) throws {
    try writeRaw { db in
      try db.execute(
        sql: """
          INSERT INTO attachment (draft, state, ticket, worker, updated_at, owner)
          VALUES (?, 'loading', ?, ?, ?, 'report')
          ON CONFLICT (draft) DO UPDATE SET state = excluded.state, ticket = excluded.ticket,
            worker = excluded.worker
          """, arguments: [draft, ticket, owner + "-0", Date().milliseconds])
    }
  }
}

/// Tests of the state that a killed process leaves after each step, and of how the next process handles it.
@Suite struct AbandonedWorkTests {
  let cache = TemporaryCache()

  /// Puts a draft into the state that a killed process leaves while it loads.
  private func leaveLoading(
    _ opened: PhotoAttachmentCache, owner: ProcessOwner, ticket: Int64 = 1
  ) throws {
    try opened.sqlite.leaveLoading(draft: "a", ticket: ticket, owner: owner.signature)
  }

  @Test(
    "When the process that loads a photo dies, the draft returns to its previous state",
    arguments: [false, true])
  func deadOwner(hadPhoto: Bool) async throws {
    let opened = try cache.open()
    var before = PhotoAttachmentStatus.empty
    if hadPhoto {
      before = .confirmed(metadata: try await opened.save(draft: "a") { .sample(1) }.photo)
    }
    let other = try OtherProcess()
    try leaveLoading(opened, owner: .process(other.identity), ticket: 77)
    #expect(try await cache.open().status(draft: "a") == .loading)
    other.end()
    #expect(try await cache.open().status(draft: "a") == before)
    #expect(try await opened.failure(draft: "a") == "interrupted")
    #expect(try await opened.verify(all: true).isClean)
  }

  @Test func anAttemptThatCouldNotBeginLeavesNothing() async throws {
    let opened = try cache.open()
    try await opened.save(draft: "a") { .sample(1) }
    try await opened.sqlite.writer.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA ignore_check_constraints = ON;
          UPDATE attachment SET photo = NULL;
          PRAGMA ignore_check_constraints = OFF
          """)
    }
    await #expect(throws: StoreError.self) { try await opened.save(draft: "a") { .sample(2) } }
    #expect(ActiveAttempts.count(in: cache.folder.path) == 0)
  }

  @Test func anAttemptOfOursThatNobodyWorksOnIsDead() async throws {
    let opened = try cache.open()
    try leaveLoading(opened, owner: try opened.files.worker.current(), ticket: 78)
    #expect(try await opened.status(draft: "a") == .empty)
  }

  @Test func anAttemptOfAnotherProcessIsSupersededByAPick() async throws {
    let opened = try cache.open()
    let other = try OtherProcess()
    try leaveLoading(opened, owner: .process(other.identity))
    let saved = try await opened.save(draft: "a") { .sample(1) }
    #expect(try await opened.load(draft: "a") == saved.photo)
  }

  @Test func anotherProcessKeepsItsAttemptWhenItsOldPhotoGoes() async throws {
    let opened = try cache.open()
    let old = try await opened.save(draft: "a") { .sample(1) }
    let other = try OtherProcess()
    try leaveLoading(opened, owner: .process(other.identity), ticket: 79)
    try await opened.remove(id: old.id)
    #expect(try await opened.status(draft: "a") == .loading)
    other.end()
    #expect(try await opened.status(draft: "a") == .empty)
  }

  @Test func killedWhileWritingLeavesAFileThatSweepRemoves() async throws {
    let opened = try cache.open()
    let other = try OtherProcess()
    try cache.write("half a pic", to: "incoming/\(other.identity.signature)-1f")
    try cache.write("ours", to: "incoming/" + opened.files.newIncomingName())
    try cache.write("unsigned", to: "incoming/upload-7-1")
    #expect(try await opened.sweep().removedBlobs == 0)
    other.end()
    #expect(try await opened.sweep(dryRun: true) == .init(removedBlobs: 1, removedBytes: 10))
    #expect(cache.files.count == 3)
    #expect(try await opened.sweep() == .init(removedBlobs: 1, removedBytes: 10))
    try cache.age("incoming/upload-7-1", seconds: 3600)
    #expect(try await opened.sweep() == .init(removedBlobs: 1, removedBytes: 8))
    #expect(cache.files.count == 1)
  }

  @Test func killedBetweenBlobAndRecordLeavesRubbishOnly() async throws {
    let opened = try cache.open()
    let kept = try await opened.save(draft: "b") { .sample(9) }
    let other = try OtherProcess()
    try leaveLoading(opened, owner: .process(other.identity))
    let stored = try opened.blobs.put(.png(1), kind: .blob)
    try cache.age(kept.blob.path, seconds: 3600)
    other.end()
    #expect(try await opened.status(draft: "a") == .empty)
    // A fresh picture stays, because its record may be about to follow.
    #expect(try await opened.sweep().removedBlobs == 0)
    try cache.age(stored.path, seconds: 3600)
    #expect(try await opened.sweep(dryRun: true).removedBlobs == 1)
    #expect(try await opened.sweep() == .init(removedBlobs: 1, removedBytes: stored.sizeBytes))
    #expect(cache.files == [kept.blob.path, kept.preview.path].sorted())
  }

  @Test func killedBetweenRowsAndFilesLeavesRubbishOnly() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    _ = try opened.catalog.handle(.remove, draft: "a", at: Date())
    #expect(try await opened.status(draft: "a") == .empty)
    #expect(cache.files.count == 2)
    let later = Date(timeIntervalSinceNow: 3600)
    #expect(
      try await opened.sweep(now: later)
        == .init(
          removedBlobs: 2, removedBytes: saved.blob.sizeBytes + saved.preview.sizeBytes))
    #expect(cache.files.isEmpty)
  }

  /// If another process sweeps between storing and recording, the files are stored again.
  @Test func aPictureSweptBeforeItsRecordIsStoredAgain() async throws {
    let opened = try cache.open()
    // The file is deleted when the transaction that records it begins, twice.
    let path = cache.folder.path
    let clock = SweepingClock { [blob = EncodedPicture.png(1)] in
      let place = BlobPath(.blob, sha256: blob.sha256, format: .png)!
      return unlinkIfThere(path + "/" + place.relativePath)
    }
    let watched = try cache.open(now: { clock.now() })
    let saved = try await watched.save(draft: "a") { .sample(1) }
    #expect(clock.removed == 2)
    #expect(try await opened.status(draft: "a") == .confirmed(metadata: saved.photo))
    #expect(try await opened.verify(all: true) == VerifyReport(checked: 1))
  }

  @Test func sweepingInParallelCostsNoPhoto() async throws {
    let cache = cache
    let opened = try cache.open(busyTimeout: 30)
    let sweeper = try cache.open(busyTimeout: 30)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<30 {
          // Without any grace, every picture that isn't recorded yet may be swept.
          _ = try await sweeper.sweep(now: Date(timeIntervalSinceNow: 60), grace: .zero)
        }
      }
      for draft in 0..<4 {
        group.addTask {
          for round in 0..<12 {
            do {
              try await opened.save(draft: "\(draft)") { .sample(round % 3) }
            } catch StoreError.fault(.blobVanished) {}
          }
        }
      }
      try await group.waitForAll()
    }
    let report = try await opened.verify(all: true)
    #expect(report.checked == 4)
    #expect(report.isClean)
  }
}

/// A clock that lets something happen when it is read, which is between storing and recording.
private final class SweepingClock: Sendable {
  private let count = Mutex(0)
  private let sweep: @Sendable () -> Bool

  init(_ sweep: @escaping @Sendable () -> Bool) { self.sweep = sweep }

  var removed: Int { count.withLock { $0 } }

  func now() -> Date {
    count.withLock { if $0 < 2, sweep() { $0 += 1 } }
    return Date()
  }
}

private func unlinkIfThere(_ path: String) -> Bool { unlink(path) == 0 }
