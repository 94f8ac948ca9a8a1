import Foundation
import Glibc

/// The numbers of connections and request bodies that leave enough file descriptors. Clients can't exhaust them, which
/// matters because libdispatch ends a process in which it can't open a file.
package struct DescriptorShares: Sendable {
  static let metricsConnections = 32

  let connections: Int
  /// Request bodies in progress, see `BodyLimiter`.
  let bodies: Int

  init() { self.init(limit: Self.limit) }

  /// Divides `limit` descriptors. The numbers of decoders and threads depend on `cores`.
  init(limit: Int, cores: Int = ProcessInfo.processInfo.activeProcessorCount) {
    // A body is in a file, which its decoder opens a second time.
    bodies = max(8, min(512, limit / 16))
    // Threads that work on files, readers of the database, connections to the database and the object store, decoders'
    // sockets, event loops, libraries, and connections to the metrics port.
    let reserve = 256 + 16 * cores + 2 * Self.metricsConnections + 2 * bodies
    // Each connection needs two, for its socket and a file. An eighth more may be closing (`ClientConnections`).
    connections = max(16, min(10_240, (min(limit, 1 << 20) - reserve) * 4 / 9))
  }

  /// `true` if one client could take all of the connections.
  var areFew: Bool { connections < 256 }

  static var limit: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit of this process as far as the system allows. For an ordinary user that is the hard limit.
  package static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
