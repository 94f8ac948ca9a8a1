import Announcements
package import Foundation
import Glibc
package import PhotoAttachments

/// What a backup did.
package struct BackupSummary: Sendable, Equatable {
  /// The name of the new snapshot.
  package var snapshot = ""
  /// Photos in it, and other records.
  package var (photos, entries) = (0, 0)
  /// Pictures that were copied because the folder didn't have them, and their bytes.
  package var (pictures, bytes) = (0, 0)
  /// Photos whose pictures are missing or damaged in the store.
  package var (missing, damaged) = (0, 0)
  /// Snapshots that were deleted because they were old, or not as they were written.
  package var (expired, unreadable) = (0, 0)
  /// Snapshots from which something was removed that has been erased since, and pictures that were deleted.
  package var (cleaned, removedPictures) = (0, 0)

  /// Whether all photos are in it.
  package var isComplete: Bool { missing + damaged == 0 }
}

/// Adds a snapshot of all records to a folder of backups, and the pictures that it doesn't have yet. What was
/// erased or forgotten since goes from all of the folder.
///
///     records of one moment → pictures that are not there: read, proved, stored → the snapshot
///     older snapshots: deleted, or rewritten without what has a mark → pictures that none refers to: deleted
package struct StoreBackup: Sendable {
  private let source: StoreMove.Side
  private let folder: BackupFolder
  /// The pictures of the folder.
  private let pictures: any BlobStorage
  /// Seconds after which a snapshot is deleted.
  private let lifetime: TimeInterval
  private let isStopped: @Sendable () -> Bool

  package init(
    of source: StoreMove.Side, to folder: BackupFolder, pictures: any BlobStorage,
    keeping lifetime: TimeInterval, isStopped: @escaping @Sendable () -> Bool
  ) {
    (self.source, self.folder, self.pictures) = (source, folder, pictures)
    (self.lifetime, self.isStopped) = (lifetime, isStopped)
  }

  /// Blocks. The folder has to be locked.
  ///
  /// - Throws: errors of the store and the folder; `.cancelled`. The snapshots that were there are whole then.
  package func run(at now: Date = Date()) throws(StoreError) -> BackupSummary {
    var summary = BackupSummary()
    let (known, damaged) = folder.list()
    summary.unreadable = damaged.count
    try folder.remove(damaged)
    var snapshot = try source.records.snapshot()
    let marks = known.reduce(snapshot.marks) { $0.union($1.manifest.marks) }
    snapshot = snapshot.erasing(marks)
    let files = try copyPictures(of: &snapshot, &summary)
    let new = try folder.add(
      snapshot, pictures: files, objects: try objects(of: snapshot), at: now)
    summary.snapshot = new.name
    summary.photos = snapshot.photos.count
    summary.entries = snapshot.rows.values.reduce(0) { $0 + $1.count }
    let kept = try clean(known, marks, at: now, &summary)
    try prune(keeping: kept + [new], &summary)
    return summary
  }

  // MARK: - Pictures

  /// Copies the pictures that the folder doesn't have. Photos that were deleted meanwhile leave the snapshot.
  private func copyPictures(
    of snapshot: inout Snapshot, _ summary: inout BackupSummary
  ) throws(StoreError) -> [BackupFolder.Manifest.File] {
    if source.blobs.isRemote { return [] }
    var files: Set<BackupFolder.Manifest.File> = []
    var gone: Set<String> = []
    for page in PhotoRows.groups(snapshot.photos, of: 64) {
      if isStopped() { throw .cancelled }
      let wanted = Dictionary(page.flatMap(MovedPicture.all).map { ($0.place, $0) }) { one, _ in one
      }
      let fates = try Array(wanted.values).concurrentMap { [source, pictures] picture in
        (picture, try picture.bring(from: source.blobs, to: pictures))
      }
      let failed = Dictionary(
        uniqueKeysWithValues: fates.filter { $0.1 > .brought }.map { ($0.0.place, $0.1) })
      for (picture, fate) in fates where fate <= .brought {
        files.insert(
          .init(
            path: picture.place.relativePath, sha256: picture.place.sha256,
            bytes: picture.sizeBytes))
        if fate == .brought {
          summary.pictures += 1
          summary.bytes += picture.sizeBytes
        }
      }
      let incomplete = page.filter { photo in photo.places.contains { failed[$0] != nil } }
      if incomplete.isEmpty { continue }
      let there = Set(try source.records.photos(ids: incomplete.map(\.id)).map(\.id))
      for photo in incomplete {
        if !there.contains(photo.id) {
          gone.insert(photo.id)
        } else if photo.places.contains(where: { failed[$0] == .damaged }) {
          summary.damaged += 1
        } else {
          summary.missing += 1
        }
      }
    }
    snapshot.photos.removeAll { gone.contains($0.id) }
    return files.sorted { $0.path < $1.path }
  }

  /// Key and size of each object that keeps a picture; nil where files do.
  private func objects(of snapshot: Snapshot) throws(StoreError) -> Data? {
    guard let objects = source.blobs as? any ObjectBlobStorage else { return nil }
    var lines = ""
    for photo in snapshot.photos {
      for place in photo.places {
        guard let object = try objects.ledger.object(of: place) else { continue }
        lines += "\(objects.key(object))\t\(object.sizeBytes)\n"
      }
    }
    return Data(lines.utf8)
  }

  // MARK: - Older snapshots

  private func clean(
    _ known: [BackupFolder.Entry], _ marks: Set<String>, at now: Date,
    _ summary: inout BackupSummary
  ) throws(StoreError) -> [BackupFolder.Entry] {
    let oldest = now.addingTimeInterval(-lifetime)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let expired = known.filter { $0.manifest.made < oldest }
    summary.expired = expired.count
    try folder.remove(expired.map(\.name))
    var kept: [BackupFolder.Entry] = []
    for var entry in known where entry.manifest.made >= oldest {
      if Set(entry.manifest.marks) != marks {
        do throws(StoreError) {
          try folder.replace(&entry, by: try folder.records(of: entry).erasing(marks))
          summary.cleaned += 1
        } catch {
          // What can't be read can't be cleaned, and not be restored either.
          guard case .backup(.damaged, _) = error else { throw error }
          try folder.remove([entry.name])
          summary.unreadable += 1
          continue
        }
      }
      kept.append(entry)
    }
    return kept
  }

  /// Deletes pictures that no snapshot refers to.
  private func prune(
    keeping entries: [BackupFolder.Entry], _ summary: inout BackupSummary
  ) throws(StoreError) {
    let wanted = Set(entries.flatMap { $0.manifest.pictures.map(\.path) })
    for kind in BlobPath.Kind.ofRecords {
      for shard in StoreShard.whole.beginnings {
        let places = try pictures.list(.shard(kind, shard))
        for place in places where !wanted.contains(place.relativePath) {
          if try pictures.remove(place) != nil { summary.removedPictures += 1 }
        }
      }
    }
    _ = try pictures.removeUnfinished(dryRun: false) { _ in true }
  }
}

