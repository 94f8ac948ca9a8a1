import Foundation
import GRDB
import Glibc
import PhotoAttachments
import Synchronization

/// The connections that only read. Each is opened on demand.
///
/// They see all commits of any process. They wait for a transaction of this process only during its commit, not while
/// it runs or while others wait for their turn. The kinds of reading don't wait for each other.
final class SQLiteReaders: Sendable {
  private struct Reader: Sendable {
    let queue: DatabaseQueue
    var reads = 0
  }
  private let readers = Mutex<[ReadingKind: [Reader]]>([:])
  private let path: String
  /// The number of seconds that a reader waits for a lock. After that, the connection that writes is used, which waits
  /// longer.
  private let timeout: TimeInterval

  init(_ path: String, busyTimeout: TimeInterval) {
    self.path = path
    timeout = min(1, busyTimeout)
  }

  /// All open readers.
  var queues: [DatabaseQueue] { readers.withLock { $0.values.joined().map(\.queue) } }

  /// Begins a read with the reader of a kind that has the fewest reads. End it with `end(_:_:)`. Returns `nil` if
  /// another reader has to be opened.
  func begin(_ kind: ReadingKind) -> DatabaseQueue? {
    readers.withLock { Self.begin(kind, &$0) }
  }

  private static func begin(
    _ kind: ReadingKind, _ all: inout [ReadingKind: [Reader]]
  ) -> DatabaseQueue? {
    var readers = all[kind] ?? []
    guard let least = readers.indices.min(by: { readers[$0].reads < readers[$1].reads }),
      readers[least].reads == 0 || readers.count >= kind.readerCount
    else { return nil }
    readers[least].reads += 1
    all[kind] = readers
    return readers[least].queue
  }

  /// Opens a reader and begins a read with it, or with one that was opened meanwhile. Blocks for up to a second while
  /// another process writes.
  func open(_ kind: ReadingKind) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    return readers.withLock { all in
      if let other = Self.begin(kind, &all) { return other }
      all[kind, default: []].append(Reader(queue: queue, reads: 1))
      return queue
    }
  }

  /// Ends a read.
  func end(_ queue: DatabaseQueue, _ kind: ReadingKind) {
    readers.withLock { all in
      guard let index = all[kind]?.firstIndex(where: { $0.queue === queue }) else { return }
      all[kind]?[index].reads -= 1
    }
  }

  /// Doesn't use `SQLITE_OPEN_READONLY`, because such a connection couldn't roll back a transaction that another
  /// process left behind.
  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "PetSpot.catalog.reads"
    let timeout = BusyHandler(seconds: timeout, microseconds: 100...500)
    configuration.busyMode = .callback(timeout.waits)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON")
    }
    return configuration
  }
}

extension ReadingKind {
  fileprivate var readerCount: Int {
    switch self {
    case .health: 1
    case .list, .search: 2
    case .lookUp: 3
    }
  }
}

/// Waits for other processes and connections. SQLite's own handler sleeps longer after each attempt, up to a tenth of a
/// second. With many writers, the newest then gets the lock and the others starve.
final class BusyHandler: Sendable {
  private let seconds: TimeInterval
  private let microseconds: ClosedRange<UInt32>
  private let began = Mutex(ContinuousClock.now)

  /// - Parameters:
  ///   - seconds: the maximum time to wait.
  ///   - microseconds: the pause between two attempts.
  init(seconds: TimeInterval, microseconds: ClosedRange<UInt32>) {
    self.seconds = seconds
    self.microseconds = microseconds
  }

  /// Waits and returns `true` to try again, or returns `false` if the time is up.
  @Sendable func waits(_ tries: Int) -> Bool {
    if tries == 0 { began.withLock { $0 = .now } }
    let waited = began.withLock { ContinuousClock.now - $0 }
    guard waited < .seconds(seconds) else { return false }
    usleep(UInt32.random(in: microseconds))
    return true
  }
}
