import Dispatch
import Foundation
import PhotoAttachments
import Synchronization

/// A pool of connections to one database. Connections are made on demand and reused.
final class PostgresPool: Sendable {
  let address: PostgresAddress
  /// The number of seconds to wait for a lock, for a free connection and for an unresponsive server.
  let timeout: Double
  private let seats: DispatchSemaphore
  private let idle = Mutex<[PostgresConnection]>([])
  private let reach = Mutex(Reach())

  /// The results of the attempts to connect.
  private struct Reach {
    /// `true` if a connection was ever made.
    var wasReached = false
    /// The error and time of the last attempt, if it failed.
    var failure: (error: PostgresError, at: ContinuousClock.Instant)?
  }

  /// Creates an empty pool.
  ///
  /// - Parameter most: the maximum number of simultaneous connections.
  init(_ address: PostgresAddress, timeout: Double, most: Int) {
    self.address = address
    self.timeout = timeout
    seats = DispatchSemaphore(value: most)
  }

  /// Lends a connection to `work`. If it breaks, it is closed together with all idle connections.
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

  /// Makes a connection.
  ///
  /// If the server doesn't respond, the first call retries for up to five seconds, because the server may be starting.
  /// Later calls retry for one second. While the server is unreachable, one call per second tries to connect and the
  /// others fail immediately.
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

  /// Closes the idle connections.
  func close() { idle.withLock { $0 = [] } }

  /// Converts a failure to a `StoreError`.
  func mapped(_ error: any Error) -> StoreError {
    StoreError(postgres: error, at: address.shown, timeout: Int(timeout.rounded(.up)))
  }
}
