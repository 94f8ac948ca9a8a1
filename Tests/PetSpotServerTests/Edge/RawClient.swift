import Dispatch
import Glibc
import NIOCore

/// A plain blocking socket to a port of this machine. Every call gives up after 20 s.
final class RawClient: Sendable {
  /// A system call that failed.
  struct Failure: Error { let call: String, code: Int32 }

  private let descriptor: Int32

  /// Connects to a port.
  ///
  /// - Parameter receiveBytes: the size of the kernel's receive buffer; `nil` for the default.
  init(port: Int, receiveBytes: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    if var receiveBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, 4)
    }
    let result = try connectLoopback(descriptor, port: port)
    guard result == 0 else { throw Failure(call: "connect", code: errno) }
  }

  deinit { close(descriptor) }

  /// Sends all of a text.
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends all of the bytes.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(call: "send", code: errno) }
      sent += count
    }
  }

  /// Sends the bytes repeatedly until the limit is reached or the kernel accepts no more.
  ///
  /// - Returns: the number of bytes that the kernel accepted.
  func flood(_ bytes: [UInt8], upTo limit: Int) -> Int {
    var sent = 0
    var limits = timeval(tv_sec: 0, tv_usec: 300_000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limits, socklen_t(MemoryLayout<timeval>.size))
    while sent < limit {
      let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  /// Closes the client's side, so that the server reads to the end of the input.
  func shutOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives once; returns an empty array at the end.
  func receive(_ limit: Int = 1 << 16) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &bytes, limit, 0)
    guard count >= 0 else { throw Failure(call: "recv", code: errno) }
    return Array(bytes[..<count])
  }

  /// Receives until the input contains a text.
  func receive(until text: String) throws -> String {
    var all: [UInt8] = []
    while true {
      let received = String(decoding: all, as: UTF8.self)
      if received.contains(text) { return received }
      let bytes = try receive()
      if bytes.isEmpty { return received }
      all += bytes
    }
  }

  /// Receives until the server closes, in order or with a reset.
  func receiveAll() -> (bytes: [UInt8], isReset: Bool) {
    var all: [UInt8] = []
    do {
      while true {
        let bytes = try receive()
        if bytes.isEmpty { return (all, false) }
        all += bytes
      }
    } catch {
      return (all, true)
    }
  }
}

/// Runs blocking work on a thread that the server's tasks don't need. Expectations in it still belong to the current
/// test.
func blocking<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withTaskExecutorPreference(BlockingThreads()) { try work() }
}

/// The threads of Dispatch, which starts more of them when some block.
private final class BlockingThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}

/// Connects a socket to a port of this machine, like connect(2). The address is NIO's because NIO's C module may be the
/// first to import the C library's address types, which then count as its own.
func connectLoopback(_ socket: Int32, port: Int) throws -> Int32 {
  try SocketAddress(ipAddress: "127.0.0.1", port: port).withSockAddr { address, size in
    connect(socket, address, socklen_t(size))
  }
}
