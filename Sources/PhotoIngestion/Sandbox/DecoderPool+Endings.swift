import ImageContainers
import Glibc
import Logging
import Synchronization

/// What the end of a worker says about a photo.
extension DecoderPool {
  /// Counts and logs the end of a worker, whether or not the photo is tried again.
  func record(_ ending: DecoderProcess.Ending, _ stage: PhotoStage, sha256: String) {
    deaths.add(1, ordering: .relaxed)
    let signal = ending.signal.map { String(cString: strsignal($0)) } ?? "none"
    logger.warning(
      "decoder died",
      metadata: ["signal": "\(signal)", "stage": "\(stage)", "photo": "\(sha256)"])
  }

  func failure(
    _ ending: DecoderProcess.Ending, sha256: String, worker: DecoderProcess
  ) -> PhotoError {
    if isStarved(worker) { return .shortage(errno: ENOMEM) }
    if isMemory(of: worker) { return memoryError(of: worker) }
    if ending.isOutOfTime { return .timeout(seconds: limits.cpuSeconds) }
    if ending.signal == SIGKILL { return .fault(.decoderKilled) }
    // A stack that is too small for the libraries ends at any photo.
    guard let codeDigest = worker.readiness?.codeDigest, !isStackSmall else { return startError() }
    remember(sha256, codeDigest: codeDigest, inLedger: isCrash(ending))
    return .decoderCrash
  }

  /// Why no worker gets ready: a limit of this process that it inherits is too low for the libraries
  /// alone, else it is not known.
  func startError() -> PhotoError {
    if isStackSmall { return .fault(.decoderStack) }
    if isBelow(RLIMIT_AS, UInt(Self.leastMemoryBytes)) { return .shortage(errno: ENOMEM) }
    return .fault(.decoderStart)
  }

  private var isStackSmall: Bool { isBelow(RLIMIT_STACK, 1 << 20) }

  private func isBelow(_ resource: __rlimit_resource, _ bytes: UInt) -> Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
      && limit.rlim_cur < bytes
  }

  /// Whether the photo, and nothing else, made a worker end. Without a signal the socket may have
  /// failed; libraries abort when no thread or memory is to be had; a debugger changes system calls
  /// into forbidden ones; any process may kill. Such an end is tried once more, and remembered by this
  /// process only. Swift's traps are SIGILL or SIGTRAP, as the processor has it.
  func isCrash(_ ending: DecoderProcess.Ending) -> Bool {
    [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE].contains(ending.signal)
  }

  /// What a tidy refusal says. A worker whose refusal is not the photo's fault is used no more.
  func refusal(
    in message: DecoderMessage, of lease: DecoderLease, times: inout StageTimes
  ) throws(DecoderProcess.Failure) -> PhotoError {
    guard let worker = lease.worker else { return .fault(.decoderAnswer) }
    let refusal: DecoderRefusal
    do throws(PhotoError) {
      refusal = try DecoderJSON.decode(DecoderRefusal.self, from: message.json)
    } catch { throw worker.nonsense(.start) }
    times += refusal.times
    if refusal.error.blame != .photo { lease.worker = nil }
    guard refusal.error.code == "corrupt" else { return refusal.error }
    // Libraries call a photo damaged when memory runs out.
    if isStarved(worker) { return .shortage(errno: ENOMEM) }
    worker.glance()
    guard isMemory(of: worker) else { return refusal.error }
    lease.worker = nil
    return memoryError(of: worker)
  }

  /// Libraries fail in many ways when memory runs out, and none says so reliably. A failure after half
  /// of the limit was in use counts as one of memory: the next buffer is as big as the last.
  func isMemory(of worker: DecoderProcess) -> Bool {
    worker.peakBytes >= memoryBytes(of: worker) / 2
  }

  /// Address space below which libraries fail at ordinary photos; alone they take 200 MiB.
  private static let leastMemoryBytes = 1 << 30

  /// Whether our user's limits leave a worker too little: its failures say nothing of a photo then.
  private func isStarved(_ worker: DecoderProcess) -> Bool {
    memoryBytes(of: worker) < min(limits.memoryBytes, Self.leastMemoryBytes)
  }

  private func memoryError(of worker: DecoderProcess) -> PhotoError {
    let limit = memoryBytes(of: worker)
    return .tooLarge(.memory, actual: max(worker.peakBytes, limit), limit: limit)
  }

  /// What a worker may have: less than we allow where our user may have less.
  private func memoryBytes(of worker: DecoderProcess) -> Int {
    let inForce = worker.readiness?.memoryBytes ?? 0
    return inForce > 0 ? min(inForce, limits.memoryBytes) : limits.memoryBytes
  }

  // MARK: - Crashes

  func remembers(_ sha256: String, codeDigest: String) -> Bool {
    crashed.withLock { $0[sha256] == codeDigest }
      || ledger?.hasCrashed(sha256, codeDigest: codeDigest) == true
  }

  private func remember(_ sha256: String, codeDigest: String, inLedger: Bool) {
    crashed.withLock { crashed in
      // Without a ledger the oldest ones are not known: each may crash once more.
      if crashed.count >= CrashLedger.maxCount { crashed = [:] }
      crashed[sha256] = codeDigest
    }
    guard inLedger else { return }
    do { try ledger?.recordCrash(sha256, codeDigest: codeDigest) } catch {
      logger.error("crash not recorded", metadata: ["photo": "\(sha256)", "error": "\(error)"])
    }
  }
}
