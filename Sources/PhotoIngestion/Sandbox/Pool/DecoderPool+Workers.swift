import ImageContainers
import Logging
package import SystemPackage
import Synchronization

/// The worker that is lent to one photo, for any number of requests. Used on one thread.
package final class DecoderLease {
  /// `nil` before the first request and after the worker ended.
  var worker: DecoderProcess? {
    didSet { if let oldValue { processorTime += oldValue.processorTime } }
  }
  /// The processor time of the workers that this lease has used.
  private(set) var processorTime = Duration.zero
  /// The photo's turn. See `PhotoPipeline.turn`.
  var turn: DecoderTurn?
}

/// The workers of a pool that no photo is using.
struct WaitingWorkers {
  /// Workers that have decoded no photo.
  var spare: [Waiting] = []
  /// Workers that have decoded photos and may decode more.
  var used: [Waiting] = []
  /// The number of spare workers that are starting.
  var starting = 0
  /// `true` if a check for idle workers is scheduled.
  var isWatched = false

  struct Waiting {
    var worker: DecoderProcess
    var since = ContinuousClock.now
  }

  var all: [DecoderProcess] { (used + spare).map(\.worker) }
}

/// A pool's `DecoderTemplate`, from which workers are split off (cloned). `running` is `nil` before the first use and
/// after a failure.
struct HeldTemplate {
  var running: DecoderTemplate?
  /// The earliest time for another attempt. On some systems, the template never works.
  var notBefore = ContinuousClock.now
}

/// Starts, lends and ends workers.
extension DecoderPool {
  /// Starts workers that get ready while the caller continues.
  public func warm(_ count: Int = 1) { warm(count, decodesHEIC: true) }

  private func warm(_ count: Int = 1, decodesHEIC: Bool) {
    for _ in 0..<count {
      // If it fails, the error occurs again when the worker is needed.
      guard let worker = try? start(decodesHEIC: decodesHEIC) else { return }
      waiting.withLock { $0.spare.append(.init(worker: worker)) }
    }
    watch()
  }

  /// Starts a worker that gets ready for one file while the caller continues. The worker doesn't load the libraries for
  /// HEIC if the file begins as another format. If the file is replaced by a HEIC before it is read, the pool starts
  /// another worker.
  package func warm(for file: FilePath) {
    // An unreadable file is reported when the photo is read.
    let format = try? Receiver.format(of: file)
    warm(decodesHEIC: format == nil || format == .heic)
  }

  /// Returns the worker of a lease, assigning one on the first request. Starts the next spare worker in the meantime.
  func assignWorker(_ lease: DecoderLease, fresh: Bool) throws(PhotoError) -> DecoderProcess {
    if let worker = lease.worker { return worker }
    let worker = try takeWorker(fresh: fresh)
    worker.served.add(1, ordering: .relaxed)
    lease.worker = worker
    if spares > 0 {
      Self.chores.add { [weak self] in self?.addSpares() }
    }
    return worker
  }

  /// Returns the number of photos that a lent worker may still decode, including the current one.
  func photosLeft(_ worker: DecoderProcess) -> Int {
    max(1, trust.photosPerWorker - worker.served.load(ordering: .relaxed) + 1)
  }

  /// Returns a waiting worker or a new one.
  func takeWorker(fresh: Bool) throws(PhotoError) -> DecoderProcess {
    // Waiting workers may be affected by whatever killed the last one.
    if fresh { return try start() }
    // Skip workers that were killed while they waited, so that the photo keeps its second try.
    while let waits = waiting.withLock({ ($0.used.popLast() ?? $0.spare.popLast())?.worker }) {
      if !waits.hasEnded { return waits }
    }
    return try start()
  }

