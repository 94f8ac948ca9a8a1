import ImageContainers
import Glibc
import Logging
import Synchronization

/// Interprets the end of a worker.
extension DecoderPool {
  /// Counts and logs the end of a worker, whether or not the photo is tried again.
  func record(_ ending: DecoderProcess.Ending, _ stage: PhotoStage, sha256: String) {
    deaths.add(1, ordering: .relaxed)
    let signal = ending.signal.map { String(cString: strsignal($0)) } ?? "none"
    logger.warning(
      "decoder died",
      metadata: ["signal": "\(signal)", "stage": "\(stage)", "photo": "\(sha256)"])
  }

  /// Returns the error for a photo whose worker died. If the photo may be the cause, remembers it so that it isn't
  /// tried again.
  func failure(
    _ ending: DecoderProcess.Ending, sha256: String, worker: DecoderProcess
  ) -> PhotoError {
    if isStarved(worker) { return .shortage(errno: ENOMEM) }
    if isMemory(of: worker) { return memoryError(of: worker) }
    if ending.isOutOfTime { return .timeout(seconds: limits.cpuSeconds) }
    if ending.signal == SIGKILL { return .fault(.decoderKilled) }
    // If the stack is too small for the libraries, any photo ends the worker.
    guard let codeDigest = worker.readiness?.codeDigest, !isStackSmall else { return startError() }
    remember(sha256, codeDigest: codeDigest, inLedger: isCrash(ending))
    return .decoderCrash
  }

  /// Returns the reason why no worker can start: an inherited limit of this process that is too low for the libraries,
  /// or an unknown cause.
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

  /// Returns `true` if the signal shows that the photo itself made the worker end. Swift's traps are SIGILL or SIGTRAP,
  /// depending on the processor.
  ///
  /// Any other end may have another cause, so it is retried once and remembered only by this process. Without a signal,
  /// the socket may have failed. Libraries abort if no thread or memory is available. A debugger turns system calls
  /// into forbidden ones. Any process may send SIGKILL.
  func isCrash(_ ending: DecoderProcess.Ending) -> Bool {
    [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE].contains(ending.signal)
  }

  /// Returns the error of a regular refusal. Replaces the worker if the refusal is not the photo's fault.
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
    // Libraries report a damaged photo when memory runs out.
    if isStarved(worker) { return .shortage(errno: ENOMEM) }
    worker.glance()
    guard isMemory(of: worker) else { return refusal.error }
    lease.worker = nil
    return memoryError(of: worker)
  }

  /// Returns `true` if the worker probably ran out of memory. Libraries fail in many ways then and don't report it
  /// reliably. A failure after half of the limit was in use counts, because the next buffer is as large as the last
  /// one.
  func isMemory(of worker: DecoderProcess) -> Bool {
    worker.peakBytes >= memoryBytes(of: worker) / 2
  }

  /// The address space in bytes below which libraries fail on ordinary photos. They need 200 MiB just to load.
  private static let leastMemoryBytes = 1 << 30

  /// Returns `true` if the user's limits leave a worker too little memory. Its failures then don't depend on the photo.
  private func isStarved(_ worker: DecoderProcess) -> Bool {
    memoryBytes(of: worker) < min(limits.memoryBytes, Self.leastMemoryBytes)
  }

  private func memoryError(of worker: DecoderProcess) -> PhotoError {
    let limit = memoryBytes(of: worker)
    return .tooLarge(.memory, actual: max(worker.peakBytes, limit), limit: limit)
  }

  /// Returns the memory limit of a worker in bytes. It is lower than ours if the user's own limit is lower.
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
      // Without a ledger, forget all of them at the limit. Each may then crash once again.
      if crashed.count >= CrashLedger.maxCount { crashed = [:] }
      crashed[sha256] = codeDigest
    }
    guard inLedger else { return }
    do { try ledger?.recordCrash(sha256, codeDigest: codeDigest) } catch {
      logger.error("crash not recorded", metadata: ["photo": "\(sha256)", "error": "\(error)"])
    }
  }
}
