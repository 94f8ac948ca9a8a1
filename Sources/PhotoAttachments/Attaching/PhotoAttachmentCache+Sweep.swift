public import Foundation
import GRDB
import Glibc
import Logging
public import PhotoIngestion

/// What a sweep deleted, or would delete.
public struct SweepReport: Sendable, Equatable {
  /// Files: blobs, previews, and unfinished ones.
  public var removedBlobs = 0
  /// Their bytes.
  public var removedBytes = 0
  /// Drafts whose attachment expired.
  public var removedDrafts = 0
}

extension PhotoAttachmentCache {
  /// Drafts are swept when nobody touched them for 7 days (decision 12).
  public static let draftLifetime: TimeInterval = 7 * 24 * 3600
  /// A picture without a record may be one that another process records next; it is left alone for
  /// ten minutes. Correctness does not hang on this: whoever records it stores it again if it went.
  public static let recordingGrace: TimeInterval = 600
  /// 2020: an earlier clock was never set.
  private static let firstMoment = Date(timeIntervalSince1970: 1_577_836_800)

  /// Deletes rubbish: expired drafts with their photos, unfinished files whose process is gone, and
  /// pictures that no record refers to. Attempts whose process is gone are ended first.
  ///
  /// - Parameters:
  ///   - dryRun: only tell.
  ///   - now: the moment to judge ages by; the cache's clock by default.
  ///   - lifetime: seconds after which an untouched draft expires.
  ///   - grace: seconds for which a picture without a record is left alone.
  public func sweep(
    dryRun: Bool = false, now moment: Date? = nil,
    lifetime: TimeInterval = draftLifetime, grace: TimeInterval = recordingGrace
  ) async throws(PhotoError) -> SweepReport {
    let moment = moment ?? now()
    var report = SweepReport()
    let unfinished = try await run { [self] in
      try removeUnfinished(dryRun: dryRun, Age(moment, grace: grace))
    }
    report.removedBlobs += unfinished.files
    report.removedBytes += unfinished.bytes
    let expired = try await expireDrafts(moment, lifetime: lifetime, dryRun: dryRun)
    report.removedDrafts = expired.drafts
    let gone = Set(expired.gone)
    var rubbish = expired.gone
    for kind in BlobPath.Kind.allCases {
      for shard in try folder.entries(of: kind.rawValue) {
        if Task.isCancelled { throw .interrupted }
        rubbish += try await run { [self] in
          try unrecorded(kind, shard: shard, Age(moment, grace: grace))
        }.filter { !gone.contains($0) }
      }
    }
    if !rubbish.isEmpty, try await run({ [self] in try hasAlteredRecord() }) {
      logger.warning(
        "pictures without a record kept, because a record was altered: petspot verify --all")
      rubbish = expired.gone
    }
    for start in stride(from: 0, to: rubbish.count, by: 64) {
      let group = Array(rubbish[start..<min(start + 64, rubbish.count)])
      let removed = try await dryRun ? measure(group) : remove(group)
      report.removedBlobs += removed.files
      report.removedBytes += removed.bytes
    }
    return report
  }

  /// Deletes what processes that are gone have left in `incoming/`; a long import clears up behind a
  /// killed one. What cannot be deleted now is left to `sweep`. Blocks.
  func clearIncoming() {
    do throws(PhotoError) {
      _ = try removeUnfinished(dryRun: false, Age(now(), grace: Self.recordingGrace))
    } catch {
      logger.warning("unfinished files kept", metadata: ["error": "\(error)"])
    }
  }

  /// Tells old files from those that somebody may be working on.
  struct Age {
    private let now: Int
    private let grace: Int

    init(_ moment: Date, grace: TimeInterval) {
      (now, self.grace) = (Int(moment.timeIntervalSince1970), Int(grace))
    }

    /// A file from the future is old too: it was written before the clock was set back.
    func isOld(_ modified: Int) -> Bool { abs(now - modified) > grace }
  }

  typealias Removed = (files: Int, bytes: Int)

  private func remove(_ places: [BlobPath]) async throws(PhotoError) -> Removed {
    try await catalog.writeAsync { [self] in try removeUnreferenced(places, $0) }
  }

