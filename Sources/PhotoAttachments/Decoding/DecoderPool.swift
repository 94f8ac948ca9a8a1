import Dispatch
import Glibc
public import Logging
import Synchronization

/// Worker processes that decode: stages 1 to 4 run in caged children of this process, where a crash,
/// a hang or a bomb harms one photo only.
///
/// There are as many as threads ask at the same time, or as `most` says: a `WorkerPool` with more
/// threads than that reads, proves and stores while the workers decode. A worker serves many photos and is replaced after `DecoderLimits.photosPerWorker` and
/// after anything odd. All end with this pool, or with this process.
///
/// Every end of a worker is one error: a tidy refusal is the refusal; the wall clock and the
/// processor limit are `timeout`; memory is `tooLarge("memory")`; a crash is
/// `corrupt("decoder-crash")`, and the photo is not tried again. An end that need not be the photo's
/// fault costs one retry first; a worker that somebody else killed is `fault("decoder-killed")`.
public final class DecoderPool: Sendable {
  /// What one photo may cost.
  public let limits: DecoderLimits
  private let executable: String
  private let arguments: [String]
  private let ledger: CrashLedger?
  private let logger: Logger
  private let places: DispatchSemaphore?
  private let idle = Mutex<[DecoderProcess]>([])
  private let crashed = Mutex<Set<String>>([])

  /// A pool of workers.
  ///
  /// - Parameters:
  ///   - executable: path of a program that calls `DecoderWorker.run` when its first argument is
  ///     `decode-worker`.
  ///   - most: workers that decode at the same time, at most; nil for one a thread that asks.
  ///   - limits: what one photo may cost.
  ///   - allowsWeakSandbox: lets workers run on a kernel without Landlock or seccomp, as far as it
  ///     goes. Without it such a kernel gives `PhotoError.fault("sandbox-landlock")` or
  ///     `("sandbox-seccomp")`.
  ///   - ledger: remembers crashes beyond this pool's life.
  ///   - logger: hears of crashes, with signal and stage.
  public convenience init(
    executable: String, most: Int? = nil, limits: DecoderLimits = .init(),
    allowsWeakSandbox: Bool = false, ledger: CrashLedger? = nil,
    logger: Logger = Logger(label: "petspot.decoder")
  ) {
    let options = allowsWeakSandbox ? ["--allow-weak-sandbox"] : []
    self.init(
      executable: executable, most: most, options: options, limits: limits, ledger: ledger,
      logger: logger)
  }

  init(
    executable: String, most: Int? = nil, options: [String], limits: DecoderLimits = .init(),
    ledger: CrashLedger? = nil, logger: Logger = Logger(label: "petspot.decoder")
  ) {
    self.executable = executable
    places = most.map { DispatchSemaphore(value: max(1, $0)) }
    self.limits = limits
    self.ledger = ledger
    self.logger = logger
    arguments = ["decode-worker", "--memory", String(limits.memoryBytes)] + options
  }

  deinit {
    // All at once: the kernel takes a while to take back a process's memory.
    for worker in idle.withLock({ $0 }) { worker.kill() }
  }

  /// Starts workers that get ready while the caller does something else.
  public func warm(_ count: Int = 1) {
    for _ in 0..<count {
      // A failure shows again, with an error, when the worker is needed.
      guard let worker = try? start() else { return }
      idle.withLock { $0.append(worker) }
    }
  }

  /// What a worker's libraries and cage are; `problems` says why workers refuse to work here.
  ///
  /// - Throws: `PhotoError.fault("decoder-start")` when none can be asked.
  public func report() throws(PhotoError) -> DecoderReport {
    places?.wait()
    defer { places?.signal() }
    let worker = try take(fresh: false)
    do throws(DecoderProcess.Failure) {
      let report = try worker.report()
      give(worker)
      return report
    } catch {
      guard let told = worker.told else { throw .fault(what: "decoder-start") }
      var report = told.report
      if let problem = told.problem, !report.problems.contains(problem) {
        report.problems.append(problem)
      }
      return report
    }
  }

