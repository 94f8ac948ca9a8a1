import Foundation
import GRDB
import Glibc
import PhotoAttachments
import Synchronization

/// The connections that only read, each opened when it is first needed. What any process recorded is seen; a
/// transaction of this process is waited for only while it is committed, not while it works or while
/// others wait for their turn. No kind of reading waits for another.
final class SQLiteReaders: Sendable {
  private struct Reader: Sendable {
    let queue: DatabaseQueue
    var reads = 0
  }
  private let readers = Mutex<[ReadingKind: [Reader]]>([:])
  private let path: String
  /// Seconds that a reader waits for a lock before the connection that writes is asked, which waits longer.
  private let timeout: TimeInterval

  init(_ path: String, busyTimeout: TimeInterval) {
    self.path = path
    timeout = min(1, busyTimeout)
  }

  /// All that are open.
  var queues: [DatabaseQueue] { readers.withLock { $0.values.joined().map(\.queue) } }

  /// Returns the reader of a kind with the fewest reads, which has one more until it is ended; `nil` if one more
  /// has to be opened.
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

  /// Opens a reader and begins a read with it, or with one that was opened meanwhile. Blocks while another
  /// process writes, up to a second.
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

  /// Not `SQLITE_OPEN_READONLY`, which could not roll back what another process left undone.
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

/// Waits for other processes and connections. SQLite's own waiting sleeps longer from try to try, up to
/// a tenth of a second: where many write, the last to come gets the lock, and others starve.
final class BusyHandler: Sendable {
  private let seconds: TimeInterval
  private let microseconds: ClosedRange<UInt32>
  private let began = Mutex(ContinuousClock.now)

  /// - Parameters:
  ///   - seconds: how long it waits altogether.
  ///   - microseconds: how long from one try to the next.
  init(seconds: TimeInterval, microseconds: ClosedRange<UInt32>) {
    self.seconds = seconds
    self.microseconds = microseconds
  }

  /// Whether to try again, after a while.
  @Sendable func waits(_ tries: Int) -> Bool {
    if tries == 0 { began.withLock { $0 = .now } }
    let waited = began.withLock { ContinuousClock.now - $0 }
    guard waited < .seconds(seconds) else { return false }
    usleep(UInt32.random(in: microseconds))
    return true
  }
}
