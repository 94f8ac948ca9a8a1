public import Foundation
import Logging
import PhotoIngestion
import PhotoModel
import SystemPackage

/// The counts of the items that a sweep deleted or, in a dry run, would delete.
public struct SweepReport: Sendable, Equatable {
  /// The number of files: blobs, previews, sizes, unfinished files and old crash records.
  public var removedBlobs = 0
  /// The size of these files in bytes.
  public var removedBytes = 0
  /// The number of drafts whose attachment expired.
  public var removedDrafts = 0

  /// The report of a sweep that deleted nothing.
  public static let nothing = SweepReport()
}

/// Deletes expired attachments with their photos, unfinished files of processes that have ended, old crash records, and
/// pictures that no record refers to. Also ends attempts of processes that have ended.
struct PhotoSweeper: Sendable {
  /// The beginning of 2020. A clock before that was never set.
  private static let firstMoment = Date(timeIntervalSince1970: 1_577_836_800)

  let cache: PhotoAttachmentCache
  let dryRun: Bool
  /// The time to compare ages with.
  let moment: Date
  /// The seconds after which an untouched attachment of a host expires. `nil` for never.
  let draftAge: TimeInterval?
  /// The age in seconds below which a picture without a record stays.
  let grace: TimeInterval
  /// The limit for stored sizes of photos in bytes. `nil` for no limit.
  let sizeSpace: Int?
  /// The part to sweep. Drafts and sizes are swept with the first part.
  let shard: StoreShard

  private var age: PhotoAge { PhotoAge(moment, grace: grace) }

  func sweep() async throws(StoreError) -> SweepReport {
    var report = SweepReport()
    try await cache.runBlocking { try cache.checkIsRestored() }
    let unfinished = try await cache.runBlocking {
      try cache.removeUnfinished(of: shard, dryRun: dryRun, isOld: age.isOld)
    }
    report.removedBlobs += unfinished.files
    report.removedBytes += unfinished.bytes
    if shard.isFirst {
      let crashes = try await cache.runBlocking { try pruneCrashes() }
      report.removedBlobs += crashes.files
      report.removedBytes += crashes.bytes
    }
    let expired = shard.isFirst ? try await expireDrafts() : (drafts: 0, gone: [])
    report.removedDrafts = expired.drafts
    if let sizeSpace, shard.isFirst {
      let trimmed = try await cache.trimSizes(to: sizeSpace, dryRun: dryRun)
      report.removedBlobs += trimmed.files
      report.removedBytes += trimmed.bytes
    }
    let others = try await findUnrecorded(but: Set(expired.gone))
    // A restore may have begun meanwhile. It adopts objects before it adds their records.
    try await cache.runBlocking { try cache.checkIsRestored() }
    // In a dry run, pictures of expired drafts are still on record.
    let kept = try await findNeeded(of: others, gone: dryRun ? [] : expired.gone)
    let rubbish = (expired.gone + others).filter { !kept.contains($0) }
    for group in PhotoRows.groups(rubbish, of: 64) {
      let removed = try await cache.threads.finish {
        dryRun
          ? try cache.blobs.measure(group)
          : try cache.catalog.release(group, deleting: cache.blobs.remove)
      }
      report.removedBlobs += removed.files
      report.removedBytes += removed.bytes
    }
    if shard.isFirst, !dryRun {
      try await cache.runBlocking { try cache.catalog.store.giveBackSpace() }
    }
    return report
  }

  private func pruneCrashes() throws(StoreError) -> (files: Int, bytes: Int) {
    let ledger = cache.folder.crashes
    let names = try cache.folder.entries(of: "crashes")
    do throws(Errno) { return try ledger.prune(names, at: moment, dryRun: dryRun) } catch {
      throw StoreError(operation: "unlink", path: ledger.folder.string, errno: error.rawValue)
    }
  }

