import Foundation
import Glibc

/// How many connections and request bodies the limit of open descriptors allows, so that clients can't bring
/// the process to it. libdispatch ends a process in which it can't open a file.
package struct DescriptorShares: Sendable {
  /// Connections of the metrics port.
  static let metricsConnections = 32

  /// Connections of the main port.
  let connections: Int
  /// Request bodies under way, see `BodyLimiter`.
  let bodies: Int

  /// Shares out the limit that is in force now.
  init() { self.init(limit: Self.limit) }

  /// Shares out `limit` descriptors.
  ///
  /// - Parameter cores: processor cores, on which the numbers of decoders and threads depend.
  init(limit: Int, cores: Int = ProcessInfo.processInfo.activeProcessorCount) {
    // A body lies in a file, which is opened once more for its decoder.
    bodies = max(8, min(512, limit / 16))
    // Threads that work on files, readers of the database, connections to the database and the object
    // store, decoders' sockets, event loops, libraries, and the connections to metrics.
    let reserve = 256 + 16 * cores + 2 * Self.metricsConnections + 2 * bodies
    // Two for each, its socket and a file; an eighth more may be closing (`ClientConnections`).
    connections = max(16, min(10_240, (min(limit, 1 << 20) - reserve) * 4 / 9))
  }

  /// Whether one client could take all of the connections.
  var areFew: Bool { connections < 256 }

  /// The descriptors that this process may have open.
  static var limit: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit of this process as far as the system allows; of an ordinary user, to the hard limit.
  package static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
