package import Foundation
import Hashing
import Synchronization

/// Remembers for a while which passwords were found right, so that the second act of one owner does
/// not cost another tenth of a second.
///
/// What it keeps reveals nothing: no password and no hash, only a digest of both under a key that this
/// process made and no other one has. A wrong password is never in it.
package final class VerifiedPasswords: Sendable {
  private struct Memory {
    var entries: [[UInt8]: Entry] = [:]
    var uses = 0
  }

  private struct Entry {
    let remembered: Date
    var lastUse: Int
  }

  /// How long a password is remembered, in seconds.
  package static let lifetime: TimeInterval = 15 * 60

  private let memory = Mutex(Memory())
  private let key = randomBytes(32)
  private let limit: Int
  private let now: @Sendable () -> Date

  /// An empty memory of at most `limit` passwords; of more, those go that were not used for longest.
  package init(limit: Int = 1024, now: @escaping @Sendable () -> Date) {
    (self.limit, self.now) = (limit, now)
  }

  /// Remembers that `password` is the one of `hash`.
  package func remember(_ password: String, of hash: String) {
    let (digest, moment) = (digest(password, hash), now())
    memory.withLock { memory in
      memory.uses += 1
      memory.entries[digest] = Entry(remembered: moment, lastUse: memory.uses)
      guard memory.entries.count > limit else { return }
      memory.entries = memory.entries.filter { Self.isFresh($0.value, at: moment) }
      while memory.entries.count > limit,
        let oldest = memory.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        memory.entries[oldest.key] = nil
      }
    }
  }

  /// Whether `password` is remembered as the one of `hash`; if not, it may still be right.
  package func knows(_ password: String, of hash: String) -> Bool {
    let (digest, moment) = (digest(password, hash), now())
    return memory.withLock { memory in
      guard let entry = memory.entries[digest] else { return false }
      guard Self.isFresh(entry, at: moment) else {
        memory.entries[digest] = nil
        return false
      }
      memory.uses += 1
      memory.entries[digest]?.lastUse = memory.uses
      return true
    }
  }

  /// A clock that was put back makes nothing live longer.
  private static func isFresh(_ entry: Entry, at moment: Date) -> Bool {
    (0..<lifetime).contains(moment.timeIntervalSince(entry.remembered))
  }

  /// The hash ends at the zero byte, which it cannot contain, and the password begins.
  private func digest(_ password: String, _ hash: String) -> [UInt8] {
    hmac(hash.utf8 + [0] + ManagementPassword.normalized(password), key: key)
  }
}
