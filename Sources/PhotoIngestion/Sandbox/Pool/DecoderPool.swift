import Dispatch
import Glibc
public import Logging
import Synchronization

/// A pool of decoder processes. Stages 1 to 4 run in sandboxed child processes, where a crash, a hang or a
/// decompression bomb affects only one photo.
///
/// The pool has one process for each thread that is decoding, but not more than `maxWorkers`. A `WorkerPool` with more
/// threads than that can read, verify and store while the workers decode. A worker decodes as many photos as `trust`
/// allows. It is replaced after a large photo and after any irregularity. A worker that is idle for too long is ended
/// (`DecoderLimits.idleSeconds`). All workers end with this pool or with this process.
///
/// Every failure of a worker maps to one error. If the worker refuses the photo, its error is passed on. Exceeding the
/// wall clock or processor limit is `timeout`. Exceeding the memory limit is `tooLarge(.memory, …)`. A crash is
/// `decoderCrash`, and the photo is not tried again. An answer that no genuine worker sends is `fault(.decoderAnswer)`.
/// A failure that may not be the photo's fault is first retried once. A worker killed by another process is
/// `fault(.decoderKilled)`.
public final class DecoderPool: Sendable {
  /// The resources that one photo may use.
  public let limits: DecoderLimits
  /// Defines which photos may share a worker.
  public let trust: DecoderTrust
  /// The number of workers that start before a photo needs them.
  public let spares: Int
  /// The path of the decoder program. `nil` for this program.
  let executable: String?
  /// The options of a worker that decodes every format.
  let workerOptions: DecoderWorker.Options
  let ledger: CrashLedger?
  let logger: Logger
  /// A semaphore with a place for each worker that may decode at the same time. `nil` allows one per thread.
  let places: DispatchSemaphore?
  let waiting = Mutex(WaitingWorkers())
  let template = Mutex(HeldTemplate())
  /// The number of workers that died while they decoded a photo.
  package var deathCount: Int { deaths.load(ordering: .relaxed) }
  let deaths = Atomic(0)
  /// The photos that crashed a worker, by digest, with the digest of the code that crashed.
  let crashed = Mutex<[String: String]>([:])

  /// Creates a pool of workers.
  ///
  /// - Parameters:
  ///   - executable: the path of another program to decode in. `nil` uses this program. Either one must call
  ///     `DecoderWorker.serveIfAsked()` first. If this program does not, photos fail with
  ///     `PhotoError.fault(.decoderHost)`.
  ///   - trust: defines which photos may share a worker, one after another.
  ///   - maxWorkers: the maximum number of workers that decode at the same time. `nil` allows one per thread.
  ///   - spares: the number of workers that start before a photo needs them, from the first photo on. Use 0 in a
  ///     process that handles one photo. With `.strangers`, one more process keeps the libraries loaded, so that a
  ///     worker is ready in a few milliseconds.
  ///   - limits: the resources that one photo may use.
  ///   - allowsWeakSandbox: `true` allows workers on a kernel without Landlock or seccomp, with the protection that
  ///     remains. If `false`, such a kernel causes `PhotoError.fault(.sandboxLandlock)` or `.fault(.sandboxSeccomp)`.
  ///   - ledger: records crashes beyond the life of this pool.
  ///   - logger: logs crashes with their signal and stage.
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
    workerOptions = worker
  }

  deinit { Self.retire(waiting.withLock { $0.all }) }

  /// Returns the report of a worker. Blocks the caller's thread. `report(on:)` is the async variant.
  package func report() throws(PhotoError) -> DecoderReport {
    try enter(places)
    defer { places?.signal() }
    let worker = try takeWorker(fresh: false)
    do throws(DecoderProcess.Failure) {
      let report = try worker.waitUntilReady().report
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

  /// Waits for a place. Callers are threads of a `WorkerPool`, which has a few more threads than there are places. The
  /// number and order of waiting photos is therefore decided before they get a thread.
  ///
  /// - Throws: `PhotoError.cancelled` if the caller's work is cancelled in the meantime.
  func enter(_ places: DispatchSemaphore?) throws(PhotoError) {
    guard let places else { return }
    while places.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
      if WorkerPool.isCancelled { throw .cancelled }
    }
  }
}
