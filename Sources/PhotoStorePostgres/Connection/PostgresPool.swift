import Dispatch
import Foundation
import PhotoAttachments
import Synchronization

/// Connections to one database, made when they are needed and kept for the next transaction.
final class PostgresPool: Sendable {
  let address: PostgresAddress
  /// Seconds to wait for a lock, for a free connection, and for a server that does not answer.
  let timeout: Double
  private let seats: DispatchSemaphore
  private let idle = Mutex<[PostgresConnection]>([])
  private let reach = Mutex(Reach())

  /// What became of the attempts to connect.
  private struct Reach {
    /// Whether a connection was ever made.
    var wasReached = false
    /// The last attempt, if it failed, and when that was.
    var failure: (error: PostgresError, at: ContinuousClock.Instant)?
  }

  /// An empty pool.
  ///
  /// - Parameter most: how many connections there are at the same time, at most.
  init(_ address: PostgresAddress, timeout: Double, most: Int) {
    self.address = address
    self.timeout = timeout
    seats = DispatchSemaphore(value: most)
  }

  /// Lends a connection for as long as `work` runs; a lost one is dropped, and all that are idle with
  /// it.
  func lend<T>(_ work: (PostgresConnection) throws -> T) throws -> T {
    guard seats.wait(timeout: .now() + max(timeout, 1)) == .success else {
      throw PostgresError(code: "53300", message: "all connections are in use")
    }
    defer { seats.signal() }
    let connection = try idle.withLock { $0.popLast() } ?? connect()
    do {
      let value = try work(connection)
      idle.withLock { $0.append(connection) }
      return value
    } catch {
      if (error as? PostgresError)?.isLost == true {
        idle.withLock { $0 = [] }
      } else if !connection.isInTransaction {
        idle.withLock { $0.append(connection) }
      }
      throw error
    }
  }

  /// Makes a connection. A server that does not answer is asked again for some seconds at first, when it may be
  /// starting, and for a moment later. While it stays away one caller a second asks it, and others fail at once.
  func connect() throws(PostgresError) -> PostgresConnection {
    let (patience, failure) = reach.withLock { reach -> (Double, PostgresError?) in
      guard let last = reach.failure else { return (reach.wasReached ? 1 : 5, nil) }
      if .now - last.at < .seconds(1) { return (0, last.error) }
      reach.failure?.at = .now
      return (0, nil)
    }
    if let failure { throw failure }
    let end = ContinuousClock.now + .seconds(min(max(timeout, 0), patience))
    while true {
      do {
        let connection = try PostgresConnection(address, timeout: timeout)
        reach.withLock { $0 = Reach(wasReached: true) }
        return connection
      } catch {
        guard ["08001", "53300"].contains(error.code), ContinuousClock.now < end else {
          if error.code == "08001" { reach.withLock { $0.failure = (error, .now) } }
          throw error
        }
        usleep(.random(in: 50_000...250_000))
      }
    }
  }

  /// Closes what isn't in use.
  func close() { idle.withLock { $0 = [] } }

  /// What a failure means.
  func mapped(_ error: any Error) -> StoreError {
    StoreError(postgres: error, at: address.shown, timeout: Int(timeout.rounded(.up)))
  }
}
