import Foundation
import Synchronization
import Testing

/// A network between client and server that forwards bytes, cuts connections, or behaves like a foreign server.
final class CuttingProxy: Sendable {
  /// The port that clients connect to.
  let port: UInt16
  private let socket: Int32
  private let target: UInt16
  private let replacing: (text: String, by: String)?
  private struct State {
    var cuts: [Int]
    var connections = 0
    var bytes = 0
    var isOver = false
    var onBytes: (count: Int, act: @Sendable () -> Void)?
  }
  private let state: Mutex<State>

  /// Listens in front of the server at `target`.
  ///
  /// - Parameters:
  ///   - cuts: the numbers of client bytes after which connections are cut, in turn. A cut applies only to a connection
  ///     that sends that many.
  ///   - replacing: a text in requests and its replacement of the same length, to request something that the server
  ///     doesn't have.
  init(
    to target: UInt16, cuts: [Int] = [], replacing: (text: String, by: String)? = nil
  ) throws {
    (self.target, self.replacing) = (target, replacing)
    state = Mutex(State(cuts: cuts))
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    try #require(bound && listen(socket, 16) == 0)
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in accept() }
  }

  /// The number of connections so far, and of the bytes that clients sent.
  var counts: (connections: Int, bytes: Int) { state.withLock { ($0.connections, $0.bytes) } }
  /// The number of cuts that haven't happened yet.
  var cutsLeft: Int { state.withLock { $0.cuts.count } }

  /// Calls `act` once, as soon as clients have sent this many bytes in all.
  func after(_ bytes: Int, _ act: @escaping @Sendable () -> Void) {
    state.withLock { $0.onBytes = (bytes, act) }
  }

  /// Stops accepting connections.
  func end() {
    state.withLock { $0.isOver = true }
    shutdown(socket, Int32(SHUT_RDWR))
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private func accept() {
    while true {
      let client = Glibc.accept(socket, nil, nil)
      if client < 0 { break }
      state.withLock { $0.connections += 1 }
      let server = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.address(target)
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard connected else {
        close(client)
        close(server)
        continue
      }
      let ends = Mutex(2)
      let finish: @Sendable () -> Void = {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        let isLast = ends.withLock { ends in
          ends -= 1
          return ends == 0
        }
        if isLast {
          close(client)
          close(server)
        }
      }
      Thread.detachNewThread { [self] in
        pass(client, server)
        finish()
      }
      Thread.detachNewThread {
        Self.copy(server, client)
        finish()
      }
    }
    close(socket)
  }

  /// Forwards what the client sends until the next cut.
  private func pass(_ client: Int32, _ server: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    var sent = 0
    while true {
      var count = read(client, &buffer, buffer.count)
      if count <= 0 { return }
      let (isCut, act) = state.withLock { state in
        var isCut = false
        if let cut = state.cuts.first, sent + count >= cut {
          count = cut - sent
          isCut = true
          state.cuts.removeFirst()
        }
        state.bytes += count
        var act: (@Sendable () -> Void)?
        if let reached = state.onBytes, state.bytes >= reached.count {
          act = reached.act
          state.onBytes = nil
        }
        return (isCut, act)
      }
      act?()
      if let replacing, let range = Data(buffer[..<count]).range(of: Data(replacing.text.utf8)) {
        buffer.replaceSubrange(range, with: replacing.by.utf8)
      }
      guard Self.writeAll(server, buffer[..<count]) else { return }
      sent += count
      if isCut {
        // Lets the forwarded bytes arrive before the connection ends.
        usleep(50_000)
        return
      }
    }
  }

  private static func copy(_ from: Int32, _ to: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(from, &buffer, buffer.count)
      guard count > 0, writeAll(to, buffer[..<count]) else { return }
    }
  }

  private static func writeAll(_ file: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
