import PhotoAttachments
import Synchronization

/// The attempts that this process works on now. An attempt recorded as ours that is not here was
/// left behind, although its process lives on: its outcome could not be recorded.
///
/// This belongs to the process and not to a cache, because the owner in the record is the process.
enum LiveAttempts {
  private struct Attempt: Hashable {
    var folder: String
    var ticket: Int64
  }

  private static let attempts = Mutex<Set<Attempt>>([])

  /// Notes that an attempt begins.
  static func begin(_ ticket: Int64, in folder: CacheFolder) {
    attempts.withLock { _ = $0.insert(Attempt(folder: folder.path, ticket: ticket)) }
  }

  /// Notes that an attempt is over, whatever came of it.
  static func end(_ ticket: Int64, in folder: CacheFolder) {
    attempts.withLock { _ = $0.remove(Attempt(folder: folder.path, ticket: ticket)) }
  }

  /// How many this process works on in a folder.
  static func count(in folder: CacheFolder) -> Int {
    attempts.withLock { $0.count { $0.folder == folder.path } }
  }

  /// Whether anybody still works on an attempt of this owner.
  static func isAlive(_ ticket: Int64?, of owner: Owner?, in folder: CacheFolder) -> Bool {
    guard let owner, let ticket else { return false }
    guard owner.isThisProcess(in: folder) else { return owner.isAlive(in: folder) }
    return attempts.withLock { $0.contains(Attempt(folder: folder.path, ticket: ticket)) }
  }
}
