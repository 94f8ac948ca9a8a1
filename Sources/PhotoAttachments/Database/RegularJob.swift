package import Foundation
import Logging

/// A command that a timer runs regularly. The time of its last success is recorded, because servers report it.
package enum RegularJob: String, Sendable, CaseIterable {
  case sweep, verify, backup
  /// A backup with `--prove` that found all backups intact.
  case prove
}

extension Catalog {
  /// Returns the time of the snapshot that is being restored, as in the snapshot's name; `nil` if no restore is in
  /// progress.
  package func snapshotUnderWay() throws(StoreError) -> String? {
    try database.read { try Self.snapshotUnderWay($0) }
  }

  package static func snapshotUnderWay(_ t: Transaction) throws -> String? {
    try t.rows("SELECT name FROM regular_job WHERE name LIKE 'restore %'").first?.text(0).map {
      String($0.dropFirst("restore ".count))
    }
  }
}

/// The figures that a server reports about its stores.
package struct StoreFigures: Sendable, Equatable {
  /// The total size of all photos' pictures in bytes, including those of drafts.
  package var photoBytes = 0
  /// The total size of the stored sizes in bytes.
  package var sizeBytes = 0
  /// The time at which each job last succeeded. Jobs that never did are missing.
  package var successes: [RegularJob: Date] = [:]

  /// Reads the figures in one round trip.
  package static func select(_ t: Transaction) throws -> Self {
    func sum(_ sql: String) -> Query<Int> {
      Query(sql) { Int($0.rows.first?.number(0) ?? 0) }
    }
    let (photoBytes, sizeBytes, successes) = try t.fetch(
      sum(
        """
        SELECT CAST(coalesce(sum("blobSizeBytes" + "previewSizeBytes"), 0) AS bigint) FROM photo
        """),
      sum(
        """
        SELECT CAST(coalesce(sum(size_bytes), 0) AS bigint) FROM photo_size WHERE is_stored = 1
        """),
      Query("SELECT name, succeeded_at FROM regular_job") { answer in
        answer.rows.compactMap { row -> (RegularJob, Date)? in
          guard let job = row.text(0).flatMap(RegularJob.init(rawValue:)), let at = row.number(1)
          else { return nil }
          return (job, Date(milliseconds: at))
        }
      })
    return Self(
      photoBytes: photoBytes, sizeBytes: sizeBytes,
      successes: Dictionary(successes) { $1 })
  }
}