/// Brings a snapshot of a folder of backups into empty stores.
package struct StoreRestore: Sendable {
  private let folder: BackupFolder
  private let pictures: any BlobStorage
  private let target: StoreMove.Side

  package init(
    from folder: BackupFolder, pictures: any BlobStorage, to target: StoreMove.Side
  ) {
    (self.folder, self.pictures, self.target) = (folder, pictures, target)
  }

  /// Restores the newest snapshot, or another, without what any of them says was erased. Blocks. One that was
  /// killed is begun again.
  ///
  /// - Parameters:
  ///   - name: the snapshot's name, or the beginning of it; nil for the newest.
  ///   - move: gets the move to be run.
  /// - Throws: `StoreError.backup`; errors of the stores.
  package func run(
    _ name: String?, _ move: (any MoveSource) throws(StoreError) -> MoveSummary
  ) throws(StoreError) -> MoveSummary {
    let entries = folder.list().whole
    let chosen = entries.last { name.map($0.name.hasPrefix) ?? true }
    guard let chosen else { throw .backup(.noSnapshot, path: folder.path) }
    let marks = entries.reduce(Set<String>()) { $0.union($1.manifest.marks) }
    var snapshot = try folder.records(of: chosen).erasing(marks)
    guard try target.records.isEmpty() else {
      throw .backup(.notEmpty, path: target.cache.folder.path)
    }
    try target.records.noteRestore(isUnderWay: true)
    var source = SnapshotSource(snapshot, blobs: pictures)
    var damaged = 0
    if let objects = chosen.manifest.objects {
      guard let storage = target.blobs as? any ObjectBlobStorage else {
        throw .backup(.elsewhere, path: folder.path)
      }
      try adopt(try folder.read(objects, of: chosen), in: storage)
      // Their digests; a move only looks whether pictures are there.
      let proofs = try snapshot.photos.concurrentMap { photo in
        photo.places.allSatisfy(storage.isIntact)
      }
      let whole = zip(snapshot.photos, proofs).filter(\.1).map(\.0)
      damaged = snapshot.photos.count - whole.count
      snapshot.photos = whole
      source = SnapshotSource(snapshot, blobs: storage)
    }
    var summary = try move(source)
    summary.damaged += damaged
    if !summary.isStopped { try target.records.noteRestore(isUnderWay: false) }
    return summary
  }

  /// Records which objects keep the pictures.
  private func adopt(_ lines: Data, in storage: any ObjectBlobStorage) throws(StoreError) {
    let objects = lines.split(separator: UInt8(ascii: "\n")).compactMap { line -> StoredObject? in
      let parts = String(decoding: line, as: UTF8.self).split(separator: "\t")
      guard parts.count == 2, let bytes = Int(parts[1]) else { return nil }
      return storage.object(key: String(parts[0]), sizeBytes: bytes)
    }
    for group in PhotoRows.groups(objects, of: 500) { try storage.ledger.adopt(group) }
  }
}
