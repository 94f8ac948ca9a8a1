package import Foundation
import Logging
package import PhotoAttachments
import PhotoIngestion
package import ReportFlow

/// What a backup did and found.
package struct BackupSummary: Sendable, Equatable {
  /// The name of the new snapshot.
  package var snapshot = ""
  /// What was moved into it.
  package var moved = MoveSummary()
  /// Snapshots and pictures of the folder that can't be read, aren't as they were written, or couldn't be
  /// cleaned; and those that another version of this program wrote. They stay.
  package var (damagedFiles, newerFiles) = (0, 0)
  /// Snapshots that were deleted because they were old, and from which something was removed that was erased.
  package var (expired, cleaned) = (0, 0)
  /// Pictures that no snapshot needs and that were deleted.
  package var removedPictures = 0
  /// Pictures whose digests were compared, and those that were replaced.
  package var (proved, replaced) = (0, 0)

  /// Whether everything is in the backup, and all of the backup is whole.
  package var isComplete: Bool { moved.isDone && damagedFiles + newerFiles == 0 }
}

/// Adds a snapshot of all records to a folder of backups, and the pictures that it doesn't have yet.
///
///     marks of what was erased, in any snapshot → records and pictures, page by page → the new snapshot
///     old snapshots: deleted, or written anew without what was erased → pictures that none needs: deleted
///
/// While a snapshot or picture of the folder can't be read or is damaged, nothing is deleted but what was erased.
package struct StoreBackup: Sendable {
  let source: PhotoAttachmentCache
  let folder: BackupFolder
  private let pictures: any BlobStorage
  let options: Options
  private let report: Report

  package struct Options: Sendable {
    /// Seconds after which a snapshot is deleted.
    package var lifetime: TimeInterval
    /// Copies pictures that are in an object store.
    package var takesObjects: Bool
    /// Pictures of the folder whose digests are compared.
    package var proves: [StoreShard]
    package var isStopped: @Sendable () -> Bool

    package init(
      lifetime: TimeInterval, takesObjects: Bool, proves: [StoreShard],
      isStopped: @escaping @Sendable () -> Bool
    ) {
      self.lifetime = lifetime
      self.takesObjects = takesObjects
      self.proves = proves
      self.isStopped = isStopped
    }
  }

  /// Receives what is not whole.
  package struct Report: Sendable {
    package var unmoved: @Sendable (UnmovedPhoto) throws(StoreError) -> Void
    /// A snapshot or picture of the folder.
    package var problem: @Sendable (StoreError) throws(StoreError) -> Void

    package init(
      unmoved: @escaping @Sendable (UnmovedPhoto) throws(StoreError) -> Void,
      problem: @escaping @Sendable (StoreError) throws(StoreError) -> Void
    ) {
      self.unmoved = unmoved
      self.problem = problem
    }
  }

  package init(
    of source: PhotoAttachmentCache, to folder: BackupFolder, _ options: Options, _ report: Report
  ) {
    self.source = source
    self.folder = folder
    self.options = options
    self.report = report
    pictures = Stores.pictures(of: folder)
  }

  /// Blocks.
  ///
  /// - Throws: errors of the store and the folder; `.cancelled`. Every snapshot that was there is whole then.
  package func run(at now: Date = Date()) throws(StoreError) -> BackupSummary {
    var summary = BackupSummary()
    _ = try pictures.removeUnfinished(dryRun: false) { _ in false }
    let scratch = try folder.scratch(beside: source)
    defer { scratch.discard() }
    var erasures: [String: Int64] = [:]
    let old = try foldErasures(into: scratch, &erasures, &summary)
    try fill(scratch, &summary)
    let new = try folder.add(scratch, stamp: BackupFolder.stamp(of: now))
    summary.snapshot = new.name
    var kept = try expire(old, new, &summary)
    let count = try StoreMove.Side(scratch.photos).records.erasureCount()
    for index in kept.indices where erasures[kept[index].name] != count {
      try clean(&kept[index], by: scratch, &summary)
    }
    try prove(&summary)
    if summary.damagedFiles + summary.newerFiles == 0 { try prune(for: [new] + kept, &summary) }
    return summary
  }

  // MARK: - The new snapshot

  /// Proves the old snapshots, and takes what they know to be erased.
  ///
  /// - Parameter erasures: gets how many marks each has.
  /// - Returns: those that are whole, the newest last.
  private func foldErasures(
    into scratch: RecordsFile, _ erasures: inout [String: Int64], _ summary: inout BackupSummary
  ) throws(StoreError) -> [BackupFolder.Snapshot] {
    var whole: [BackupFolder.Snapshot] = []
    for snapshot in try folder.list() {
      if options.isStopped() { throw .cancelled }
      do throws(StoreError) {
        let file = try folder.open(snapshot, beside: source)
        defer { file.close() }
        let side = StoreMove.Side(file.photos)
        try StoreMove(from: side, to: .init(scratch.photos, as: .snapshot), pageSize: 2000)
          .runErasures()
        erasures[snapshot.name] = try side.records.erasureCount()
        whole.append(snapshot)
      } catch { try note(error, &summary) }
    }
    return whole
  }

  /// Counts and reports a problem of one file of the folder; the rest of the work goes on.
  private func note(_ error: StoreError, _ summary: inout BackupSummary) throws(StoreError) {
    switch error {
    case .backup(.otherVersion, _): summary.newerFiles += 1
    case .backup(.damaged, _), .storage: summary.damagedFiles += 1
    default: throw error
    }
    try report.problem(error)
  }

  private func fill(
    _ scratch: RecordsFile, _ summary: inout BackupSummary
  ) throws(StoreError) {
    let objects = options.takesObjects ? nil : source.blobs as? any ObjectBlobStorage
    let target = PhotoAttachmentCache(
      folder.pictures, catalog: scratch.photos.catalog, blobs: pictures, policy: source.policy,
      pool: source.pool, decoders: nil, logger: Logger(label: "petspot"))
    summary.moved = try StoreMove(
      from: .init(source), to: .init(target, as: objects == nil ? .snapshot : .snapshotOfRecords),
      pageSize: 256, isStopped: options.isStopped, onUnmoved: report.unmoved
    ).run()
    if summary.moved.isStopped { throw .cancelled }
    // What changes meanwhile is in the next snapshot.
    summary.moved.differing = 0
    if let objects { try scratch.keepObjects(of: objects) }
  }

  // MARK: - Old snapshots

  /// How many of the newest snapshots always stay.
  private static let fewest = 3

  /// Deletes old snapshots if all are whole. Those from the future stay, and don't count. One is old if it was
  /// also old when the last but one was made: a clock that is wrong once deletes nothing.
  ///
  /// - Returns: those of `old` that are left.
  private func expire(
    _ old: [BackupFolder.Snapshot], _ new: BackupFolder.Snapshot, _ summary: inout BackupSummary
  ) throws(StoreError) -> [BackupFolder.Snapshot] {
    let past = old.filter { $0.made <= new.made }
    guard summary.damagedFiles + summary.newerFiles == 0, let last = past.last else { return old }
    let limit = min(last.made, new.made).addingTimeInterval(-options.lifetime)
    let expired = past.dropLast(Self.fewest - 1).filter { $0.made < limit }
    for snapshot in expired { try folder.remove(snapshot) }
    summary.expired = expired.count
    return old.filter { !expired.contains($0) }
  }

  /// Writes a snapshot anew without what was erased since.
  private func clean(
    _ snapshot: inout BackupFolder.Snapshot, by scratch: RecordsFile,
    _ summary: inout BackupSummary
  ) throws(StoreError) {
    if options.isStopped() { throw .cancelled }
    do throws(StoreError) {
      let old = try folder.open(snapshot, beside: source)
      defer { old.close() }
      let copy = try folder.scratch(copying: old, beside: source)
      defer { copy.discard() }
      try StoreMove(
        from: .init(scratch.photos), to: .init(copy.photos, as: .snapshot), pageSize: 2000
      ).runErasures()
      try copy.removeUnusedObjects()
      let new = try folder.add(copy, stamp: snapshot.stamp)
      try folder.remove(snapshot)
      snapshot = new
      summary.cleaned += 1
    } catch { try note(error, &summary) }
  }

  // MARK: - Pictures

  /// Compares the digests of a part of the pictures, and replaces damaged ones from the store.
  private func prove(_ summary: inout BackupSummary) throws(StoreError) {
    for kind in BlobPath.Kind.ofRecords {
      for shard in options.proves.flatMap(\.beginnings) {
        if options.isStopped() { throw .cancelled }
        let places = try pictures.list(.shard(kind, shard))
        let areIntact = try places.concurrentMap { [pictures] in pictures.isIntact($0) }
        summary.proved += places.count
        for (place, isIntact) in zip(places, areIntact) where !isIntact {
          if try replace(place) {
            summary.replaced += 1
          } else {
            try note(.backup(.damaged, path: pictures.url(of: place).path), &summary)
          }
        }
      }
    }
  }

  /// Returns whether the store has the picture.
  private func replace(_ place: BlobPath) throws(StoreError) -> Bool {
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try source.blobs.read(place) } catch {
      switch error {
      case .missingPhoto, .fault(.blobNotAFile), .storage: return false
      default: throw error
      }
    }
    guard sha256(of: bytes) == place.sha256 else { return false }
    _ = try pictures.put(
      EncodedPicture(
        bytes: bytes, format: place.format, pixelWidth: 0, pixelHeight: 0, frameCount: 0,
        sha256: place.sha256), kind: place.kind)
    return true
  }

  /// Deletes pictures that no snapshot refers to. Most are in the first one.
  private func prune(
    for snapshots: [BackupFolder.Snapshot], _ summary: inout BackupSummary
  ) throws(StoreError) {
    var unused: [BlobPath] = []
    for (index, snapshot) in snapshots.enumerated() {
      let file = try folder.open(snapshot, beside: source)
      defer { file.close() }
      if index == 0 {
        for kind in BlobPath.Kind.ofRecords {
          for shard in StoreShard.whole.beginnings {
            unused += try file.photos.catalog.unreferenced(pictures.list(.shard(kind, shard)))
          }
        }
      } else {
        var left: [BlobPath] = []
        for some in PhotoRows.groups(unused, of: 500) {
          left += try file.photos.catalog.unreferenced(some)
        }
        unused = left
      }
      if unused.isEmpty { return }
    }
    for place in unused where try pictures.remove(place) != nil { summary.removedPictures += 1 }
  }
}
