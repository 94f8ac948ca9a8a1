import Glibc
import Synchronization

/// A worker process and our end of its socket. One thread uses it at a time; it dies with this value.
final class DecoderProcess: Sendable {
  let pid: pid_t
  private let socket: FrameSocket
  /// Photos it has been asked for.
  let served = Atomic(0)
  private let state = Mutex<(ready: WorkerReady?, ending: Ending?)>((nil, nil))

  /// How a process ended.
  struct Ending: Equatable {
    /// The signal that ended it, nil when it left by itself or we had to kill it.
    var signal: Int32?
    /// The most memory it held, in bytes; 0 when that was less than we held when it started.
    var peakBytes: Int
  }

  /// Why there is no answer.
  enum Failure: Error {
    /// The worker says that it cannot work, or it could not be started.
    case unusable(PhotoError)
    /// It took too long.
    case timedOut(seconds: Int)
    /// It died, or talked nonsense.
    case died(Ending, PhotoStage)
  }

  /// Starts a worker; it gets ready while we do something else.
  init(_ executable: String, arguments: [String], environment: [String]) throws(PhotoError) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw PhotoError(startingDecoder: errno) }
    defer { close(ends[1]) }
    guard fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else {
      let code = errno
      close(ends[0])
      throw PhotoError(startingDecoder: code)
    }
    socket = FrameSocket(descriptor: ends[0])
    switch ProcessSpawner.spawn(
      executable, arguments: arguments, environment: environment, socket: ends[1])
    {
    case .success(let pid): self.pid = pid
    case .failure(let error):
      close(ends[0])
      throw error
    }
  }

  deinit {
    _ = end()
    close(socket.descriptor)
  }

  /// What the worker told when it was ready, and why it may have refused.
  var told: WorkerReady? { state.withLock { $0.ready } }

  /// What a worker told that is ready to work; waits for that.
  func report(within seconds: Int = 20) throws(Failure) -> DecoderReport {
    if let told { return told.report }
    let ready = try exchange(stage: .start, deadline: .now + .seconds(seconds), seconds: seconds) {
      (deadline) throws(FrameSocket.Failure) in
      try socket.receive(until: deadline)
    }
    guard ready.kind == .ready,
      let told = try? DecoderJSON.decode(WorkerReady.self, from: ready.json)
    else { throw .died(end(), .start) }
    state.withLock { $0.ready = told }
    if let problem = told.problem { throw .unusable(.fault(what: problem)) }
    return told.report
  }

  /// Asks for one photo.
  ///
  /// - Returns: an `answer` or a `refusal`.
  func ask(
    _ request: DecoderRequest, _ bytes: [UInt8], limits: DecoderLimits
  ) throws(Failure) -> DecoderFrame {
    let json: [UInt8]
    do throws(PhotoError) { json = try DecoderJSON.encode(request) } catch {
      throw .unusable(error)
    }
    served.add(1, ordering: .relaxed)
    let start = SuspendingClock.now
    var seconds = limits.wallSeconds
    var stage = PhotoStage.start
    func within<T>(
      _ body: (FrameSocket.Deadline) throws(FrameSocket.Failure) -> T
    ) throws(Failure) -> T {
      try exchange(stage: stage, deadline: start + .seconds(seconds), seconds: seconds, body)
    }
    try within { deadline throws(FrameSocket.Failure) in
      try socket.send(
        DecoderFrame(kind: .request, json: json, first: bytes), until: deadline)
    }
    while true {
      let frame = try within { deadline throws(FrameSocket.Failure) in
        try socket.receive(until: deadline)
      }
      switch frame.kind {
      case .answer, .refusal: return frame
      case .stage:
        guard let report = try? DecoderJSON.decode(StageReport.self, from: frame.json) else {
          throw .died(end(), stage)
        }
        stage = report.stage
        seconds = limits.wallSeconds(pixels: report.pixels, policy: request.policy)
      case .ready, .request: throw .died(end(), stage)
      }
    }
  }

  private func exchange<T>(
    stage: PhotoStage, deadline: FrameSocket.Deadline, seconds: Int,
    _ body: (FrameSocket.Deadline) throws(FrameSocket.Failure) -> T
  ) throws(Failure) -> T {
    do throws(FrameSocket.Failure) { return try body(deadline) } catch {
      switch error {
      case .timedOut:
        _ = end()
        throw .timedOut(seconds: seconds)
      case .closed: throw .died(end(graceMilliseconds: 1_000), stage)
      case .malformed: throw .died(end(), stage)
      }
    }
  }

  /// Kills the process group without waiting for its end.
  func kill() {
    state.withLock { state in
      // Once it is collected its number may be another's.
      if state.ending == nil { _ = Glibc.kill(-pid, SIGKILL) }
    }
  }

  /// Kills the process group and collects the process; once, whoever asks.
  ///
  /// - Parameter graceMilliseconds: how long a process that has closed its socket may take to die its
  ///   own death, whose signal we want to know.
  @discardableResult
  func end(graceMilliseconds: Int = 0) -> Ending {
    state.withLock { state in
      if let ending = state.ending { return ending }
      var (status, usage) = (Int32(0), rusage())
      var collected: pid_t = 0
      for _ in 0..<graceMilliseconds where collected == 0 {
        collected = wait4(pid, &status, WNOHANG, &usage)
        if collected == 0 { usleep(1_000) }
      }
      let isOurs = collected == 0
      if isOurs {
        Glibc.kill(-pid, SIGKILL)
        repeat { collected = wait4(pid, &status, 0, &usage) } while collected < 0 && errno == EINTR
      }
      let signal = status & 0x7F
      let peak = usage.ru_maxrss << 10
      let ending = Ending(
        signal: collected != pid || signal == 0 || isOurs && signal == SIGKILL ? nil : signal,
        peakBytes: peak > state.ready?.baseBytes ?? .max ? peak : 0)
      state.ending = ending
      return ending
    }
  }
}