  /// Expires drafts. If the clock was wrong when a draft was last touched (in the future, or before 2020), its seven
  /// days start now. A clock that jumps ahead looks like a long absence.
  private func expireDrafts() async throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
    try await cache.threads.finish {
      try cache.catalog.expire(
        before: moment.addingTimeInterval(-PhotoAttachmentCache.draftLifetime),
        hosts: draftAge.map { moment.addingTimeInterval(-$0) },
        believable: min(Self.firstMoment, moment)...moment, dryRun: dryRun)
    }
  }

  /// Returns pictures that are old enough and that no record refers to, without those in `gone`.
  private func findUnrecorded(but gone: Set<BlobPath>) async throws(StoreError) -> [BlobPath] {
    if try await cache.runBlocking({ try cache.catalog.mayLackRecordsOfPictures() }) {
      cache.logger.warning(
        "pictures without a record kept, because the catalog was made after them: petspot verify --all"
      )
      return []
    }
    var rubbish: [BlobPath] = []
    for kind in BlobPath.Kind.allCases {
      for prefix in shard.prefixes {
        if Task.isCancelled { throw .cancelled }
        rubbish += try await cache.runBlocking { try findUnrecorded(kind, prefix: prefix) }
          .filter { !gone.contains($0) }
      }
    }
    return rubbish
  }

  private func findUnrecorded(
    _ kind: BlobPath.Kind, prefix: String
  ) throws(StoreError) -> [BlobPath] {
    let places = try cache.blobs.list(.shard(kind, prefix))
    if places.isEmpty { return [] }
    var old: [BlobPath] = []
    for place in try cache.catalog.selectUnreferenced(places) {
      if let facts = try cache.blobs.facts(place), age.isOld(facts.modified) { old.append(place) }
    }
    return old
  }

  /// Returns the pictures that must stay. Reads all records, because an index may be damaged.
  ///
  /// - Throws: `StoreError.database(.damaged)` if an index has missed a record.
  private func findNeeded(
    of others: [BlobPath], gone: [BlobPath]
  ) async throws(StoreError) -> Set<BlobPath> {
    if others.isEmpty, gone.isEmpty { return [] }
    let (recorded, isAltered) = try await cache.runBlocking {
      try findReferences(for: Set(others + gone))
    }
    // If nothing is damaged, another process has recorded them in the meantime.
    if !recorded.isEmpty { try await cache.runBlocking { try cache.catalog.checkIntegrity() } }
    guard isAltered else { return recorded }
    cache.logger.warning(
      "pictures without a record kept, because a record was altered: petspot verify --all")
    return recorded.union(others)
  }

  /// Returns the pictures that records refer to, and whether a record was altered. An altered record may have referred
  /// to any picture.
  private func findReferences(
    for pictures: Set<BlobPath>
  ) throws(StoreError) -> (Set<BlobPath>, isAltered: Bool) {
    var recorded: Set<BlobPath> = []
    var isAltered = false
    var last: Int64 = 0
    while true {
      let photos = try cache.catalog.page(after: last, limit: 256, attachedOnly: false)
      isAltered = isAltered || photos.contains { !$0.isSealed }
      recorded.formUnion(photos.flatMap(\.places).filter { pictures.contains($0) })
      guard let end = photos.last?.sequence else { return (recorded, isAltered) }
      last = end
    }
  }
}

/// Distinguishes old files from those that a process may be working on.
struct PhotoAge: Sendable {
  private let now: Int
  private let grace: Int

  init(_ moment: Date, grace: TimeInterval) {
    now = Int(moment.timeIntervalSince1970)
    self.grace = Int(grace)
  }

  /// Returns `true` if a file is old. A file from the future counts as old, because the clock was set back after it was
  /// written.
  func isOld(_ modified: Int) -> Bool { abs(now - modified) > grace }
}

extension PhotoAttachmentCache {
  /// The time after which untouched drafts of reports expire: 7 days (decision 12).
  package static let draftLifetime: TimeInterval = 7 * 24 * 3600
  /// The time for which pictures without a record stay, because another process may be about to record them: ten
  /// minutes. Correctness doesn't depend on it, because a process stores a picture again if it is gone.
  package static let recordingGrace: TimeInterval = 600

  /// Deletes expired attachments with their photos, unfinished files of processes that have ended, and pictures that no
  /// record refers to. Also ends attempts of processes that have ended.
  ///
  /// Photos that a program attached with `attach(_:to:)` stay until it removes them, unless `age` is given. Drafts
  /// of the command line and of visitors of PetSpot's pages expire after seven days.
  ///
  /// - Parameters:
  ///   - age: the time after which the program's own untouched attachments expire (`keepAlive(_:)`). `nil` for
  ///     never.
  ///   - dryRun: `true` only counts the items that would be deleted.
  ///   - moment: the time to compare ages with; the cache's clock by default.
  ///   - grace: the age below which a picture without a record stays.
  ///   - sizeSpace: the limit for stored sizes of photos in bytes. The least recently used are deleted first. `nil`
  ///     deletes no sizes, because servers limit their sizes themselves.
  ///   - shard: the part to sweep if several processes share the work. Drafts expire with the first part.
  public func sweep(
    draftsOlderThan age: Duration? = nil, dryRun: Bool = false, now moment: Date? = nil,
    grace: Duration = .seconds(600), sizeSpace: Int? = nil, shard: StoreShard = .whole
  ) async throws(StoreError) -> SweepReport {
    try await PhotoSweeper(
      cache: self, dryRun: dryRun, moment: moment ?? now(), draftAge: age?.seconds,
      grace: grace.seconds,
      sizeSpace: sizeSpace, shard: shard
    ).sweep()
  }

  /// Deletes unfinished files of processes that have ended, so that a long import cleans up after one that was killed.
  /// If that fails, `sweep` does it later. Blocks.
  func clearIncoming() {
    let age = PhotoAge(now(), grace: Self.recordingGrace)
    do throws(StoreError) {
      _ = try removeUnfinished(dryRun: false, isOld: age.isOld)
    } catch {
      logger.warning("unfinished files kept", metadata: ["error": "\(error)"])
    }
  }

  /// Deletes unfinished files of processes that have ended. Blocks.
  func removeUnfinished(
    of shard: StoreShard = .whole, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    // If the ledger is an earlier copy, objects that were completed since look unfinished.
    if blobs is any ObjectBlobStorage, try catalog.mayLackRecordsOfPictures() { return (0, 0) }
    return try blobs.removeUnfinished(of: shard, dryRun: dryRun, isOld: isOld)
  }
}
