import CSandbox
import Glibc
import Synchronization

/// A worker process and the host's end of its socket. Only one thread uses it at a time. The process dies with this
/// object.
final class DecoderProcess: Sendable {
  let pid: pid_t
  private let socket: DecoderSocket
  /// The number of photos that it has been lent to.
  let served = Atomic(0)
  private let state = Mutex(State())

  private struct State {
    var ready: WorkerReady?
    var ending: Ending?
    var peakBytes = 0
    /// The processor time in seconds at which the kernel kills it, once that is set.
    var maxSeconds: Int?
    /// The processor time in nanoseconds that it had used when it was reaped.
    var used: Int64 = 0
  }

  /// The way in which a worker process ended.
  struct Ending: Equatable {
    /// The signal that ended it. `nil` if it exited by itself or this process had to kill it.
    var signal: Int32?
    /// `true` if its processor time was used up.
    var isOutOfTime: Bool
  }

  /// The reason why a request has no answer.
  enum Failure: Error {
    /// The worker reported that it cannot work, or it could not be started.
    case unusable(PhotoError)
    case timedOut(seconds: Int)
    case died(Ending, PhotoStage)
    /// The worker sent data that no genuine worker sends, and was killed.
    case nonsense(PhotoStage)
    /// The photo weighs more than is allowed now. The worker was ended.
    case heavier(DecodingWeight)
  }

