import Foundation
import Logging
package import PhotoAttachments
import PhotoIngestion
import Synchronization
import TestPictures

/// Rules for stores that are swept and verified in parts.
package enum StoreShards {
  /// Returns the differences between the parts of a new place and the whole; empty if there are no differences.
  ///
  /// - Parameter folder: an empty cache folder for staged pictures.
  package static func findings(in place: StorePlace, _ folder: CacheFolder) async -> [String] {
    let found = Findings()
    do {
      try folder.make()
      let cache = try fill(place, folder)
      try await verify(cache, found)
      try await sweep(cache, found)
      try await repair(place, cache, found)
    } catch { found.add("\(error)") }
    return found.all
  }

  /// Stores 60 photos, some with a missing or damaged blob or preview, and the pictures of 40 photos without records.
  private static func fill(
    _ place: StorePlace, _ folder: CacheFolder
  ) throws -> PhotoAttachmentCache {
    let stores = try place.open()
    for number in 0..<60 {
      try stores.join(number)
      switch number % 6 {
      case 1: _ = try stores.storage.remove(Stores.blob(number))
      case 2: _ = try stores.storage.remove(Stores.preview(number))
      case 3: try place.damage(Stores.blob(number), [1, 2, 3])
      case 4 where number < 30: try place.damage(Stores.preview(number), [4])
      default: break
      }
    }
    for number in 100..<140 { try stores.put(number) }
    return try cache(place, folder)
  }

  private static func cache(
    _ place: StorePlace, _ folder: CacheFolder
  ) throws -> PhotoAttachmentCache {
    let stores = try place.open()
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return PhotoAttachmentCache(
      folder, catalog: stores.catalog, blobs: stores.storage, policy: PhotoPolicy(),
      pool: WorkerPool(threadCount: 2), decoding: .inProcess,
      now: { Date(timeIntervalSinceNow: 3600) },
      newID: { UUID() }, logger: logger)
  }

  private static func told(
    _ cache: PhotoAttachmentCache, _ shard: StoreShard, repairs: Bool = false
  ) async throws -> (report: VerifyReport, told: [String]) {
    var options = VerifyOptions()
    (options.all, options.dryRun, options.repairs) = (true, !repairs, repairs)
    options.shard = shard
    let told = Mutex([String]())
    let verifier = PhotoVerifier(
      cache: cache, pipeline: PhotoPipeline(decoding: .inProcess), options: options)
    let report = try await verifier.verify { finding in
      let line = "\(finding.photo ?? "-") \(finding.path ?? "-") \(finding.problem)"
      told.withLock { $0.append(line) }
    }
    return (report, told.withLock { $0.sorted() })
  }

  private static func parts(_ count: Int) throws -> [StoreShard] {
    try (1...count).map { number in
      guard let shard = StoreShard(number, of: count) else { throw Missing(what: "a shard") }
      return shard
    }
  }

  // MARK: - The rules

  /// The findings of the parts are those of the whole, each in exactly one part, and all counts add up.
  private static func verify(_ cache: PhotoAttachmentCache, _ found: Findings) async throws {
    let whole = try await told(cache, .whole)
    found.equal(whole.report.checked, 60)
    found.equal(whole.report.missing, 20)
    found.equal(whole.report.damaged, 15)
    found.equal(whole.report.orphans, 80)
    for count in [1, 2, 3, 7, 256] {
      var (sum, all, busy) = (VerifyReport.nothing, [String](), 0)
      for shard in try parts(count) {
        let part = try await told(cache, shard)
        sum.add(part.report)
        all += part.told
        if part.report.checked > 0 { busy += 1 }
      }
      found.equal(all.sorted(), whole.told, "\(count) parts")
      found.equal(sum, whole.report, "\(count) parts")
      found.expect(count > 7 || busy == count, "\(busy) of \(count) parts had something to do")
    }
  }

  /// Three sweeps at once delete exactly what one would, and each picture once.
  private static func sweep(_ cache: PhotoAttachmentCache, _ found: Findings) async throws {
    let stores = Stores(catalog: cache.catalog, storage: cache.blobs)
    let before = try stores.listed()
    let orphans = Set((100..<140).flatMap { Stores.places($0) })
    let wanted = try await cache.sweep(dryRun: true, grace: .seconds(-1))
    found.equal(wanted.removedBlobs, orphans.count)
    let reports = try await withThrowingTaskGroup(of: SweepReport.self) { group in
      for shard in try parts(3) {
        group.addTask { try await cache.sweep(grace: .seconds(-1), shard: shard) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    found.equal(reports.map(\.removedBlobs).reduce(0, +), wanted.removedBlobs)
    found.equal(reports.map(\.removedBytes).reduce(0, +), wanted.removedBytes)
    found.equal(try stores.listed(), before.subtracting(orphans))
    found.equal(try await cache.sweep(grace: .seconds(-1)), .nothing)
  }

  /// Three repairs at once restore exactly what one would.
  private static func repair(
    _ place: StorePlace, _ cache: PhotoAttachmentCache, _ found: Findings
  ) async throws {
    var ids: Set<String> = []
    for image in [
      "baseline-420.jpg", "alpha.png", "animated.gif", "display-p3.png", "orientation-6.jpg",
      "gps-exif.jpg", "alpha-lossy.webp",
    ] {
      let file = TestImage.folder.appending(path: image)
      let photo = try await cache.save(draft: image) {
        try PhotoPipeline(decoding: .inProcess).prepare(.file(path: "\(file.path)", name: nil))
      }
      let preview = try found.require(
        BlobPath(.preview, sha256: photo.preview.sha256, format: photo.preview.format))
      try place.damage(preview, [1])
      ids.insert(photo.id.uuidString)
    }
    let before = try await told(cache, .whole).report
    let reports = try await withThrowingTaskGroup(of: VerifyReport.self) { group in
      for shard in try parts(3) {
        group.addTask { try await told(cache, shard, repairs: true).report }
      }
      return try await group.reduce(into: VerifyReport.nothing) { $0.add($1) }
    }
    let after = try await told(cache, .whole)
    found.expect(reports.repaired >= ids.count, "\(reports.repaired) repaired")
    found.equal(
      after.report.damaged + after.report.missing,
      before.damaged + before.missing - reports.repaired)
    found.expect(!after.told.contains { line in ids.contains { line.hasPrefix($0) } }, "\(after)")
  }
}

extension VerifyReport {
  fileprivate mutating func add(_ other: Self) {
    checked += other.checked
    damaged += other.damaged
    missing += other.missing
    repaired += other.repaired
    quarantined += other.quarantined
    orphans += other.orphans
    orphanBytes += other.orphanBytes
    leftovers += other.leftovers
    abandoned += other.abandoned
    recordsLost = recordsLost || other.recordsLost
  }
}
