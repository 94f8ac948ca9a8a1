import Foundation
import GRDB
import Glibc
import Synchronization
import Testing
import TestPictures

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

/// Tests of seed 028 and decisions 4 to 7, with real files and a real catalog.
@Suite struct PhotoAttachmentCacheTests {
  let cache = TemporaryCache()

  /// A read that fails doesn't prove that the blob is gone.
  @Test func aFailingDiskLosesNoPhoto() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    let place = try #require(BlobPath(relativePath: saved.blob.path))
    let shard = cache.folder.path + "/blobs/" + place.shard
    try FileManager.default.moveItem(atPath: shard, toPath: shard + "-away")
    #expect(symlink(shard, shard) == 0)
    await #expect(throws: StoreError.self) { try await opened.status(draft: "a") }
    #expect(unlink(shard) == 0)
    try FileManager.default.moveItem(atPath: shard + "-away", toPath: shard)
    #expect(try await opened.load(draft: "a") == saved.photo)
  }

  @Test func aPhotoIsAttachedAndSurvivesARestart() async throws {
    let opened = try cache.open()
    #expect(try await opened.status(draft: "a") == .empty)
    #expect(try await !opened.canContinue(draft: "a"))
    let saved = try await opened.save(draft: "a") { .sample(1) }
    for other in [opened, try cache.open()] {
      #expect(try await other.status(draft: "a") == .confirmed(metadata: saved.photo))
      #expect(try await other.load(draft: "a") == saved.photo)
      #expect(try await other.canContinue(draft: "a"))
      #expect(try await other.failure(draft: "a") == nil)
      #expect(try await other.status(draft: "b") == .empty)
    }
    #expect(cache.files == [saved.blob.path, saved.preview.path])
    #expect(try await opened.bytes(of: saved.blob) == EncodedPicture.png(1).bytes)
  }

  /// Replacing a photo deletes everything of the old one (lesson P1).
  @Test func aReplacementGivesUpTheOldPhoto() async throws {
    let opened = try cache.open()
    try await opened.save(draft: "a") { .sample(1) }
    let second = try await opened.save(draft: "a") { .sample(2) }
    #expect(try await opened.load(draft: "a") == second.photo)
    #expect(try await opened.photos() == [second.photo])
    #expect(cache.files == [second.blob.path, second.preview.path])
  }

  @Test func theSamePhotoAgainKeepsItsFiles() async throws {
    let opened = try cache.open()
    let first = try await opened.save(draft: "a") { .sample(1) }
    let second = try await opened.save(draft: "a") { .sample(1) }
    #expect(first.id != second.id)
    #expect(first.blob == second.blob)
    #expect(try await opened.photos() == [second.photo])
    #expect(cache.files == [second.blob.path, second.preview.path])
  }

  @Test func draftsShareFilesNotPhotos() async throws {
    let opened = try cache.open()
    let first = try await opened.save(draft: "a") { .sample(1) }
    let second = try await opened.save(draft: "b") { .sample(1) }
    #expect(cache.files == [first.blob.path, first.preview.path])
    try await opened.remove(draft: "a")
    #expect(try await opened.load(draft: "b") == second.photo)
    #expect(cache.files.count == 2)
    try await opened.remove(draft: "b")
    #expect(cache.files.isEmpty)
    #expect(try await opened.photos().isEmpty)
  }

  /// A failed replacement keeps the last good photo, with the reason (decision 4, lesson P3).
  @Test(
    "A failure keeps the previous photo",
    arguments: [
      PhotoError.corrupt(what: "png-chunk-crc"), .unsupportedFormat(detected: "image/tiff"), .empty,
      .shortage(errno: 24), .timeout(seconds: 20),
    ])
  func failure(_ error: PhotoError) async throws {
    let opened = try cache.open()
    await #expect(throws: StoreError.photo(error)) {
      try await opened.save(draft: "a") { throw error }
    }
    #expect(try await opened.status(draft: "a") == .empty)
    #expect(try await opened.failure(draft: "a") == error.code)
    let good = try await opened.save(draft: "a") { .sample(1) }
    #expect(try await opened.failure(draft: "a") == nil)
    await #expect(throws: StoreError.photo(error)) {
      try await opened.save(draft: "a") { throw error }
    }
    #expect(try await cache.open().status(draft: "a") == .confirmed(metadata: good.photo))
    #expect(try await cache.open().failure(draft: "a") == error.code)
    #expect(cache.files == [good.blob.path, good.preview.path])
  }

  /// The outcome of an older attempt changes nothing (decision 5, lesson P5).
  @Test func theLaterPickWins() async throws {
    let opened = try cache.open()
    let gate = Gate()
    async let early = opened.attempt(draft: "a") {
      gate.wait()
      return .sample(1)
    }
    await gate.untilReached()
    #expect(try await opened.status(draft: "a") == .loading)
    let late = try await opened.save(draft: "a") { .sample(2) }
    gate.open()
    #expect(await early == .failure(.superseded))
    #expect(try await opened.load(draft: "a") == late.photo)
    #expect(try await opened.failure(draft: "a") == nil)
    #expect(try await opened.photos() == [late.photo])
    #expect(cache.files == [late.blob.path, late.preview.path])
  }

  /// An attempt that stalls until a sweep takes it for dead ends as interrupted, not as replaced by a later photo.
  @Test func anAttemptThatWasGivenUpSaysThatItWasInterrupted() async throws {
    let opened = try cache.open()
    let earlier = try await opened.save(draft: "a") { .sample(1) }
    let gate = Gate()
    async let late = opened.attempt(draft: "a") {
      gate.wait()
      return .sample(2)
    }
    await gate.untilReached()
    _ = try opened.catalog.handle(.restore(ownerAlive: false), draft: "a", at: Date())
    gate.open()
    #expect(await late == .failure(.cancelled))
    #expect(try await opened.load(draft: "a") == earlier.photo)
    #expect(try await opened.failure(draft: "a") == "interrupted")
    #expect(cache.files == [earlier.blob.path, earlier.preview.path])
  }

  /// A removed photo stays removed, and removing affects only the named draft (lesson P4).
  @Test func aRemovedAttemptDoesNotComeBack() async throws {
    let opened = try cache.open()
    let gate = Gate()
    async let early = opened.attempt(draft: "a") {
      gate.wait()
      return .sample(1)
    }
    await gate.untilReached()
    try await opened.remove(draft: "a")
    gate.open()
    #expect(await early == .failure(.removed))
    #expect(try await opened.status(draft: "a") == .empty)
    #expect(try await opened.photos().isEmpty)
    #expect(cache.files.isEmpty)
  }

  @Test func clearingByIDLeavesANewerPhoto() async throws {
    let opened = try cache.open()
    let old = try await opened.save(draft: "a") { .sample(1) }
    let new = try await opened.save(draft: "a") { .sample(2) }
    try await opened.remove(id: old.id)
    #expect(try await opened.load(draft: "a") == new.photo)
    try await opened.remove(id: new.id)
    try await opened.remove(id: new.id)
    #expect(try await opened.status(draft: "a") == .empty)
    #expect(cache.files.isEmpty)
  }

  @Test func clearingTheOldPhotoLetsTheNewAttemptGoOn() async throws {
    let opened = try cache.open()
    let old = try await opened.save(draft: "a") { .sample(1) }
    let gate = Gate()
    async let attempt = opened.attempt(draft: "a") {
      gate.wait()
      return .sample(2)
    }
    await gate.untilReached()
    try await opened.remove(id: old.id)
    #expect(try await opened.status(draft: "a") == .loading)
    #expect(cache.files.isEmpty)
    gate.open()
    let new = try await attempt.get()
    #expect(try await opened.load(draft: "a") == new)
  }

  @Test func aCancelledAttemptLeavesTheStatusAsItWas() async throws {
    let opened = try cache.open()
    let good = try await opened.save(draft: "a") { .sample(1) }
    let gate = Gate()
    let attempt = Task {
      await opened.attempt(draft: "a") {
        gate.wait()
        return .sample(2)
      }
    }
    await gate.untilReached()
    #expect(try await !opened.canContinue(draft: "a"))
    attempt.cancel()
    gate.open()
    #expect(await attempt.value == .failure(.cancelled))
    #expect(try await opened.load(draft: "a") == good.photo)
    #expect(try await opened.failure(draft: "a") == "interrupted")
    #expect(cache.files == [good.blob.path, good.preview.path])
  }

  @Test("A picture that is swept between storing and recording is stored again")
  func sweptInBetween() async throws {
    let cache = cache
    let isSwept = Atomic(false)
    // The clock is read between storing and recording.
    let opened = try cache.open {
      let blobs = cache.files.filter { $0.hasPrefix("blobs/") }
      if let blob = blobs.first, !isSwept.exchange(true, ordering: .relaxed) {
        unlink(cache.folder.path + "/" + blob)
      }
      return Date()
    }
    let saved = try await opened.save(draft: "a") { .sample(1) }
    let wasSwept = isSwept.load(ordering: .relaxed)
    #expect(wasSwept)
    #expect(try await opened.bytes(of: saved.blob).count == saved.blob.sizeBytes)
  }

  @Test func statusesTellEveryChangeInOrder() async throws {
    let opened = try cache.open()
    var statuses = opened.statuses(draft: "a").makeAsyncIterator()
    #expect(await statuses.next() == .empty)
    let saved = try await opened.save(draft: "a") { .sample(1) }
    let other = try await opened.save(draft: "b") { .sample(2) }
    #expect(await statuses.next() == .loading)
    #expect(await statuses.next() == .confirmed(metadata: saved.photo))
    await #expect(throws: StoreError.photo(.empty)) {
      try await opened.save(draft: "a") { throw PhotoError.empty }
    }
    #expect(await statuses.next() == .loading)
    #expect(await statuses.next() == .confirmed(metadata: saved.photo))
    try await opened.remove(draft: "a")
    #expect(await statuses.next() == .empty)
    var later = opened.statuses(draft: "b").makeAsyncIterator()
    #expect(await later.next() == .confirmed(metadata: other.photo))
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func aFullDiskKeepsTheConfirmedPhoto() async throws {
    let disk = try #require(SmallDisk(options: "size=512k"))
    let folder = CacheFolder(path: disk.path + "/cache")
    let opened = try await PhotoAttachmentCache.open(folder)
    let good = try await opened.save(draft: "a") { .sample(1) }
    var big = PreparedPhoto.sample(2)
    big.blob = .bulk(1 << 20)
    let error = await opened.attempt(draft: "a") { [big] in big }
    guard case .failure(.storageFull) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(try folder.entries(of: "incoming").isEmpty)
    disk.remount("size=4m")
    #expect(try await PhotoAttachmentCache.open(folder).load(draft: "a") == good.photo)
    #expect(try await opened.bytes(of: good.blob) == EncodedPicture.png(1).bytes)
    try await opened.save(draft: "a") { [big] in big }
  }
}

extension PhotoAttachmentCache {
  /// Saves a photo, and returns the outcome as a value.
  func attempt(
    draft: String, prepare: @escaping @Sendable () throws -> PreparedPhoto
  ) async -> Result<PhotoAttachmentMetadata, StoreError> {
    do throws(StoreError) {
      return .success(try await save(draft: draft, prepare: prepare).photo)
    } catch {
      return .failure(error)
    }
  }
}