  /// Starts a worker, which gets ready while the caller continues.
  ///
  /// - Parameter start: starts a process, in its own process group, that serves this end of a socket.
  init(_ start: (_ socket: Int32) -> Result<pid_t, PhotoError>) throws(PhotoError) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw PhotoError(startingDecoder: errno) }
    defer { close(ends[1]) }
    guard fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else {
      let code = errno
      close(ends[0])
      throw PhotoError(startingDecoder: code)
    }
    socket = DecoderSocket(descriptor: ends[0])
    switch start(ends[1]) {
    case .success(let pid): self.pid = pid
    case .failure(let error):
      close(ends[0])
      throw error
    }
  }

  deinit {
    end()
    close(socket.descriptor)
  }

  /// `true` if the other end has closed.
  var hasEnded: Bool { socket.isAlone }

  /// The worker's report and, if it refused to work, the reason.
  var readiness: WorkerReady? { state.withLock { $0.ready } }

  /// Waits until the worker is ready and returns its report.
  @discardableResult
  func waitUntilReady(within seconds: Int = 20) throws(Failure) -> WorkerReady {
    if let readiness { return readiness }
    let message: DecoderMessage
    do throws(DecoderSocket.Failure) {
      message = try socket.receive(
        until: .now + .seconds(seconds), bounds: DecoderRequest.readyBounds)
    } catch {
      throw failure(error, at: .start, seconds: seconds)
    }
    guard let ready = try? DecoderJSON.decode(WorkerReady.self, from: message.json) else {
      throw nonsense(.start)
    }
    state.withLock { $0.ready = ready }
    if let problem = ready.problem { throw .unusable(.fault(problem)) }
    return ready
  }

  /// Sends a request and waits for the answer.
  ///
  /// - Parameters:
  ///   - photosLeft: the number of photos it may still decode, including this one.
  ///   - weightLimit: the maximum weight of the photo.
  /// - Returns: an `answer` or a `refusal`.
  func sendRequest(
    _ request: DecoderRequest, _ bytes: [UInt8], limits: DecoderLimits, photosLeft: Int,
    weightLimit: DecodingWeight = .huge
  ) throws(Failure) -> DecoderMessage {
    let json: [UInt8]
    do throws(PhotoError) { json = try DecoderJSON.encode(request) } catch {
      throw .unusable(error)
    }
    let policy = request.policy
    let ticket = UInt64.random(in: .min ... .max)
    let start = SuspendingClock.now
    let used = Int(processorTime.components.seconds) + 1
    let most = used + photosLeft * limits.cpuSeconds(pixels: .max, policy: policy)
    try limitProcessor(used + limits.cpuSeconds, most: most)
    var seconds = limits.wallSeconds
    var stage = PhotoStage.start
    var stages = 0
    var pixels = 0
    while true {
      let message: DecoderMessage
      do throws(DecoderSocket.Failure) {
        let deadline = start + .seconds(seconds)
        if stages == 0 {
          try socket.send(
            DecoderMessage(kind: .request, json: json, first: bytes, ticket: ticket),
            until: deadline)
        }
        message = try socket.receive(until: deadline, glance: glance) {
          request.bounds($0, sourceBytes: bytes.count, pixels: pixels)
        }
      } catch {
        throw failure(error, at: stage, seconds: seconds)
      }
      guard message.ticket == ticket else { throw nonsense(stage) }
      guard message.kind == .stage else { return message }
      stages += 1
      guard stages <= DecoderRequest.maxStages,
        let report = try? DecoderJSON.decode(StageReport.self, from: message.json)
      else { throw nonsense(stage) }
      stage = report.stage
      let weight = DecodingWeight(pixels: report.pixels, bitDepth: report.bitDepth)
      guard weight <= weightLimit else {
        end()
        throw .heavier(weight)
      }
      if report.pixels > pixels {
        pixels = report.pixels
        seconds = limits.wallSeconds(pixels: pixels, policy: policy)
        let soft = used + limits.cpuSeconds(pixels: pixels, policy: policy)
        try limitProcessor(soft, most: photosLeft > 1 ? most : soft + 2)
      }
    }
  }

  /// Passes a socket to a template and waits until it has split off a worker that serves the socket.
  ///
  /// - Returns: the process ID of the worker. `nil` on failure.
  func splitOff(socket other: Int32, within seconds: Int = 20) -> pid_t? {
    guard petspot_send_descriptor(socket.descriptor, other) == 0,
      let answer = try? socket.receive(
        MemoryLayout<pid_t>.size, until: .now + .seconds(seconds))
    else { return nil }
    let pid = answer.withUnsafeBytes { $0.loadUnaligned(as: pid_t.self) }
    return pid > 0 ? pid : nil
  }

  /// Ends a worker that sent data that no genuine worker sends.
  func nonsense(_ stage: PhotoStage) -> Failure {
    end()
    return .nonsense(stage)
  }

  /// Ends the worker after its socket failed.
  private func failure(
    _ failure: DecoderSocket.Failure, at stage: PhotoStage, seconds: Int
  ) -> Failure {
    switch failure {
    case .timedOut:
      end()
      return .timedOut(seconds: seconds)
    case .cancelled:
      end()
      return .unusable(.cancelled)
    case .closed: return .died(end(graceMilliseconds: 1_000), stage)
    case .malformed: return nonsense(stage)
    }
  }

  var processorTime: Duration {
    state.withLock { state in
      // After the process is reaped, its PID may belong to another process.
      state.ending == nil ? .nanoseconds(petspot_processor_time(pid)) : .nanoseconds(state.used)
    }
  }

  /// Limits the worker's processor time from outside, so that the worker cannot raise it. At `soft` seconds the kernel
  /// sends a signal that the worker may ignore. At the lowest `most` set so far the kernel kills it.
  private func limitProcessor(_ soft: Int, most: Int) throws(Failure) {
    let result = state.withLock { state -> Int32 in
      // After the process is reaped, its PID may belong to another process.
      guard state.ending == nil else { return 0 }
      let most = min(most, state.maxSeconds ?? most)
      state.maxSeconds = most
      return petspot_limit_processor(pid, UInt64(soft), UInt64(most))
    }
    // If the process is dead, the next request detects that.
    guard result == 0 || result == ESRCH else { throw .unusable(.fault(.sandboxLimits)) }
  }

  /// The maximum memory in bytes over all calls of `glance`. The system's value for an ended process is no use, because
  /// it includes the memory that the parent held when it started the process.
  var peakBytes: Int { state.withLock { $0.peakBytes } }

  /// Reads the worker's peak memory and updates `peakBytes`.
  func glance() {
    let peak = bytes("VmHWM:")
    state.withLock { $0.peakBytes = max($0.peakBytes, peak) }
  }

  /// The memory in bytes that the worker holds now. 0 if the system does not report it.
  var residentBytes: Int { bytes("VmRSS:") }

  /// Returns a size that the system reports for the running process (proc_pid_status(5)). 0 if it does not.
  private func bytes(_ name: String) -> Int {
    guard let file = fopen("/proc/\(pid)/status", "re") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    while fgets(&line, Int32(line.count), file) != nil {
      guard name.withCString({ strncmp(line, $0, strlen($0)) }) == 0 else { continue }
      return strtol(Array(line.dropFirst(name.utf8.count)), nil, 10) << 10
    }
    return 0
  }

  /// Kills the process group without waiting for its end.
  func kill() {
    state.withLock { state in
      // After the process is reaped, its PID may belong to another process.
      if state.ending == nil { _ = Glibc.kill(-pid, SIGKILL) }
    }
  }

  /// Kills the process group and reaps the process. Later calls return the same ending.
  ///
  /// - Parameter graceMilliseconds: the time that a process with a closed socket gets to end by itself, so that its
  ///   signal can be read.
  @discardableResult
  func end(graceMilliseconds: Int = 0) -> Ending {
    state.withLock { state in
      if let ending = state.ending { return ending }
      var status = Int32(0)
      var collected: pid_t = 0
      for _ in 0..<graceMilliseconds where collected == 0 {
        collected = petspot_collect(pid, &status, WNOHANG, &state.used)
        if collected == 0 { usleep(1_000) }
      }
      let isOurs = collected == 0
      if isOurs {
        Glibc.kill(-pid, SIGKILL)
        repeat {
          collected = petspot_collect(pid, &status, 0, &state.used)
        } while collected < 0 && errno == EINTR
      }
      let signal = status & 0x7F
      let used = Int(state.used / 1_000_000_000)
      let isEnd = signal == SIGKILL && !isOurs && used + 1 >= state.maxSeconds ?? .max
      let ending = Ending(
        signal: collected != pid || signal == 0 || isOurs && signal == SIGKILL ? nil : signal,
        isOutOfTime: signal == SIGXCPU || isEnd)
      state.ending = ending
      return ending
    }
  }
}
