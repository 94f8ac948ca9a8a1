package import Foundation
package import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The check that a snapshot can be restored (`--prove`).
extension StoreBackup {
  /// The number of days in which the digest of every picture is compared once.
  private static let provingDays = 30

  /// Returns the parts of the pictures to check today: one per day since the last check, or all.
  package static func parts(sinceProof last: Date?, now: Date = Date()) -> [StoreShard] {
    func day(_ moment: Date) -> Int { Int(moment.timeIntervalSince1970 / 86_400) }
    guard let last, (0..<provingDays).contains(day(now) - day(last)) else { return [.whole] }
    return (0..<max(1, day(now) - day(last))).compactMap {
      StoreShard((day(now) - $0) % provingDays + 1, of: provingDays)
    }
  }

  /// Restores some photos and rows of a snapshot into a temporary store in the folder, and verifies them. If they
  /// aren't whole, checks all pictures of the folder before a second try.
  ///
  /// - Returns: `true` if the sample is whole.
  package func restoresSample(of name: String) async throws(StoreError) -> Bool {
    if try await isSampleWhole(of: name) { return true }
    try await source.threads.finish { try proveAll() }
    return try await isSampleWhole(of: name)
  }

  private func proveAll() throws(StoreError) {
    var summary = BackupSummary()
    try prove([.whole], &summary)
  }

  private func isSampleWhole(of name: String) async throws(StoreError) -> Bool {
    let path = folder.newSamplePath()
    // The next run deletes a sample that couldn't be removed.
    defer { try? folder.removeScratch(path) }
    let sample = try Stores.open(
      CacheFolder(path: path), pool: source.pool, decoding: .inProcess, timeout: 10
    ).photos
    let moved = try await source.threads.finish { try restoreSample(of: name, to: sample) }
    let verified = try await PhotoVerifier(
      cache: sample, pipeline: PhotoPipeline(policy: sample.policy, decoding: .inProcess)
    ).verify()
    try await sample.close()
    return moved.problems == 0 && verified.isClean
  }

  private func restoreSample(
    of name: String, to sample: PhotoAttachmentCache
  ) throws(StoreError) -> MoveSummary {
    guard let snapshot = BackupFolder.Snapshot(name: name) else { throw .fault(.record) }
    let objects = takesObjects ? nil : source.blobs as? any ObjectBlobStorage
    let file = try folder.open(snapshot, beside: source, blobs: objects)
    defer { file.close() }
    var move = StoreMove(
      from: .init(file.photos), to: .init(sample, as: .restored), pageSize: 16)
    let last = try file.photos.catalog.newest(1, before: .max).first?.sequence ?? 0
    move.sampleStart = .random(in: 0...max(0, last - 16))
    return try move.copyAll()
  }
}
