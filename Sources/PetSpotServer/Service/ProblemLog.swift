import Announcements
import Logging
import PhotoAttachments
import Synchronization

/// Logs errors of single requests that an operator must act on, at most once a minute per kind.
final class ProblemLog: Sendable {
  private let last = Mutex<[String: ContinuousClock.Instant]>([:])

  /// Logs the failure of a request. Uses `message` unless an operator must act on it.
  func record(_ error: any Error, or message: Logger.Message, _ logger: Logger) {
    if !record(error, logger) { logger.error(message, metadata: ["error": "\(error)"]) }
  }

  /// Logs an error if an operator must act on it.
  ///
  /// - Returns: `true` if an operator must act on it.
  @discardableResult
  func record(_ error: any Error, _ logger: Logger) -> Bool {
    guard let problem = Self.problem(error) else { return false }
    let isDue = last.withLock { last in
      if let before = last[problem.message], .now - before < .seconds(60) { return false }
      last[problem.message] = .now
      return true
    }
    guard isDue else { return true }
    logger.error(
      "\(problem.message)", metadata: ["error": "\(error)", "action": "\(problem.action)"])
    return true
  }

  /// Returns the message and the advice for an error, or `nil` if no operator has to act.
  private static func problem(_ error: any Error) -> (message: String, action: String)? {
    let full = "free space or enlarge the disk: see Operating, Full disks"
    switch error {
    case StoreError.storageFull(_, let path, _): return ("no room in \(path)", full)
    case UploadError.storageFull: return ("no room for unfinished uploads", full)
    case StoreError.unreachable(let service, _), StoreError.serviceFailed(let service, _, _):
      return (
        "\(service) can't be used", "see that it runs, and that its address and keys are right"
      )
    case StoreError.fault(.blobDamaged), StoreError.fault(.blobNotAFile), StoreError.missingPhoto:
      return ("a stored picture is damaged", "run: petspot verify --repair")
    case StoreError.database(.damaged, _), StoreError.database(.alteredRecord, _):
      return ("a stored record is damaged", "run: petspot verify; or restore a backup")
    case StoreError.storage(_, _, _), StoreError.cacheUnavailable, StoreError.unsafeCache:
      return ("the cache folder can't be used", "see that the disk works, and who owns the folder")
    default: return nil
    }
  }
}
