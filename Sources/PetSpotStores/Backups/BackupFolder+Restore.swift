import Foundation
package import PhotoAttachments
package import ReportFlow

/// The results of a restore.
package struct RestoreSummary: Sendable {
  package let moved: MoveSummary
  /// The number of other snapshots that couldn't be read.
  package let problems: Int
  /// The name of the restored snapshot, and the names of newer ones. The newer ones were skipped because they are from
  /// the future by this machine's clock.
  package let snapshot: String
  package let newer: [String]
}

extension BackupFolder {
  /// Copies a snapshot into empty stores, without anything that another snapshot lists as erased. Blocks. After an
  /// interruption, call it again.
  ///
  /// - Parameter name: the snapshot's name or a prefix of it. `nil` means the snapshot whose restore was interrupted,
  ///   or else the newest that is not from the future.
  /// - Throws: `StoreError.backup`; errors of the stores.
  package func restore(
    _ name: String?, to store: PhotoAttachmentCache, _ report: BackupReport,
    isStopped: @escaping @Sendable () -> Bool
  ) throws(StoreError) -> RestoreSummary {
    let target = StoreMove.Side(store, as: .restored)
    let all = try list()
    let now = Date()
    let begun = try store.catalog.snapshotUnderWay()
    let chosen =
      if let name = name ?? begun { all.last { $0.name.hasPrefix(name) } } else {
        all.last { $0.made <= now } ?? all.last
      }
    guard let chosen else {
      throw name == nil && begun != nil
        ? .backup(.otherRestore, path: begun ?? "") : .backup(.noSnapshot, path: path)
    }
    var snapshot = try open(chosen, beside: store)
    defer { snapshot.close() }
    let stamp = String(chosen.stamp)
    guard try target.records.beginRestore(of: stamp) else {
      throw .backup(.notEmpty, path: store.folder.path)
    }
    if try snapshot.hasObjects() {
      guard let objects = store.blobs as? any ObjectBlobStorage else {
        throw .backup(.elsewhere, path: path)
      }
      try snapshot.registerObjects(in: objects)
      snapshot.close()
      snapshot = try open(chosen, beside: store, blobs: objects)
    }
    var problems = 0
    for other in all where other != chosen {
      do throws(StoreError) {
        let file = try open(other, beside: store)
        defer { file.close() }
        try StoreMove(from: .init(file.photos), to: target, pageSize: 2000).copyErasures()
      } catch {
        switch error {
        case .backup, .storage: problems += 1
        default: throw error
        }
        try report.problem(error)
      }
    }
    let moved = try StoreMove(
      from: .init(snapshot.photos), to: target, pageSize: 256, isStopped: isStopped,
      onUnmoved: report.unmoved
    ).copyAll()
    if !moved.isStopped {
      try target.records.noteBackups(in: path)
      try target.records.endRestore(of: stamp)
    }
    let newer = name == nil ? all.filter { $0.made > chosen.made }.map(\.name) : []
    return RestoreSummary(
      moved: moved, problems: problems, snapshot: chosen.name, newer: newer)
  }
}
