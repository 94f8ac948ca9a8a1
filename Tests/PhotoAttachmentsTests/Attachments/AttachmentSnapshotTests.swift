import Foundation
import GRDB
import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

/// A photo without its blob is invalid, but not forgotten (decision 7).
@Suite struct AttachmentSnapshotTests {
  let cache = TemporaryCache()

  /// The ways in which a blob can be harmed.
  enum Harm: String, CaseIterable {
    case gone, shorter, flipped, pipe, folder

    func befall(_ file: URL) throws {
      var bytes = try Data(contentsOf: file)
      try FileManager.default.removeItem(at: file)
      switch self {
      case .gone: break
      case .shorter: try bytes.dropLast().write(to: file)
      case .flipped:
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
      case .pipe: #expect(mkfifo(file.path, 0o600) == 0)
      case .folder: #expect(mkdir(file.path, 0o700) == 0)
      }
    }
  }

  @Test(
    "Reading changes nothing, and the photo is valid again once its blob is back",
    arguments: Harm.allCases)
  func looksChangeNothing(_ harm: Harm) async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    let bytes = try Data(contentsOf: saved.cachedURL)
    try harm.befall(saved.cachedURL)
    let problem: InvalidPhoto.Problem = harm == .gone ? .missing : .damaged
    for looker in [opened, try cache.open()] {
      #expect(try await looker.status(draft: "a") == .empty)
      #expect(try await !looker.canContinue(draft: "a"))
      #expect(try await looker.load(draft: "a") == nil)
      let snapshot = try await looker.snapshot(draft: "a")
      #expect(snapshot.invalid?.photo.id == saved.id && snapshot.invalid?.problem == problem)
      _ = try await looker.sweep(now: Date(timeIntervalSinceNow: 3600))
      #expect(try await looker.photos().map(\.id) == [saved.id])
      #expect(cache.files.contains(saved.preview.path))
    }
    try? FileManager.default.removeItem(at: saved.cachedURL)
    try bytes.write(to: saved.cachedURL)
    #expect(try await opened.canContinue(draft: "a"))
    #expect(try await opened.snapshot(draft: "a").invalid == nil)
    #expect(try await opened.status(draft: "a") == .confirmed(metadata: saved.photo))
  }

  @Test func anAbsenceOfTheWholeStoreEmptiesNoDraft() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    let blobs = cache.folder.path + "/blobs"
    try FileManager.default.moveItem(atPath: blobs, toPath: blobs + "-away")
    #expect(try await opened.snapshot(draft: "a").invalid?.problem == .missing)
    _ = try await opened.sweep()
    try FileManager.default.moveItem(atPath: blobs + "-away", toPath: blobs)
    #expect(try await opened.load(draft: "a") == saved.photo)
  }

  @Test func quarantinedPhotosAreMendedAfterAnyNumberOfLooks() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    let bytes = try Data(contentsOf: saved.cachedURL)
    try Harm.flipped.befall(saved.cachedURL)
    #expect(try await opened.verify().quarantined == 1)
    for _ in 0..<3 {
      #expect(try await opened.snapshot(draft: "a").invalid?.problem == .missing)
      _ = try await opened.sweep()
    }
    #expect(try await opened.verify(all: true).checked == 1)
    // If the photo is attached again, its record is found.
    try bytes.write(to: saved.cachedURL)
    #expect(try await opened.load(draft: "a") == saved.photo)
  }

  @Test func anInvalidPhotoIsReplacedRemovedAndExpiresAsAnyOther() async throws {
    let opened = try cache.open()
    for draft in ["replaced", "removed", "expired"] {
      let saved = try await opened.save(draft: draft, of: .report) { .sample(draft.count) }
      try? Harm.gone.befall(saved.cachedURL)
    }
    let new = try await opened.save(draft: "replaced", of: .report) { .sample(30) }
    #expect(
      try await opened.snapshot(draft: "replaced")
        == AttachmentSnapshot(status: .confirmed(metadata: new.photo)))
    try await opened.remove(draft: "removed")
    #expect(try await opened.snapshot(draft: "removed") == AttachmentSnapshot(status: .empty))
    _ = try await opened.sweep(now: Date(timeIntervalSinceNow: 8 * 86_400))
    #expect(try await opened.photos().isEmpty)
    #expect(cache.files.isEmpty)
  }

  @Test func aFailedAttemptKeepsTheInvalidPhoto() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    try Harm.gone.befall(saved.cachedURL)
    await #expect(throws: StoreError.photo(.empty)) {
      try await opened.save(draft: "a") { throw PhotoError.empty }
    }
    let snapshot = try await opened.snapshot(draft: "a")
    #expect(snapshot.invalid?.photo == saved.photo && snapshot.failure == "empty")
  }

  @Test func whoWatchesIsNotShownAPhotoWithoutItsBlob() async throws {
    let opened = try cache.open()
    let saved = try await opened.save(draft: "a") { .sample(1) }
    try Harm.gone.befall(saved.cachedURL)
    var statuses = opened.statuses(draft: "a").makeAsyncIterator()
    #expect(await statuses.next() == .empty)
    _ = await opened.attempt(draft: "a") { throw PhotoError.empty }
    #expect(await statuses.next() == .loading)
    #expect(await statuses.next() == .empty)
  }
}
