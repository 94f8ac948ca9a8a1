public import Foundation
import Logging
import PhotoIngestion
import SystemPackage

/// What a sweep deleted, or would delete.
public struct SweepReport: Sendable, Equatable {
  /// Files: blobs, previews, and unfinished ones.
  public var removedBlobs = 0
  /// Their bytes.
  public var removedBytes = 0
  /// Drafts whose attachment expired.
  public var removedDrafts = 0

  /// Nothing was deleted.
  public static let nothing = SweepReport()
}

/// Deletes rubbish: expired drafts with their photos, unfinished files whose process is gone, records of
/// crashes of long ago, and pictures that no record refers to. Attempts whose process is gone are ended first.
struct PhotoSweeper: Sendable {
  /// 2020: an earlier clock was never set.
  private static let firstMoment = Date(timeIntervalSince1970: 1_577_836_800)

  let cache: PhotoAttachmentCache
  let dryRun: Bool
  /// The moment to judge ages by.
  let moment: Date
  /// Seconds after which an untouched attachment of a host expires; nil for never.
  let draftAge: TimeInterval?
  /// Seconds for which a picture without a record is left alone.
  let grace: TimeInterval
  /// Bytes that sizes of photos may take; nil for any.
  let sizeSpace: Int?
  /// The part to sweep; drafts expire with the first, and sizes give way.
  let shard: StoreShard

  private var age: PhotoAge { PhotoAge(moment, grace: grace) }

  func run() async throws(StoreError) -> SweepReport {
    var report = SweepReport()
    let unfinished = try await cache.run {
      try cache.removeUnfinished(of: shard, dryRun: dryRun, isOld: age.isOld)
    }
    report.removedBlobs += unfinished.files
    report.removedBytes += unfinished.bytes
    if shard.isFirst {
      let crashes = try await cache.run { try pruneCrashes() }
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
    let others = try await unrecorded(but: Set(expired.gone))
    // What a dry run would delete of drafts is still on record.
    let kept = try await needed(of: others, gone: dryRun ? [] : expired.gone)
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
      try await cache.run { try cache.catalog.store.giveBackSpace() }
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

  /// A draft from the future, or from before there was a PetSpot, was touched under a wrong clock: its
  /// days are counted from now. A clock that jumps forward looks like a long absence.
  private func expireDrafts() async throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
    try await cache.threads.finish {
      try cache.catalog.expire(
        before: moment.addingTimeInterval(-PhotoAttachmentCache.draftLifetime),
        hosts: draftAge.map { moment.addingTimeInterval(-$0) },
        believable: min(Self.firstMoment, moment)...moment, dryRun: dryRun)
    }
  }

  /// Pictures that are old enough and that no record refers to, none of them among `gone`.
  private func unrecorded(but gone: Set<BlobPath>) async throws(StoreError) -> [BlobPath] {
    if try await cache.run({ try cache.catalog.isYoungerThanPictures() }) {
      cache.logger.warning(
        "pictures without a record kept, because the catalog was made after them: petspot verify --all"
      )
      return []
    }
    var rubbish: [BlobPath] = []
    for kind in BlobPath.Kind.allCases {
      for shard in shard.beginnings {
        if Task.isCancelled { throw .cancelled }
        rubbish += try await cache.run { try unrecorded(kind, shard: shard) }
          .filter { !gone.contains($0) }
      }
    }
    return rubbish
  }

  private func unrecorded(
    _ kind: BlobPath.Kind, shard: String
  ) throws(StoreError) -> [BlobPath] {
    let places = try cache.blobs.list(.shard(kind, shard))
    if places.isEmpty { return [] }
    var old: [BlobPath] = []
    for place in try cache.catalog.unreferenced(places) {
      if let facts = try cache.blobs.facts(place), age.isOld(facts.modified) { old.append(place) }
    }
    return old
  }

  /// Those of the pictures that must stay: records are asked, not only the indexes, which can be damaged.
  ///
  /// - Throws: also `StoreError.database(.damaged)` when an index has missed a record.
  private func needed(
    of others: [BlobPath], gone: [BlobPath]
  ) async throws(StoreError) -> Set<BlobPath> {
    if others.isEmpty, gone.isEmpty { return [] }
    let (recorded, isAltered) = try await cache.run { try look(for: Set(others + gone)) }
    // Without damage another process has recorded them meanwhile.
    if !recorded.isEmpty { try await cache.run { try cache.catalog.checkIntegrity() } }
    guard isAltered else { return recorded }
    cache.logger.warning(
      "pictures without a record kept, because a record was altered: petspot verify --all")
    return recorded.union(others)
  }

  /// Those of the pictures that a record names, and whether a record is not as it was written: then a picture
  /// without a record may be its.
  private func look(
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

  /// A file from the future is old too: it was written before the clock was set back.
  func isOld(_ modified: Int) -> Bool { abs(now - modified) > grace }
}

extension PhotoAttachmentCache {
  /// Drafts of reports are swept when they were not touched for 7 days (decision 12).
  public static let draftLifetime: TimeInterval = 7 * 24 * 3600
  /// A picture without a record may be one that another process records next; it is left alone for
  /// ten minutes. Correctness does not depend on this: a process that records it stores it again if it went.
  public static let recordingGrace: TimeInterval = 600

  /// Deletes rubbish: expired drafts with their photos, unfinished files whose process is gone, and
  /// pictures that no record refers to. Attempts whose process is gone are ended first.
  ///
  /// Photos that a program attached by `attach(_:draft:)` live until it removes them, unless `age` says
  /// otherwise. Drafts of the command line and of visitors of PetSpot's pages expire after seven days.
  ///
  /// - Parameters:
  ///   - age: seconds after which the program's own drafts expire that were not touched, see
  ///     `touch(draft:)`; nil for never.
  ///   - dryRun: only reports what would be deleted.
  ///   - moment: the moment to judge ages by; the cache's clock by default.
  ///   - grace: seconds for which a picture without a record is left alone.
  ///   - sizeSpace: bytes that sizes of photos may take, of which the least recently used are deleted;
  ///     nil, as for a server that looks after its sizes itself, deletes none.
  ///   - shard: the part to sweep, when several share the work; drafts expire with the first.
  public func sweep(
    draftsOlderThan age: TimeInterval? = nil, dryRun: Bool = false, now moment: Date? = nil,
    grace: TimeInterval = recordingGrace, sizeSpace: Int? = nil, shard: StoreShard = .whole
  ) async throws(StoreError) -> SweepReport {
    try await PhotoSweeper(
      cache: self, dryRun: dryRun, moment: moment ?? now(), draftAge: age, grace: grace,
      sizeSpace: sizeSpace, shard: shard
    ).run()
  }

  /// Deletes what processes that are gone have left unfinished; a long import clears up behind a
  /// killed one. What cannot be deleted now is left to `sweep`. Blocks.
  func clearIncoming() {
    let age = PhotoAge(now(), grace: Self.recordingGrace)
    do throws(StoreError) {
      _ = try removeUnfinished(dryRun: false, isOld: age.isOld)
    } catch {
      logger.warning("unfinished files kept", metadata: ["error": "\(error)"])
    }
  }

  /// Deletes what processes that are gone have left unfinished. Blocks.
  func removeUnfinished(
    of shard: StoreShard = .whole, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    // A ledger that is an earlier copy takes objects that got their names since for unfinished ones.
    if blobs is any ObjectBlobStorage, try catalog.isYoungerThanPictures() { return (0, 0) }
    return try blobs.removeUnfinished(of: shard, dryRun: dryRun, isOld: isOld)
  }
}
