/// How often a client may be wrong (decisions 35 and 43).
///
/// A client has six tries a minute. Five are shared by everything it tries, codes of any announcement
/// and numbers of chips, and one of them comes back every 12 seconds. The sixth is reserved for each
/// announcement: once the shared ones are used up, one code a minute is still compared for each. So
/// five wrong codes of a neighbor behind the same address don't lock out the owner's right one, nor do
/// guesses at other announcements.
///
/// One try of a client is compared and counted before its next one, so that many at once, at whatever servers,
/// count like one after the other. A right code gives back what was spent on its announcement; while the client
/// has to wait, a right one is turned away like a wrong one.
public enum ClientTries {
  /// How many tries everything shares.
  public static let shared: Int64 = 5
  /// How many counts that say nothing any more one try deletes, at most. A try adds one of each kind, so a
  /// client with many addresses doesn't fill the disk with them, and none costs more than others.
  package static let deletedAtOnce = 100

  /// Milliseconds until one of the shared tries comes back.
  private static let interval: Int64 = 12_000
  /// Milliseconds until an announcement's reserved try comes back.
  private static let reservedInterval: Int64 = 60_000

  /// When all shared tries are back, after one more was used at `now`; nil when none is left.
  ///
  /// - Parameter fullAt: when they were to be back before; nil for a client that used none.
  package static func using(fullAt: Int64?, at now: Int64) -> Int64? {
    let next = max(believable(fullAt, at: now), now) + interval
    return next <= now + shared * interval ? next : nil
  }

  /// When all shared tries are back, after so many were given back.
  package static func returning(_ count: Int64, fullAt: Int64) -> Int64 {
    fullAt - min(count, shared) * interval
  }

  /// Up to when a last try says nothing any more: all shared tries are back since, and the reserved one.
  package static func forgetting(at now: Int64) -> Int64 {
    now - max(shared * interval, reservedInterval)
  }

  /// When an announcement's reserved try is back that is used at `now`.
  package static func reserving(at now: Int64) -> Int64 { now + reservedInterval }

  /// When the next try is possible; nil when it is now.
  ///
  /// - Parameters:
  ///   - fullAt: when all shared tries are back.
  ///   - reservedUntil: when the announcement's reserved try is back; nil when it wasn't used. Without
  ///     an announcement there is none: give `.max`.
  package static func wait(fullAt: Int64?, reservedUntil: Int64?, at now: Int64) -> Int64? {
    if using(fullAt: fullAt, at: now) != nil { return nil }
    let shared = believable(fullAt, at: now) - (shared - 1) * interval
    guard reservedUntil != .max else { return shared }
    let reserved = reservedUntil ?? now
    return (now + 1...now + reservedInterval).contains(reserved) ? min(shared, reserved) : nil
  }

  /// A moment that is too far away was written before the clock was put back, and says nothing.
  private static func believable(_ fullAt: Int64?, at now: Int64) -> Int64 {
    fullAt.flatMap { $0 <= now + shared * interval ? $0 : nil } ?? now
  }
}
