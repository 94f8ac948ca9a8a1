import Foundation
import GRDB
import PhotoIngestion

extension PhotoVerifier {
  /// Proves files that no record refers to: a name never stands for other bytes.
  func proveUnrecorded(_ ledger: VerifyLedger) async throws(PhotoError) {
    for kind in BlobPath.Kind.allCases {
      for shard in try cache.folder.entries(of: kind.rawValue) {
        if Task.isCancelled { throw .interrupted }
        let places = try await cache.run { try unrecorded(kind, shard: shard) }
        for place in places {
          let file = try await cache.run { try look(at: place) }
          switch file {
          case .missing, .sound, .unsound: continue
          case .other, .unreadable:
            let damage = try await underLock { db -> Damage? in
              if try PhotoRow.isReferenced(db, place) { return nil }
              return try finding(at: place, recorded: nil, db).map {
                Damage(subject: .file(place), findings: [$0])
              }
            }
            if let damage { try ledger.note(damage) }
          }
        }
      }
    }
  }

  private func unrecorded(
    _ kind: BlobPath.Kind, shard: String
  ) throws(PhotoError) -> [BlobPath] {
    let places = try cache.folder.entries(of: kind.rawValue + "/" + shard)
      .compactMap { BlobPath(kind, shard: shard, name: $0) }
    return try cache.catalog.read { db in
      try places.filter { try !PhotoRow.isReferenced(db, $0) }
    }
  }

  /// Counts what `sweep` would clear away, and what it must not.
  func countRubbish(_ report: inout VerifyReport) async throws(PhotoError) {
    let isYounger = try await cache.run { try cache.catalog.read(PhotoRow.isCatalogYounger) }
    let age = PhotoAttachmentCache.Age(
      cache.now(), grace: PhotoAttachmentCache.recordingGrace)
    for kind in BlobPath.Kind.allCases {
      for shard in try cache.folder.entries(of: kind.rawValue) {
        let places = try await cache.run { try unrecorded(kind, shard: shard) }
        for place in places {
          guard let facts = try cache.blobs.facts(place), isYounger || age.isOld(facts.modified)
          else { continue }
          report.orphans += 1
          report.orphanBytes += facts.sizeBytes
        }
      }
    }
    (report.leftovers, report.abandoned) = try await cache.run {
      (
        try cache.removeUnfinished(dryRun: true, age).files,
        try cache.catalog.read { try cache.abandonedDrafts($0).count }
      )
    }
    report.recordsLost = isYounger && report.orphans > 0
  }
}
