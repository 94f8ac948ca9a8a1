import Announcements
import HTTPTypes
import Logging
import Metrics
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ServiceLifecycle
import Synchronization

/// Checks every second whether the stores respond and how much of the disk is free. Logs each change with advice. Ends
/// requests that wait for an unreachable database or object store.
final class StoreWatch: NamedService {
  /// The level of free space on the disk.
  enum Space: Int, Comparable {
    case enough, low, veryLow, full

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  private struct State {
    var problems: [ServerStore: StoreChecks.Problem] = [:]
    var space = Space.enough
    var waiting: [Int: Waiting] = [:]
    var lastRequest = 0
  }

  /// A request that needs some of the stores.
  private struct Waiting: Sendable {
    let subjects: Set<ServerStore>
    let end: @Sendable (ServerStore) -> Void
  }

  private let checks: StoreChecks
  private let freeSpace: FreeSpace
  private let files: WorkerPool
  /// The stores that are servers and may be unreachable for a while. A store of files can only be busy.
  private let servers: Set<ServerStore>
  private let logger: Logger
  private let state = Mutex(State())

  init(_ stores: Stores, _ checks: StoreChecks, _ freeSpace: FreeSpace, logger: Logger) {
    self.checks = checks
    self.freeSpace = freeSpace
    self.logger = logger
    files = stores.files
    var servers: Set<ServerStore> = []
    if stores.photos.catalog.database.dialect == .postgres { servers.insert(.database) }
    if stores.photos.blobs.isRemote { servers.insert(.pictures) }
    self.servers = servers
  }

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { [self] in
        while true {
          try await checkStores()
          try await Task.sleep(for: .seconds(1))
        }
      }
    } catch is CancellationError {}
  }

  /// Checks once. A timeout counts only after three seconds, because a loaded machine is slow.
  ///
  /// - Throws: `StoreError.database(.replaced)`, which ends the server. After a restart, it opens the new files.
  func checkStores() async throws {
    async let databaseProblem = checks.problem(of: .database, within: .seconds(3))
    async let picturesProblem = checks.problem(of: .pictures, within: .seconds(3))
    let database = await databaseProblem
    if let database, database.code == StoreChecks.Problem.replaced {
      logger.error(
        "the cache folder was replaced, the server ends",
        metadata: [
          "path": "\(database.detail)", "action": "see who moved or deleted it, and start again",
        ])
      throw StoreError.database(.replaced, detail: database.detail)
    }
    recordState(database, with: .database)
    let pictures = await picturesProblem
    recordState(pictures, with: .pictures)
    // If the file system hangs, each check of the free space would block a thread.
    guard pictures == nil else { return }
    let seen = await freeSpace.query(on: files, within: .seconds(3)) { ($0.level, $0.free ?? 0) }
    if let (space, free) = seen { recordSpace(space, free) }
  }

  // MARK: - Requests

  /// Runs work, and cancels it as soon as a required store becomes unreachable.
  ///
  /// - Throws: 503 that names the store.
  func endingIfUnreachable<Value: Sendable>(
    _ subjects: Set<ServerStore>, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let subjects = subjects.intersection(servers)
    if subjects.isEmpty { return try await work() }
    let (outcomes, outcome) = AsyncThrowingStream<Value, any Error>.makeStream()
    let waiting = Waiting(subjects: subjects) {
      outcome.finish(throwing: ErrorResponse.unreachable($0))
    }
    let (number, gone) = state.withLock { state in
      state.lastRequest += 1
      state.waiting[state.lastRequest] = waiting
      return (state.lastRequest, subjects.first { state.problems[$0] != nil })
    }
    defer { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
    if let gone { throw ErrorResponse.unreachable(gone) }
    let task = Task {
      do { outcome.yield(try await work()) } catch { outcome.finish(throwing: error) }
    }
    return try await withTaskCancellationHandler {
      defer { task.cancel() }
      for try await value in outcomes { return value }
      throw CancellationError()
    } onCancel: {
      task.cancel()
    }
  }

  // MARK: - Changes

  /// Records the state of a store. Logs a change, and ends the requests that wait for a store that is gone.
  private func recordState(_ problem: StoreChecks.Problem?, with subject: ServerStore) {
    // A file that is busy because another process writes to it is not a problem.
    let isPassing = problem.map { ["busy", "no answer"].contains($0.code) } ?? true
    let problem = isPassing && !servers.contains(subject) ? nil : problem
    let (before, waiting) = state.withLock { state in
      defer { state.problems[subject] = problem }
      let waiting = state.waiting.values.filter { $0.subjects.contains(subject) }
      return (state.problems[subject], problem == nil ? [] : waiting)
    }
    Gauge(label: "petspot_\(subject.rawValue)_up").record(problem == nil ? 1 : 0)
    for request in waiting { request.end(subject) }
    switch (before, problem) {
    case (nil, let problem?):
      let action =
        subject == .database
        ? "start the database or correct PETSPOT_DATABASE; until then requests get 503"
        : "see that the object store, or the cache folder, is there and may be written"
      logger.error(
        "\(subject.rawValue) can't be used",
        metadata: [
          "problem": "\(problem.code)", "error": "\(problem.detail)", "action": "\(action)",
        ])
    case (.some, nil): logger.notice("\(subject.rawValue) can be used again")
    default: break
    }
  }

  /// Records the level of free space, and logs a change.
  private func recordSpace(_ space: Space, _ free: Int) {
    let before = state.withLock { state in
      defer { state.space = space }
      return state.space
    }
    guard space != before else { return }
    var facts: Logger.Metadata = ["free": "\(free)"]
    if space < before {
      logger.notice("there is more room on the disk again", metadata: facts)
      return
    }
    facts["action"] = "free space or enlarge the disk: see Operating, Full disks"
    switch space {
    case .enough: break
    case .low: logger.warning("disk is filling up", metadata: facts)
    case .veryLow: logger.warning("disk is almost full", metadata: facts)
    case .full: logger.error("disk is full, uploads are refused", metadata: facts)
    }
  }
}
