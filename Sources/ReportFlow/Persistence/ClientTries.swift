/// The limits on how often a client may send a wrong code for an announcement, or a microchip number that is already
/// announced (decisions 35 and 43).
///
/// A client has six tries a minute. Five of them are shared by all its codes and chip numbers, and one of these comes
/// back every 12 seconds. Each announcement has a sixth try of its own. Once the shared tries are used up, one code a
/// minute is still compared for each announcement. Five wrong codes from a neighbor behind the same address, or guesses
/// at other announcements, therefore can't lock out the owner.
///
/// A client's try is compared and counted before its next one begins, so that concurrent tries, even on several
/// servers, count like consecutive ones. A right code returns the tries that were spent on its announcement. While the
/// client has to wait, even a right code is rejected.
package enum ClientTries {
  /// The number of shared tries.
  package static let shared: Int64 = 5
  /// The maximum number of expired counts that one try deletes. A try adds at most one count of each kind, so a client
  /// with many addresses can't fill the disk with them, and no try costs more than others.
  package static let deletedAtOnce = 100

  /// The time in milliseconds until one of the shared tries comes back.
  private static let interval: Int64 = 12_000
  /// The time in milliseconds until an announcement's reserved try comes back.
  private static let reservedInterval: Int64 = 60_000

  /// Returns the time when all shared tries are available again after using one at `now`, or `nil` if no try is left.
  ///
  /// - Parameter fullAt: the time when they would all have been available, or `nil` if the client used none.
  package static func using(fullAt: Int64?, at now: Int64) -> Int64? {
    let next = max(believable(fullAt, at: now), now) + interval
    return next <= now + shared * interval ? next : nil
  }

  /// Returns the time when all shared tries are available again after `count` were returned.
  package static func returning(_ count: Int64, fullAt: Int64) -> Int64 {
    fullAt - min(count, shared) * interval
  }

  /// Returns the latest time of a try that no longer matters, because all shared tries and the reserved one have come
  /// back since.
  package static func forgetting(at now: Int64) -> Int64 {
    now - max(shared * interval, reservedInterval)
  }

  /// Returns the time when an announcement's reserved try is available again after using it at `now`.
  package static func reserving(at now: Int64) -> Int64 { now + reservedInterval }

  /// Returns the time of the next possible try, or `nil` if a try is possible now.
  ///
  /// - Parameters:
  ///   - fullAt: the time when all shared tries are available again.
  ///   - reservedUntil: the time when the announcement's reserved try is available again, or `nil` if it wasn't used.
  ///     Pass `.max` if there is no announcement.
  package static func wait(fullAt: Int64?, reservedUntil: Int64?, at now: Int64) -> Int64? {
    if using(fullAt: fullAt, at: now) != nil { return nil }
    let shared = believable(fullAt, at: now) - (shared - 1) * interval
    guard reservedUntil != .max else { return shared }
    let reserved = reservedUntil ?? now
    return (now + 1...now + reservedInterval).contains(reserved) ? min(shared, reserved) : nil
  }

  /// Ignores a time too far in the future, which was stored before the clock was set back.
  private static func believable(_ fullAt: Int64?, at now: Int64) -> Int64 {
    fullAt.flatMap { $0 <= now + shared * interval ? $0 : nil } ?? now
  }
}
