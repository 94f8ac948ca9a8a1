import ImageContainers
import Logging
package import SystemPackage
import Synchronization

/// The worker that one photo is lent, for as many questions as it takes. Used on one thread.
package final class DecoderLease {
  /// Nil before the first question, and after an end.
  var worker: DecoderProcess? {
    didSet { if let oldValue { processorTime += oldValue.processorTime } }
  }
  /// What the workers have used that it had.
  private(set) var processorTime = Duration.zero
  /// See `PhotoPipeline.turn`.
  var turn: DecoderTurn?
}

struct WaitingWorkers {
  /// They have seen no photo.
  var spare: [Waiting] = []
  /// They have, and may see more.
  var used: [Waiting] = []
  /// Spare ones that are being started.
  var starting = 0
  /// Whether a check for those that wait too long is scheduled.
  var isWatched = false

  struct Waiting {
    var worker: DecoderProcess
    var since = ContinuousClock.now
  }

  var all: [DecoderProcess] { (used + spare).map(\.worker) }
}

/// The process that workers are split off from, as long as it works.
struct HeldTemplate {
  var running: DecoderTemplate?
  /// When another one may be started: on some systems none works.
  var notBefore = ContinuousClock.now
}

/// Who starts workers, lends them, and ends them.
extension DecoderPool {
  /// Starts workers that get ready while the caller does something else.
  public func warm(_ count: Int = 1) { warm(count, decodesHEIC: true) }

  private func warm(_ count: Int = 1, decodesHEIC: Bool) {
    for _ in 0..<count {
      // If this fails, starting a worker for a photo fails again and reports why.
      guard let worker = try? start(decodesHEIC: decodesHEIC) else { return }
      waiting.withLock { $0.spare.append(.init(worker: worker)) }
    }
    watch()
  }

  /// Starts a worker that gets ready for one file while the caller does something else. If the file begins as another
  /// format than HEIC, the worker doesn't open the libraries for HEIC. If the file is replaced by a HEIC before it is read,
  /// the pool starts another worker.
  package func warm(for file: FilePath) {
    // An unreadable file is reported when the photo is read.
    let format = try? Receiver.format(of: file)
    warm(decodesHEIC: format == nil || format == .heic)
  }

  /// The worker of a lease, from its first question on; the next one gets ready meanwhile.
  func leased(_ lease: DecoderLease, fresh: Bool) throws(PhotoError) -> DecoderProcess {
    if let worker = lease.worker { return worker }
    let worker = try ready(fresh: fresh)
    worker.served.add(1, ordering: .relaxed)
    lease.worker = worker
    if spares > 0 {
      Self.chores.add { [weak self] in self?.addSpares() }
    }
    return worker
  }

  /// Photos a lent worker may still see, the one it is lent for included.
  func photosLeft(_ worker: DecoderProcess) -> Int {
    max(1, trust.photosPerWorker - worker.served.load(ordering: .relaxed) + 1)
  }

  /// A worker that waits, or a new one.
  func ready(fresh: Bool) throws(PhotoError) -> DecoderProcess {
    // Those that wait may have met what another one died of.
    if fresh { return try start() }
    // One that was killed while it waited would cost the photo its second try.
    while let waits = waiting.withLock({ ($0.used.popLast() ?? $0.spare.popLast())?.worker }) {
      if !waits.hasEnded { return waits }
    }
    return try start()
  }

  /// Takes a worker back, to wait for another photo or to be ended.
  func giveBack(_ worker: DecoderProcess) {
    let served = worker.served.load(ordering: .relaxed)
    // Who holds much may keep much.
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

  /// Process identifiers of workers that wait.
  var idleWorkers: [Int32] { waiting.withLock { $0.all.map(\.pid) } }

  private func start(decodesHEIC: Bool = true) throws(PhotoError) -> DecoderProcess {
    guard executable != nil || DecoderWorker.isOffered.load(ordering: .acquiring) else {
      // It would begin its own work once more, and start another one for its photos.
      logger.error("no decoder: call DecoderWorker.serveIfAsked() first thing in main")
      throw .fault(.decoderHost)
    }
    return try DecoderProcess { socket in
      if let pid = split(socket: socket) { return .success(pid) }
      return ProcessSpawner.spawn(
        program, arguments: arguments + (decodesHEIC ? [] : [DecoderWorker.Options.withoutHEIC]),
        environment: DecoderWorker.environment, socket: socket, niceness: trust.niceness)
    }
  }

  /// Has the template split off a worker, where every photo needs one; nil where none is to be had.
  private func split(socket: Int32) -> Int32? {
    guard trust.photosPerWorker == 1, spares > 0 else { return nil }
    let template = template.withLock { held -> DecoderTemplate? in
      if held.running == nil, held.notBefore <= .now {
        held.running = try? DecoderTemplate(
          program, arguments: templateArguments,
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

  /// Ends workers without keeping the caller: the kernel takes a while to take back memory.
  static func retire(_ workers: [DecoderProcess]) {
    guard !workers.isEmpty else { return }
    for worker in workers { worker.kill() }
    let ending = { @Sendable in for worker in workers { worker.end() } }
    if !chores.add(ending) { ending() }
  }

  /// Threads that start spare workers, and wait for the end of others.
  private static let chores = WorkerPool()

  // MARK: - Waiting too long

  /// Sees to it that waiting workers are looked at again.
  private func watch() {
    let begins = waiting.withLock { waiting in
      defer { waiting.isWatched = true }
      return !waiting.isWatched
    }
    guard begins else { return }
    let pause = Duration.seconds(max(1, limits.idleSeconds))
    Task.detached(priority: .utility) { [weak self] in
      try? await Task.sleep(for: pause)
      self?.endIdle()
    }
  }

  private func endIdle() {
    let (idle, isDone) = waiting.withLock { waiting in
      let limit = ContinuousClock.now - .seconds(limits.idleSeconds)
      var idle = waiting.used.filter { $0.since <= limit }
      waiting.used.removeAll { $0.since <= limit }
      // Spares beyond the number that is asked for were warmed for a photo that did not come.
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
