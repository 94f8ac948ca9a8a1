package import Foundation
import Logging
package import PhotoAttachments
import PhotoIngestion
package import ReportFlow

/// The results of a backup.
package struct BackupSummary: Sendable, Equatable {
  /// The name of the new snapshot.
  package var snapshot = ""
  /// The counts of photos, pictures and entries that were copied into the new snapshot.
  package var moved = MoveSummary()
  /// Snapshots and pictures in the folder that are unreadable or damaged, or whose erased records couldn't be removed.
  /// They are kept.
  package var damagedFiles = 0
  /// Snapshots that another version of this program wrote. They are kept.
  package var newerFiles = 0
  /// Snapshots that were deleted because of their age.
  package var expired = 0
  /// Snapshots that were rewritten without records that have been erased since.
  package var cleaned = 0
  /// Pictures that no snapshot needs and that were deleted.
  package var removedPictures = 0
  /// Pictures whose digests were compared.
  package var proved = 0
  /// Damaged pictures that were replaced from the store.
  package var replaced = 0

  /// `true` if everything is in the backup, and all of the backup is whole.
  package var isComplete: Bool { moved.isDone && damagedFiles + newerFiles == 0 }
}

/// Receives the photos that a backup or a restore can't copy, and the errors of the backup folder.
package struct BackupReport: Sendable {
  let unmoved: @Sendable (UnmovedPhoto) throws(StoreError) -> Void
  let problem: @Sendable (StoreError) throws(StoreError) -> Void

  /// - Parameters:
  ///   - unmoved: a function that is called with each photo that couldn't be copied.
  ///   - problem: a function that is called with the error of a snapshot or picture in the folder.
  package init(
    unmoved: @escaping @Sendable (UnmovedPhoto) throws(StoreError) -> Void,
    problem: @escaping @Sendable (StoreError) throws(StoreError) -> Void
  ) {
    self.unmoved = unmoved
    self.problem = problem
  }
}

