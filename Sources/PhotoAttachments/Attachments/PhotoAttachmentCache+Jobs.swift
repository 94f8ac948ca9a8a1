package import Foundation
import Logging

extension PhotoAttachmentCache {
  /// Throws `StoreError.backup(.restoring)` if a restore into this store was begun but not finished. Blocks.
  package func checkIsRestored() throws(StoreError) {
    if try catalog.snapshotUnderWay() != nil { throw .backup(.restoring, path: folder.path) }
  }

  /// Records that a job has succeeded. If that fails, it is only logged, because the work itself is done.
  package func recordSuccess(of job: RegularJob, at now: Date = Date()) async {
    do {
      _ = try await catalog.database.writing { t in
        try t.execute(
          """
          INSERT INTO regular_job (name, succeeded_at) VALUES ($1, $2)
          ON CONFLICT (name) DO UPDATE SET succeeded_at = $2
          """, [.text(job.rawValue), .int(now.milliseconds)])
      }
    } catch {
      logger.warning("job not recorded", metadata: ["job": "\(job)", "error": "\(error)"])
    }
  }
}
