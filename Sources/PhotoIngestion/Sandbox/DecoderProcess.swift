import CSandbox
import Glibc
import Synchronization

/// A worker process and our end of its socket. One thread uses it at a time; it dies with this value.
final class DecoderProcess: Sendable {
  let pid: pid_t
  private let socket: DecoderSocket
  /// Photos it has been lent for.
  let served = Atomic(0)
  private let state = Mutex(State())

  private struct State {
    var ready: WorkerReady?
    var ending: Ending?
    var peakBytes = 0
    /// Seconds of processor time at which the kernel kills it, once that is set.
    var maxSeconds: Int?
    /// Nanoseconds of processor time that it had used when it was collected.
    var used: Int64 = 0
  }

  struct Ending: Equatable {
    /// The signal that ended it, nil when it left by itself or we had to kill it.
    var signal: Int32?
    /// Whether its processor time was used up.
    var isOutOfTime: Bool
  }

  /// Why there is no answer.
  enum Failure: Error {
    /// The worker says that it cannot work, or it could not be started.
    case unusable(PhotoError)
    /// It took too long.
    case timedOut(seconds: Int)
    case died(Ending, PhotoStage)
    /// It sent what no genuine worker sends, and was killed.
    case nonsense(PhotoStage)
    /// The photo weighs more than it may now; the worker was ended.
    case heavier(DecodingWeight)
  }

  /// Starts a worker; it gets ready while we do something else.
  ///
  /// - Parameter start: starts a process, in a group of its own, that serves this end of a socket.
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

  /// Whether the other end has closed.
  var hasEnded: Bool { socket.isAlone }

  /// What the worker reported when it was ready, and why it may have refused.
  var readiness: WorkerReady? { state.withLock { $0.ready } }

  /// What a worker reported when it was ready to work; waits for that.
  @discardableResult
  func ready(within seconds: Int = 20) throws(Failure) -> WorkerReady {
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

  /// Asks for one thing.
  ///
  /// - Parameters:
  ///   - photosLeft: photos it may still see, this one included.
  ///   - weightLimit: what the photo may weigh.
  /// - Returns: an `answer` or a `refusal`.
  func ask(
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

  /// Hands a template a socket, and waits until it has split off who serves it.
  ///
  /// - Returns: the new process's identifier, nil when there is none.
  func splitOff(socket other: Int32, within seconds: Int = 20) -> pid_t? {
    guard petspot_send_descriptor(socket.descriptor, other) == 0,
      let answer = try? socket.receive(
        MemoryLayout<pid_t>.size, until: .now + .seconds(seconds))
    else { return nil }
    let pid = answer.withUnsafeBytes { $0.loadUnaligned(as: pid_t.self) }
    return pid > 0 ? pid : nil
  }

  /// Ends a worker that sent what no genuine one sends.
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

  /// Processor time it has used.
  var processorTime: Duration {
    state.withLock { state in
      // Once it is collected its number may be another's.
      state.ending == nil ? .nanoseconds(petspot_processor_time(pid)) : .nanoseconds(state.used)
    }
  }

  /// Bounds its processor time from outside, where it has no say. The kernel asks it to end at
  /// `soft` seconds, which it may ignore, and ends it at the lowest `most` there was.
  private func limitProcessor(_ soft: Int, most: Int) throws(Failure) {
    let result = state.withLock { state -> Int32 in
      // Once it is collected its number may be another's.
      guard state.ending == nil else { return 0 }
      let most = min(most, state.maxSeconds ?? most)
      state.maxSeconds = most
      return petspot_limit_processor(pid, UInt64(soft), UInt64(most))
    }
    // A dead one is found so when it is asked.
    guard result == 0 || result == ESRCH else { throw .unusable(.fault(.sandboxLimits)) }
  }

  /// The most memory it held whenever we looked, in bytes. What the system reports of an ended process
  /// is no measure: it counts what the parent held when it started the process.
  var peakBytes: Int { state.withLock { $0.peakBytes } }

  /// Looks how much memory it has held.
  func glance() {
    let peak = bytes("VmHWM:")
    state.withLock { $0.peakBytes = max($0.peakBytes, peak) }
  }

  /// Bytes of memory it holds now, 0 when the system does not report it.
  var residentBytes: Int { bytes("VmRSS:") }

  /// A size that the system reports of the running process (proc_pid_status(5)), 0 when it does not.
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
      // Once it is collected its number may be another's.
      if state.ending == nil { _ = Glibc.kill(-pid, SIGKILL) }
    }
  }

  /// Kills the process group and collects the process; once, however often it is called.
  ///
  /// - Parameter graceMilliseconds: how long a process that has closed its socket may take to die its
  ///   own death, whose signal we want to know.
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