/// Adds a snapshot of all records to a folder of backups, and the pictures that the folder doesn't have yet. A mark
/// (`ErasureMark`) is the remaining trace of an erased record and keeps it from being restored.
///
///     marks of erased records, in any snapshot → records and pictures, page by page
///     old snapshots: rewritten without what was erased → the new snapshot
///     old snapshots, and pictures that no snapshot needs: deleted
///
/// While a snapshot or picture of the folder, or a photo of the store, is missing, damaged or unreadable, only what was
/// erased is deleted.
package struct StoreBackup: Sendable {
  let source: PhotoAttachmentCache
  let folder: BackupFolder
  private let pictures: any BlobStorage
  private let report: BackupReport
  /// The age in seconds after which a snapshot is deleted.
  package var lifetime: TimeInterval = 30 * 86_400
  /// `true` if pictures in an object store are copied too.
  package var takesObjects = false
  /// The parts of the folder's pictures whose digests are compared.
  package var partsToVerify: [StoreShard] = []
  package var isStopped: @Sendable () -> Bool = { false }

  package init(of source: PhotoAttachmentCache, to folder: BackupFolder, _ report: BackupReport) {
    self.source = source
    self.folder = folder
    self.report = report
    pictures = folder.storage
  }

  /// Makes the backup. Blocks.
  ///
  /// - Throws: errors of the store and the folder; `.cancelled`. All snapshots in the folder are whole even then.
  package func makeBackup(at now: Date = Date()) throws(StoreError) -> BackupSummary {
    var summary = BackupSummary()
    let records = RecordsToMove(source)
    try source.checkIsRestored()
    for error in folder.unreadableShards { try recordProblem(error, &summary) }
    _ = try pictures.removeUnfinished(dryRun: false) { _ in false }
    try folder.removeScratch()
    let scratch = try folder.scratch(beside: source)
    defer { scratch.discard() }
    var erasures: [String: Int64] = [:]
    var old = try foldErasures(into: scratch, &erasures, &summary)
    let secret = try records.secret()
    if let last = old.last {
      let known = try withRecords(of: last) { records throws(StoreError) in try records.secret() }
      if known != secret { throw .backup(.otherStore, path: folder.path) }
    }
    try fill(scratch, &summary)
    let filled = RecordsToMove(scratch.photos)
    let count = try filled.erasureCount()
    for index in old.indices where erasures[old[index].name] != count {
      try clean(&old[index], by: scratch, &summary)
    }
    // If everything was erased from the store, the old snapshots must be empty too. Otherwise they are from another
    // store.
    if try !filled.hasContent() {
      for snapshot in old {
        let had = try withRecords(of: snapshot) { records throws(StoreError) in
          try records.hasContent()
        }
        if had { throw .backup(.otherStore, path: folder.path) }
      }
    }
    let new = try folder.add(scratch, stamp: BackupFolder.stamp(of: now))
    summary.snapshot = new.name
    try prove(partsToVerify, &summary)
    // A lost or restored catalog may lack records that older snapshots have.
    if try source.catalog.mayLackRecordsOfPictures() {
      Logger(label: "petspot").warning(
        "no old snapshot was deleted, because the catalog was lost once or is an earlier copy")
    } else if summary.damagedFiles + summary.newerFiles + summary.moved.problems == 0 {
      try prune(old, new, &summary)
    }
    return summary
  }

  private func withRecords<T>(
    of snapshot: BackupFolder.Snapshot, _ work: (RecordsToMove) throws(StoreError) -> T
  ) throws(StoreError) -> T {
    let file = try folder.open(snapshot, beside: source)
    defer { file.close() }
    return try work(RecordsToMove(file.photos))
  }

  // MARK: - The new snapshot

  /// Checks the old snapshots, and copies their marks of erased records.
  ///
  /// - Parameter erasures: receives the number of marks in each snapshot.
  /// - Returns: the snapshots that are whole, the newest last.
  private func foldErasures(
    into scratch: RecordsFile, _ erasures: inout [String: Int64], _ summary: inout BackupSummary
  ) throws(StoreError) -> [BackupFolder.Snapshot] {
    var whole: [BackupFolder.Snapshot] = []
    for snapshot in try folder.list() {
      if isStopped() { throw .cancelled }
      do throws(StoreError) {
        let file = try folder.open(snapshot, beside: source)
        defer { file.close() }
        let side = StoreMove.Side(file.photos)
        try StoreMove(from: side, to: .init(scratch.photos, as: .snapshot), pageSize: 2000)
          .copyErasures()
        erasures[snapshot.name] = try side.records.erasureCount()
        whole.append(snapshot)
      } catch { try recordProblem(error, &summary) }
    }
    return whole
  }

  /// Counts and reports a problem of one file of the folder. Rethrows other errors.
  private func recordProblem(_ error: StoreError, _ summary: inout BackupSummary) throws(StoreError)
  {
    switch error {
    case .backup(.otherVersion, _): summary.newerFiles += 1
    case .backup(.damaged, _), .storage: summary.damagedFiles += 1
    default: throw error
    }
    try report.problem(error)
  }

  /// Copies the store's records and pictures into the new snapshot.
  private func fill(
    _ scratch: RecordsFile, _ summary: inout BackupSummary
  ) throws(StoreError) {
    let objects = takesObjects ? nil : source.blobs as? any ObjectBlobStorage
    let target = PhotoAttachmentCache(
      folder.pictures, catalog: scratch.photos.catalog, blobs: pictures, policy: source.policy,
      pool: source.pool, decoding: .inProcess, logger: Logger(label: "petspot"))
    summary.moved = try StoreMove(
      from: .init(source), to: .init(target, as: objects == nil ? .snapshot : .snapshotOfRecords),
      pageSize: 256, isStopped: isStopped, onUnmoved: report.unmoved
    ).copyAll()
    if summary.moved.isStopped { throw .cancelled }
    // Changes made during the copy will be in the next snapshot.
    summary.moved.differing = 0
    summary.damagedFiles += summary.moved.unstored
    if let objects { try scratch.copyObjectKeys(of: objects) }
  }

  // MARK: - Old snapshots

  /// The number of newest snapshots that are always kept.
  private static let fewest = 3

  /// Returns the snapshots to delete.
  ///
  /// The newest are kept. Snapshots from the future are kept too, and don't count as newest. A snapshot is old only if
  /// it already was when the last snapshot before `new` was made, so a clock that is wrong once deletes nothing.
  private func expired(
    _ old: [BackupFolder.Snapshot], _ new: BackupFolder.Snapshot
  ) -> [BackupFolder.Snapshot] {
    let past = old.filter { $0.made <= new.made }
    guard let last = past.last else { return [] }
    let limit = last.made.addingTimeInterval(-lifetime)
    return past.dropLast(Self.fewest - 1).filter { $0.made < limit }
  }

  /// Rewrites a snapshot without records that have been erased since.
  private func clean(
    _ snapshot: inout BackupFolder.Snapshot, by scratch: RecordsFile,
    _ summary: inout BackupSummary
  ) throws(StoreError) {
    if isStopped() { throw .cancelled }
    do throws(StoreError) {
      let old = try folder.open(snapshot, beside: source)
      defer { old.close() }
      let copy = try folder.scratch(copying: old, beside: source)
      defer { copy.discard() }
      try StoreMove(
        from: .init(scratch.photos), to: .init(copy.photos, as: .snapshot), pageSize: 2000
      ).copyErasures()
      try copy.removeUnusedKeys()
      let new = try folder.add(copy, stamp: snapshot.stamp)
      try folder.remove(snapshot)
      snapshot = new
      summary.cleaned += 1
    } catch { try recordProblem(error, &summary) }
  }

  // MARK: - Pictures

  /// Compares the digests of some pictures with their names, and replaces damaged ones from the store.
  func prove(_ parts: [StoreShard], _ summary: inout BackupSummary) throws(StoreError) {
    for kind in BlobPath.Kind.ofRecords {
      for prefix in parts.flatMap(\.prefixes) {
        if isStopped() { throw .cancelled }
        let places: [BlobPath]
        do throws(StoreError) { places = try pictures.list(.shard(kind, prefix)) } catch {
          try recordProblem(error, &summary)
          continue
        }
        let areIntact = try places.concurrentMap { [pictures] in pictures.isIntact($0) }
        summary.proved += places.count
        for (place, isIntact) in zip(places, areIntact) where !isIntact {
          if try replace(place) {
            summary.replaced += 1
          } else {
            try recordProblem(.backup(.damaged, path: pictures.url(of: place).path), &summary)
          }
        }
      }
    }
  }

  /// Replaces a picture from the store. Returns `false` if the store doesn't have it intact.
  private func replace(_ place: BlobPath) throws(StoreError) -> Bool {
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try source.blobs.readPicture(place) } catch {
      switch error {
      case .missingPhoto, .fault(.blobNotAFile), .storage: return false
      default: throw error
      }
    }
    guard sha256(of: bytes) == place.sha256 else { return false }
    _ = try pictures.put(EncodedPicture(bytes, at: place), kind: place.kind)
    return true
  }

  /// Deletes old snapshots, and pictures that no remaining one refers to. Reads everything before it deletes anything.
  private func prune(
    _ old: [BackupFolder.Snapshot], _ new: BackupFolder.Snapshot, _ summary: inout BackupSummary
  ) throws(StoreError) {
    let expired = expired(old, new)
    let newest = try folder.open(new, beside: source)
    defer { newest.close() }
    var unused: [BlobPath] = []
    do throws(StoreError) {
      for kind in BlobPath.Kind.ofRecords {
        for prefix in StoreShard.whole.prefixes {
          unused += try newest.photos.catalog.selectUnreferenced(
            pictures.list(.shard(kind, prefix)))
        }
      }
    } catch { return try recordProblem(error, &summary) }
    for snapshot in old.reversed() where !expired.contains(snapshot) && !unused.isEmpty {
      let file = try folder.open(snapshot, beside: source)
      defer { file.close() }
      var left: [BlobPath] = []
      for some in PhotoRows.groups(unused, of: 500) {
        left += try file.photos.catalog.selectUnreferenced(some)
      }
      unused = left
    }
    for snapshot in expired { try folder.remove(snapshot) }
    summary.expired = expired.count
    for place in unused where try pictures.remove(place) != nil { summary.removedPictures += 1 }
  }
}
