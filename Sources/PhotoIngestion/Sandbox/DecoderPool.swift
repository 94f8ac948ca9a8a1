import Dispatch
import Glibc
public import Logging
import Synchronization

/// Decoder processes: stages 1 to 4 run in sandboxed child processes, where a crash, a hang or a
/// decompression bomb affects only one photo.
///
/// There is one for each thread that needs one, or at most `maxWorkers`: a `WorkerPool` with more threads than
/// that reads, verifies and stores while the workers decode. A worker decodes as many photos as `trust`
/// allows and is replaced after a big one and after any irregularity; one that is idle for too long is
/// ended (`DecoderLimits.idleSeconds`). All end with this pool, or with this process.
///
/// Every end of a worker is one error: a refusal is returned as it is; the wall clock and the
/// processor limit are `timeout`; memory is `tooLarge(.memory, …)`; a crash is
/// `decoderCrash`, and the photo is not tried again; an answer that no genuine worker
/// gives is `fault(.decoderAnswer)`. An end that may not be the photo's fault is retried once
/// first; a worker killed by another process is `fault(.decoderKilled)`.
public final class DecoderPool: Sendable {
  /// What one photo may cost.
  public let limits: DecoderLimits
  /// Whose photos one worker may see.
  public let trust: DecoderTrust
  /// Workers that get ready before a photo needs them.
  public let spares: Int
  /// Nil for this program.
  let executable: String?
  let arguments: [String]
  let templateArguments: [String]
  let ledger: CrashLedger?
  let logger: Logger
  /// Those of workers that decode at the same time; nil for one per thread.
  let places: DispatchSemaphore?
  let waiting = Mutex(WaitingWorkers())
  let template = Mutex(HeldTemplate())
  /// How many workers have died over a photo.
  package var deathCount: Int { deaths.load(ordering: .relaxed) }
  let deaths = Atomic(0)
  /// Photos that crashed a worker, by digest, and the libraries that they crashed.
  let crashed = Mutex<[String: String]>([:])

  /// A pool of workers.
  ///
  /// - Parameters:
  ///   - executable: path of another program to decode in; nil for this one. Either begins with
  ///     `DecoderWorker.serveIfAsked()`; if this program does not, photos fail with
  ///     `PhotoError.fault(.decoderHost)`.
  ///   - trust: whose photos one worker may see, one after another.
  ///   - maxWorkers: workers that decode at the same time, at most; nil for one per thread.
  ///   - spares: workers that get ready before a photo needs them, from the first photo on; 0 for a
  ///     process that takes one photo. With `.strangers`, one more process then keeps the libraries
  ///     loaded, so that a worker is ready in a few milliseconds.
  ///   - limits: what one photo may cost.
  ///   - allowsWeakSandbox: lets workers run on a kernel without Landlock or seccomp, as far as it
  ///     goes. Without it such a kernel gives `PhotoError.fault(.sandboxLandlock)` or
  ///     `.fault(.sandboxSeccomp)`.
  ///   - ledger: remembers crashes beyond this pool's life.
  ///   - logger: logs crashes, with signal and stage.
  public init(
    executable: String? = nil, trust: DecoderTrust = .strangers, maxWorkers: Int? = nil,
    spares: Int = 1, limits: DecoderLimits = .init(), allowsWeakSandbox: Bool = false,
    ledger: CrashLedger? = nil, logger: Logger = Logger(label: "petspot.decoder")
  ) {
    self.executable = executable
    self.trust = trust
    self.spares = max(0, spares)
    places = maxWorkers.map { count in
      // libdispatch traps if a semaphore is freed below its initial value.
      let places = DispatchSemaphore(value: 0)
      for _ in 0..<max(1, count) { places.signal() }
      return places
    }
    self.limits = limits
    self.ledger = ledger
    self.logger = logger
    var worker = DecoderWorker.Options()
    worker.memoryBytes = limits.memoryBytes
    worker.allowsWeakSandbox = allowsWeakSandbox
    arguments = worker.arguments
    worker.isTemplate = true
    templateArguments = worker.arguments
  }

  deinit { Self.retire(waiting.withLock { $0.all }) }

  /// What `report(on:)` waits for, on the caller's thread.
  package func report() throws(PhotoError) -> DecoderReport {
    try enter(places)
    defer { places?.signal() }
    let worker = try ready(fresh: false)
    do throws(DecoderProcess.Failure) {
      let report = try worker.ready().report
      giveBack(worker)
      return report
    } catch {
      guard let ready = worker.readiness else { throw startError() }
      var report = ready.report
      if let problem = ready.problem, !report.problems.contains(problem) {
        report.problems.append(problem)
      }
      return report
    }
  }

  /// Waits for a place. Callers are threads of a `WorkerPool`, a few more than there are places: which
  /// photos wait, and how many may, is decided before they get one.
  ///
  /// - Throws: `PhotoError.cancelled` when the caller's work is cancelled meanwhile.
  func enter(_ places: DispatchSemaphore?) throws(PhotoError) {
    guard let places else { return }
    while places.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
      if WorkerPool.isCancelled { throw .cancelled }
    }
  }
}