  /// Takes a worker back, to wait for another photo or to be ended.
  func giveBack(_ worker: DecoderProcess) {
    let served = worker.served.load(ordering: .relaxed)
    // End a worker that holds much memory, because it may never release it.
    guard served < trust.photosPerWorker, worker.residentBytes <= limits.memoryBytes / 8 else {
      return Self.retire([worker])
    }
    waiting.withLock {
      if served == 0 {
        $0.spare.append(.init(worker: worker))
      } else {
        $0.used.append(.init(worker: worker))
      }
    }
    watch()
  }

  var idleWorkers: [Int32] { waiting.withLock { $0.all.map(\.pid) } }

  private func start(decodesHEIC: Bool = true) throws(PhotoError) -> DecoderProcess {
    guard executable != nil || DecoderWorker.isOffered.load(ordering: .acquiring) else {
      // This program would start over in the child, and start another child for its photos.
      logger.error("no decoder: call DecoderWorker.serveIfAsked() first thing in main")
      throw .fault(.decoderHost)
    }
    var options = workerOptions
    options.decodesHEIC = decodesHEIC
    return try DecoderProcess { socket in
      if let pid = split(socket: socket) { return .success(pid) }
      return ProcessSpawner.spawn(
        program, arguments: options.arguments, environment: DecoderWorker.environment,
        socket: socket, niceness: trust.niceness)
    }
  }

  /// Splits a worker off the template if every photo needs a new one. `nil` if the template is unavailable.
  private func split(socket: Int32) -> Int32? {
    guard trust.photosPerWorker == 1, spares > 0 else { return nil }
    let template = template.withLock { held -> DecoderTemplate? in
      if held.running == nil, held.notBefore <= .now {
        var options = workerOptions
        options.isTemplate = true
        held.running = try? DecoderTemplate(
          program, arguments: options.arguments,
          environment: DecoderWorker.environment, niceness: trust.niceness)
      }
      return held.running
    }
    guard let template else { return nil }
    let pid = template.split(socket: socket)
    if pid == nil {
      self.template.withLock { held in
        if held.running === template { held.running = nil }
        held.notBefore = .now + .seconds(5)
      }
    }
    return pid
  }

  private var program: String { executable ?? "/proc/self/exe" }

  private func addSpares() {
    let missing = waiting.withLock { waiting in
      let missing = max(0, spares - waiting.spare.count - waiting.starting)
      waiting.starting += missing
      return missing
    }
    if missing > 0 { warm(missing) }
    waiting.withLock { $0.starting -= missing }
  }

  /// Ends workers without blocking the caller, because the kernel takes time to reclaim their memory.
  static func retire(_ workers: [DecoderProcess]) {
    guard !workers.isEmpty else { return }
    for worker in workers { worker.kill() }
    let ending = { @Sendable in for worker in workers { worker.end() } }
    if !chores.add(ending) { ending() }
  }

  /// The threads that start spare workers and wait for others to end.
  private static let chores = WorkerPool()

  // MARK: - Waiting too long

  /// Schedules another check of the waiting workers, unless one is already scheduled.
  private func watch() {
    let begins = waiting.withLock { waiting in
      defer { waiting.isWatched = true }
      return !waiting.isWatched
    }
    guard begins else { return }
    let pause = max(.seconds(1), limits.idleTime)
    // Detached, because the check outlives the request that started it, and is not urgent.
    Task.detached(priority: .utility) { [weak self] in
      try? await Task.sleep(for: pause)
      self?.endIdle()
    }
  }

  private func endIdle() {
    let (idle, isDone) = waiting.withLock { waiting in
      let limit = ContinuousClock.now - limits.idleTime
      var idle = waiting.used.filter { $0.since <= limit }
      waiting.used.removeAll { $0.since <= limit }
      // Surplus spares were started for a photo that did not arrive.
      let old = waiting.spare.prefix(max(0, waiting.spare.count - spares))
        .prefix { $0.since <= limit }
      idle += old
      waiting.spare.removeFirst(old.count)
      waiting.isWatched = false
      return (
        idle.map(\.worker), waiting.used.isEmpty && waiting.spare.count <= spares
      )
    }
    Self.retire(idle)
    if !isDone { watch() }
  }
}