  /// Asks a worker, and maps its end when there is no answer.
  ///
  /// - Parameters:
  ///   - sha256: the bytes' digest, to know them again should they crash the worker.
  ///   - refused: hears what a tidy refusal took.
  func ask(
    _ work: DecoderRequest.Work, _ bytes: [UInt8], sha256: String, policy: PhotoPolicy,
    refused: (StageTimes) -> Void = { _ in }
  ) throws(PhotoError) -> DecoderFrame {
    let request = DecoderRequest(
      work: work, policy: policy, cpuSeconds: limits.cpuSeconds,
      cpuSecondsPerMegapixel: limits.secondsPerMegapixel * Double(max(1, policy.threadsPerPhoto)))
    places?.wait()
    defer { places?.signal() }
    var retried = false
    while true {
      let worker = try take(fresh: retried)
      do throws(DecoderProcess.Failure) {
        let version = try worker.report().vipsVersion
        guard !remembers(sha256, version: version) else {
          give(worker)
          throw .unusable(.corrupt(what: "decoder-crash"))
        }
        let frame = try worker.ask(request, bytes, limits: limits)
        guard frame.kind == .refusal else {
          give(worker)
          return frame
        }
        throw .unusable(try refusal(in: frame, of: worker, refused))
      } catch {
        switch error {
        case .unusable(let error): throw error
        case .timedOut(let seconds):
          logger.warning("decoder too slow", metadata: ["photo": "\(sha256)"])
          throw .timeout(seconds: seconds)
        case .died(let ending, let stage):
          // A used worker may have died of an earlier photo, any of something that is not the photo.
          let used = worker.served.load(ordering: .relaxed) > 1
          let isMemory = isMemory(ending.peakBytes)
          if !retried, !isMemory, used || !isCrash(ending), ending.signal != SIGXCPU {
            retried = true
            continue
          }
          throw failure(ending, stage, sha256: sha256, worker: worker)
        }
      }
    }
  }

  // MARK: - Ends

  private func failure(
    _ ending: DecoderProcess.Ending, _ stage: PhotoStage, sha256: String, worker: DecoderProcess
  ) -> PhotoError {
    let signal = ending.signal.map { String(cString: strsignal($0)) } ?? "none"
    logger.warning(
      "decoder died",
      metadata: ["signal": "\(signal)", "stage": "\(stage)", "photo": "\(sha256)"])
    if isMemory(ending.peakBytes) { return memoryError(ending.peakBytes) }
    if ending.signal == SIGXCPU { return .timeout(seconds: limits.cpuSeconds) }
    if ending.signal == SIGKILL { return .fault(what: "decoder-killed") }
    guard let version = try? worker.report().vipsVersion else {
      return .fault(what: "decoder-start")
    }
    remember(sha256, version: version, inLedger: isCrash(ending))
    return .corrupt(what: "decoder-crash")
  }

  /// Whether the photo, and nothing else, made a worker end. Without a signal the socket may have
  /// failed; libraries abort and trap when no thread or memory is to be had; a debugger changes
  /// system calls into forbidden ones; anybody may kill. Such an end is tried once more, and
  /// remembered by this process only.
  private func isCrash(_ ending: DecoderProcess.Ending) -> Bool {
    [SIGSEGV, SIGBUS, SIGILL, SIGFPE].contains(ending.signal)
  }

  private func refusal(
    in frame: DecoderFrame, of worker: DecoderProcess, _ refused: (StageTimes) -> Void
  ) throws(DecoderProcess.Failure) -> PhotoError {
    let refusal: DecoderRefusal
    do throws(PhotoError) {
      refusal = try DecoderJSON.decode(DecoderRefusal.self, from: frame.json)
    } catch { throw .died(worker.end(), .start) }
    refused(refusal.times)
    if isMemory(refusal.peakBytes), refusal.error.code == "corrupt" {
      return memoryError(refusal.peakBytes)
    }
    if refusal.error.blame == .photo, !isBig(refusal.peakBytes) { give(worker) }
    return refusal.error
  }

  /// Libraries fail in many ways when memory runs out, and none says so reliably. A failure after half
  /// of the limit was in use counts as one of memory: the next buffer is as big as the last.
  private func isMemory(_ peakBytes: Int) -> Bool { peakBytes >= limits.memoryBytes / 2 }

  /// A worker that held much may keep much.
  private func isBig(_ peakBytes: Int) -> Bool { peakBytes >= limits.memoryBytes / 8 }

  private func memoryError(_ peakBytes: Int) -> PhotoError {
    .tooLarge(
      what: "memory", actual: max(peakBytes, limits.memoryBytes), limit: limits.memoryBytes)
  }

  // MARK: - Crashes

  private func remembers(_ sha256: String, version: String) -> Bool {
    crashed.withLock { $0.contains(sha256) } || ledger?.holds(sha256, version: version) == true
  }

  private func remember(_ sha256: String, version: String, inLedger: Bool) {
    crashed.withLock { _ = $0.insert(sha256) }
    guard inLedger else { return }
    do { try ledger?.add(sha256, version: version) } catch {
      logger.error("crash not remembered", metadata: ["photo": "\(sha256)", "error": "\(error)"])
    }
  }

  // MARK: - Workers

  private func start() throws(PhotoError) -> DecoderProcess {
    try DecoderProcess(
      executable, arguments: arguments, environment: DecoderWorker.environment)
  }

  private func take(fresh: Bool) throws(PhotoError) -> DecoderProcess {
    if !fresh, let worker = idle.withLock({ $0.popLast() }) { return worker }
    return try start()
  }

  /// Process identifiers of workers that wait.
  var idleWorkers: [Int32] { idle.withLock { $0.map(\.pid) } }

  private func give(_ worker: DecoderProcess) {
    guard worker.served.load(ordering: .relaxed) < limits.photosPerWorker else { return }
    idle.withLock { $0.append(worker) }
  }
}
