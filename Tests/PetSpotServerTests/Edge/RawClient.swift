import Dispatch
import Glibc
import NIOCore

/// A plain blocking socket to a port of this machine; every call gives up after 20 s.
final class RawClient: Sendable {
  /// A call that failed.
  struct Failure: Error { let call: String, code: Int32 }

  private let descriptor: Int32

  /// Connects.
  ///
  /// - Parameter receiveBytes: size of the kernel's buffer for what the server sends; nil for its own.
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

  /// Sends all of it.
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends all of it.
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

  /// Sends the same again and again, until there were so many bytes or the kernel takes no more.
  ///
  /// - Returns: how many bytes it took.
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

  /// Shuts its output: the server sees the end of what is sent.
  func shutOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives once; empty at the end.
  func receive(_ limit: Int = 1 << 16) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &bytes, limit, 0)
    guard count >= 0 else { throw Failure(call: "recv", code: errno) }
    return Array(bytes[..<count])
  }

  /// Receives until `text` came.
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

  /// Receives until the server closes, in order or not.
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

/// Runs blocking work on a thread that the server's own tasks do not need; what the test expects there
/// still counts as the test's.
func blocking<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withTaskExecutorPreference(BlockingThreads()) { try work() }
}

/// The threads of Dispatch, which grow in number when they block.
private final class BlockingThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}

/// Connects a socket to a port of this machine, as connect(2) does. The address is NIO's: its C module
/// may have been the first to bring the C library's types of addresses, and then they count as its own.
func connectLoopback(_ socket: Int32, port: Int) throws -> Int32 {
  try SocketAddress(ipAddress: "127.0.0.1", port: port).withSockAddr { address, size in
    connect(socket, address, socklen_t(size))
  }
}