  private func measure(_ places: [BlobPath]) throws(PhotoError) -> Removed {
    var sizes: [Int] = []
    for place in places { if let size = try blobs.facts(place)?.sizeBytes { sizes.append(size) } }
    return (sizes.count, sizes.reduce(0, +))
  }

  /// Deletes the rows of expired drafts and of their photos, and gives back pictures that no record
  /// refers to any more. A dry run does the same and rolls back.
  ///
  /// A draft from the future, or from before there was a PetSpot, was touched under a wrong clock: its
  /// days are counted from now. A clock that jumps forward cannot be told from a long absence.
  private func expireDrafts(
    _ moment: Date, lifetime: TimeInterval, dryRun: Bool
  ) async throws(PhotoError) -> (drafts: Int, gone: [BlobPath]) {
    let limit = moment.addingTimeInterval(-lifetime).milliseconds
    let believable = min(Self.firstMoment, moment).milliseconds...moment.milliseconds
    return try await catalog.writeAsync(dryRun: dryRun) { [self] db in
      var (drafts, gone) = (0, [BlobPath]())
      for row in try AttachmentRow.fetchAll(db) {
        let restored = try apply(try restoring(row, db), to: row.draft, db)
        gone += restored.gone
        guard believable.contains(row.updatedAtMilliseconds) else {
          try db.execute(
            sql: "UPDATE attachment SET updatedAtMilliseconds = ? WHERE draft = ?",
            arguments: [moment.milliseconds, row.draft])
          continue
        }
        guard row.updatedAtMilliseconds < limit else { continue }
        if case .loading = restored.machine.state { continue }
        gone += try apply(.expire, to: row.draft, db).gone
        try db.execute(sql: "DELETE FROM attachment WHERE draft = ?", arguments: [row.draft])
        drafts += 1
      }
      let unreferenced = try Set(gone).filter { try !PhotoRow.isReferenced(db, $0) }
      return (drafts, Array(unreferenced))
    }
  }

  /// Pictures of one shard that are old enough and that no record refers to.
  private func unrecorded(
    _ kind: BlobPath.Kind, shard: String, _ age: Age
  ) throws(PhotoError) -> [BlobPath] {
    let places = try folder.entries(of: kind.rawValue + "/" + shard)
      .compactMap { BlobPath(kind, shard: shard, name: $0) }
    return try catalog.read { db in
      if try PhotoRow.isCatalogYounger(db) {
        logger.warning("pictures without a record kept, because the catalog was made after them")
        return []
      }
      return try places.filter { place in
        guard let facts = try blobs.facts(place) else { return false }
        return try age.isOld(facts.modified) && !PhotoRow.isReferenced(db, place)
      }
    }
  }

  /// Whether a record is not as it was written: then a picture without a record may be its.
  private func hasAlteredRecord() throws(PhotoError) -> Bool {
    var last: Int64 = 0
    while true {
      let start = last
      let photos = try catalog.read {
        try RawPhoto.page($0, after: start, limit: 256, attachedOnly: false)
      }
      if photos.contains(where: { !$0.isSealed }) { return true }
      guard let end = photos.last?.sequence else { return false }
      last = end
    }
  }

  /// Deletes files of `incoming/` that no living process works on. A name without an owner counts
  /// as nobody's once it is old.
  func removeUnfinished(dryRun: Bool, _ age: Age) throws(PhotoError) -> Removed {
    var removed: Removed = (0, 0)
    for name in try folder.entries(of: "incoming") {
      let path = folder.incoming + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
      if let owner = Owner(fileName: name) {
        if owner.isAlive(in: folder) { continue }
      } else if !age.isOld(status.st_mtim.tv_sec) {
        continue
      }
      if !dryRun, unlink(path) != 0 {
        if errno == ENOENT { continue }
        throw PhotoError(operation: "unlink", path: path, errno: errno)
      }
      removed.files += 1
      removed.bytes += Int(status.st_size)
    }
    if !dryRun { try OwnerLock.removeDead(in: folder) }
    return removed
  }
}
