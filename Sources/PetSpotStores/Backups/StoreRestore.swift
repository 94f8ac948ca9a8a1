import Foundation
package import PhotoAttachments
package import ReportFlow

/// Brings a snapshot of a folder of backups into empty stores.
package struct StoreRestore: Sendable {
  private let folder: BackupFolder
  private let target: StoreMove.Side
  private let report: StoreBackup.Report

  package init(
    from folder: BackupFolder, to target: PhotoAttachmentCache, _ report: StoreBackup.Report
  ) {
    self.folder = folder
    self.target = StoreMove.Side(target, as: .restored)
    self.report = report
  }

  /// Restores a snapshot, without what any of the others says was erased. Blocks. One that was killed is begun
  /// again.
  ///
  /// - Parameter name: the snapshot's name, or the beginning of it; nil for the newest, unless that is from the
  ///   future.
  /// - Returns: what was restored, and how many other snapshots can't be read.
  /// - Throws: `StoreError.backup`; errors of the stores.
  package func run(
    _ name: String?, isStopped: @escaping @Sendable () -> Bool
  ) throws(StoreError) -> (moved: MoveSummary, problems: Int) {
    let all = try folder.list()
    let now = Date()
    let chosen =
      name.map { name in all.last { $0.name.hasPrefix(name) } }
      ?? all.last { $0.made <= now } ?? all.last
    guard let chosen else { throw .backup(.noSnapshot, path: folder.path) }
    var snapshot = try folder.open(chosen, beside: target.cache)
    defer { snapshot.close() }
    guard try target.records.isEmpty() else {
      throw .backup(.notEmpty, path: target.cache.folder.path)
    }
    try target.records.noteRestore(isUnderWay: true)
    if try snapshot.hasObjects() {
      guard let objects = target.cache.blobs as? any ObjectBlobStorage else {
        throw .backup(.elsewhere, path: folder.path)
      }
      try snapshot.adoptObjects(in: objects)
      snapshot.close()
      snapshot = try folder.open(chosen, beside: target.cache, blobs: objects)
    }
    var problems = 0
    for other in all where other != chosen {
      do throws(StoreError) {
        let file = try folder.open(other, beside: target.cache)
        defer { file.close() }
        try StoreMove(from: .init(file.photos), to: target, pageSize: 2000).runErasures()
      } catch {
        guard case .backup = error else { throw error }
        problems += 1
        try report.problem(error)
      }
    }
    let moved = try StoreMove(
      from: .init(snapshot.photos), to: target, pageSize: 256, isStopped: isStopped,
      onUnmoved: report.unmoved
    ).run()
    if !moved.isStopped { try target.records.noteRestore(isUnderWay: false) }
    return (moved, problems)
  }
}
