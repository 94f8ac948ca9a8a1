import Foundation
import Logging
import PhotoAttachments
import Synchronization

/// A periodic sign of life for the other processes that use a database. It is sent while this process makes a photo for
/// a draft (an *attempt*) or from an upload, and always if it stores objects. Other processes treat a process without a
/// recent sign as dead.
///
/// Every few seconds it writes one small row outside of all other transactions. Only the server's clock counts.
final class Heartbeat: WorkerRegistry {
  /// This process's name in the records of attempts.
  static let worker = UUID().uuidString
  /// The number of seconds between two beats.
  static let pause = 5.0

  private struct State {
    var lastBeat: ContinuousClock.Instant?
    var isBeating = false
  }
  private let database: PostgresDatabase
  let place: String
  private let isNeeded: @Sendable () -> Bool
  private let logger: Logger
  private let state = Mutex(State())

  /// Creates a heartbeat that has not started.
  ///
  /// - Parameters:
  ///   - id: the database's own id.
  ///   - isNeeded: returns `true` while the heartbeat has to continue. By default, it continues while there is an
  ///     attempt.
  init(
    _ database: PostgresDatabase, id: String, isNeeded: (@Sendable () -> Bool)? = nil,
    logger: Logger
  ) {
    self.database = database
    place = id
    self.logger = logger
    self.isNeeded = isNeeded ?? { ActiveAttempts.count(in: id) > 0 }
  }

  /// Makes sure that this process counts as alive. Call it before the first attempt is recorded.
  func start() throws(StoreError) {
    let isFresh = state.withLock { state in
      state.isBeating && state.lastBeat.map { .now - $0 < .seconds(2 * Self.pause) } ?? false
    }
    if !isFresh { try beat() }
    let isFirst = state.withLock { state in
      defer { state.isBeating = true }
      return !state.isBeating
    }
    if isFirst { beatLater() }
  }

  private func beat() throws(StoreError) {
    let name = ProcessInfo.processInfo.hostName
    _ = try database.rows(
      """
      INSERT INTO worker (id, host, seen_at) VALUES ($1, $2, clock_timestamp())
      ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()
      """, [.text(Heartbeat.worker), .text(name)])
    state.withLock { $0.lastBeat = .now }
  }

  private func beatLater() {
    // Detached, because the beats continue after the work that started them, until this object is freed.
    Task.detached(priority: .utility) { [weak self] in
      repeat {
        try? await Task.sleep(for: .seconds(Self.pause))
      } while await self?.beatAgain() == true
    }
  }

  /// Writes another beat if it is needed.
  ///
  /// - Returns: `false` if the heartbeat has ended because it isn't needed any more or the database is closed.
  private func beatAgain() async -> Bool {
    var goesOn = isNeeded()
    if goesOn {
      do throws(StoreError) { try await database.health.finish { [self] in try beat() } } catch {
        goesOn = error != .database(.closed, detail: "")
        if goesOn { logger.warning("heartbeat not written", metadata: ["error": "\(error)"]) }
      }
    }
    if !goesOn { state.withLock { $0.isBeating = false } }
    return goesOn
  }

  func worker() -> String { Self.worker }
  func isThisProcess(_ worker: String) -> Bool { worker == Self.worker }
  func isAlive(_: String, isSeen: Bool) -> Bool { isSeen }
}
