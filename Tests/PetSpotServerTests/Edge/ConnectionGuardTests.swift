import Foundation
import Glibc
import NIOCore
import Testing

@testable import PetSpotServer

@Suite("A guarded server", .serialized, .timeLimit(.minutes(30)))
struct ConnectionGuardTests {
  private let headers = "Host: x\r\n"

  @Test("A head that arrives too slowly ends the connection")
  func drippedHead() async throws {
    try await GuardedServer.run(limits: limits { $0.idle = .milliseconds(300) }) { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        #expect(drip("GET /hello HTTP/1.1\r\nX: " + Self.long, to: client) == nil)
      }
      #expect(server.closed.reasons == [.idle])
    }
  }

  @Test("A body that arrives too slowly ends the connection")
  func drippedBody() async throws {
    let limits = limits { $0.bodyWindow = .milliseconds(300) }
    try await GuardedServer.run(limits: limits) { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send("POST /count HTTP/1.1\r\n\(headers)Content-Length: 100000\r\n\r\n")
        #expect(drip(Self.long, to: client) == nil)
      }
      #expect(server.closed.reasons == [.slowBody])
    }
  }

  @Test("A slow body gets a response if a handler reads it")
  func answeredBody() async throws {
    let limits = limits { $0.bodyWindow = .milliseconds(300) }
    try await GuardedServer.run(limits: limits, onSlowBody: { _ in true }) { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send("POST /count HTTP/1.1\r\n\(headers)Content-Length: 100000\r\n\r\nabc")
        let answer = try client.receive(until: "3 bytes")
        #expect(answer.contains("200 OK") && answer.lowercased().contains("connection: close"))
      }
      #expect(!server.closed.reasons.contains(.slowBody))
    }
  }

  @Test("A body of sufficient speed is accepted")
  func fairBody() async throws {
    let limits = limits { ($0.bodyWindow, $0.bodyBytesPerSecond) = (.milliseconds(300), 1024) }
    try await GuardedServer.run(limits: limits) { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send("POST /count HTTP/1.1\r\n\(headers)Content-Length: 4000\r\n\r\n")
        for _ in 0..<20 {
          try client.send([UInt8](repeating: 1, count: 200))
          usleep(50_000)
        }
        #expect(try client.receive(until: "4000 bytes").contains("200 OK"))
      }
    }
  }

  @Test("A client doesn't count as slow while the server isn't reading")
  func backPressure() async throws {
    let limits = limits { $0.bodyWindow = .milliseconds(300) }
    try await GuardedServer.run(limits: limits) { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send("POST /later HTTP/1.1\r\n\(headers)Content-Length: 20971520\r\n\r\n")
        try client.send([UInt8](repeating: 1, count: 20_971_520))
        #expect(try client.receive(until: "bytes").contains("20971520 bytes"))
      }
    }
  }

  @Test("A client that doesn't read a response is disconnected")
  func slowReader() async throws {
    let limits = limits { $0.writeStall = .milliseconds(400) }
    try await GuardedServer.run(limits: limits) { server in
      try await blocking {
        let client = try RawClient(port: server.port, receiveBytes: 32768)
        try client.send("GET /big HTTP/1.1\r\n\(headers)\r\n")
        let until = ContinuousClock.now + .seconds(15)
        while server.closed.reasons.isEmpty, .now < until { usleep(20_000) }
        #expect(client.receiveAll().bytes.count < 8 << 20)
      }
      #expect(server.closed.reasons == [.slowReader])
    }
  }

  @Test("A client that reads a response slowly but steadily stays connected")
  func steadyReader() async throws {
    let limits = limits { $0.writeStall = .milliseconds(1500) }
    try await GuardedServer.run(limits: limits) { server in
      try await blocking {
        let client = try RawClient(port: server.port, receiveBytes: 32768)
        try client.send("GET /big HTTP/1.1\r\n\(headers)\r\n")
        // 100 KiB/s: the kernel's buffers alone, at a few megabytes, would take longer than the limit to drain.
        for _ in 0..<40 {
          #expect(try !client.receive(8192).isEmpty)
          usleep(80_000)
        }
      }
      #expect(server.closed.reasons == [])
    }
  }

  @Test("A client that reads only after sending 2 MB of an endless body receives an early 413")
  func earlyAnswer() async throws {
    let limits = limits { $0.dropTime = .milliseconds(500) }
    try await GuardedServer.run(limits: limits) { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send("POST /refuse HTTP/1.1\r\n\(headers)Transfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 1, count: 65536) + [13, 10]
        for _ in 0..<32 {
          do { try client.send(chunk) } catch { break }
        }
        let answer = String(decoding: client.receiveAll().bytes, as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.components(separatedBy: "HTTP/1.1").count == 2)
      }
    }
  }

  @Test(
    "After an early response, a short rest of the body is dropped and the connection stays open")
  func earlyAnswerGoesOn() async throws {
    try await GuardedServer.run { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send("POST /refuse HTTP/1.1\r\n\(headers)Content-Length: 20000\r\n\r\n")
        #expect(try client.receive(until: "\r\n\r\n").contains("413"))
        try client.send([UInt8](repeating: 1, count: 20_000))
        try client.send("GET /hello HTTP/1.1\r\n\(headers)\r\n")
        #expect(try client.receive(until: "\r\n\r\nhello").contains("200 OK"))
      }
    }
  }

  @Test("Connection: close in a response closes the connection only after all of a large response")
  func closingAnswer() async throws {
    try await GuardedServer.run { server in
      try await blocking {
        let client = try RawClient(port: server.port, receiveBytes: 32768)
        try client.send("GET /closing HTTP/1.1\r\n\(headers)\r\nGET /hello HTTP/1.1\r\n\r\n")
        usleep(300_000)
        let (bytes, isReset) = client.receiveAll()
        #expect(bytes.count > 4 << 20)
        #expect(!String(decoding: bytes.suffix(200), as: UTF8.self).contains("hello"))
        #expect(!isReset)
      }
    }
  }

  @Test("A client that closes its output after the request gets a large response completely")
  func halfClosed() async throws {
    try await GuardedServer.run { server in
      try await blocking {
        let client = try RawClient(port: server.port, receiveBytes: 32768)
        try client.send("GET /big HTTP/1.1\r\n\(headers)\r\n")
        client.shutOutput()
        usleep(300_000)
        #expect(client.receiveAll().bytes.count > 8 << 20)
      }
    }
  }

  @Test("A graceful shutdown lets a large response finish")
  func gracefulShutdown() async throws {
    try await GuardedServer.run { server in
      let client = try RawClient(port: server.port, receiveBytes: 32768)
      try await blocking {
        try client.send("GET /big HTTP/1.1\r\n\(headers)\r\n")
        _ = try client.receive()
      }
      await server.shutDown()
      try await blocking {
        usleep(300_000)
        #expect(client.receiveAll().bytes.count > 8 << 20 - 1 << 16)
      }
    }
  }

  @Test(
    "Upgrade and CONNECT get a response and a close, and a flood after them isn't read",
    arguments: [
      "GET /wait HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
      "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
  func upgrade(request: String) async throws {
    let limits = limits { $0.dropTime = .milliseconds(500) }
    try await GuardedServer.run(limits: limits) { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send(request)
        let flooded = client.flood([UInt8](repeating: 65, count: 65536), upTo: 256 << 20)
        // The capacity of two kernel buffers, and a little more.
        #expect(flooded < 32 << 20)
        let answer = String(decoding: client.receiveAll().bytes, as: UTF8.self)
        #expect(answer.lowercased().contains("connection: close"))
        #expect(answer.components(separatedBy: "HTTP/1.1").count == 2)
      }
    }
  }

  @Test("100 Continue is sent only when a route begins to read")
  func continues() async throws {
    try await GuardedServer.run { server in
      try await blocking {
        let expecting = "\(headers)Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        let client = try RawClient(port: server.port)
        for _ in 0..<2 {
          try client.send("POST /count HTTP/1.1\r\n\(expecting)")
          #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
          try client.send("12345")
          #expect(try client.receive(until: "5 bytes").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        try client.send("POST /count HTTP/1.1\r\n\(headers)Content-Length: 1\r\n\r\n1")
        #expect(try client.receive(until: "1 bytes").hasPrefix("HTTP/1.1 200 OK\r\n"))
        try client.send("POST /refuse HTTP/1.1\r\n\(expecting)")
        let answer = try client.receive(until: "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.lowercased().contains("connection: close"))
        #expect(try client.receive().isEmpty)
      }
    }
  }

  @Test(
    "200 pipelined requests get responses in order; a malformed one gets a response and a close")
  func pipelined() async throws {
    try await GuardedServer.run { server in
      try await blocking {
        let client = try RawClient(port: server.port)
        try client.send(String(repeating: "GET /hello HTTP/1.1\r\n\(headers)\r\n", count: 200))
        try client.send("nonsense\r\n\r\n")
        client.shutOutput()
        let answer = String(decoding: client.receiveAll().bytes, as: UTF8.self)
        #expect(answer.components(separatedBy: "hello").count == 201)
        #expect(answer.contains("400 Bad Request"))
      }
    }
  }

  @Test(
    "A client above its limit of connections is disconnected at once, and may connect again later")
  func crowded() async throws {
    let clients = ClientConnections(perClient: 2)
    try await GuardedServer.run(clients: clients) { server in
      try await blocking {
        var open = try (0..<2).map { _ in try RawClient(port: server.port) }
        for client in open {
          try client.send("GET /hello HTTP/1.1\r\n\(headers)\r\n")
          _ = try client.receive(until: "hello")
        }
        let third = try RawClient(port: server.port)
        #expect(third.receiveAll().bytes.isEmpty)
        open.removeAll()
        let until = ContinuousClock.now + .seconds(10)
        while clients.count > 0, .now < until { usleep(10_000) }
        let fourth = try RawClient(port: server.port)
        try fourth.send("GET /hello HTTP/1.1\r\n\(headers)\r\n")
        #expect(try fourth.receive(until: "hello").contains("200 OK"))
      }
      #expect(server.closed.reasons == [.crowded])
    }
    #expect(clients.count == 0)
  }

  @Test(
    "When all places are taken, a newcomer displaces an idle connection at once, but not a busy one"
  )
  func makesRoom() async throws {
    let clients = ClientConnections(perClient: nil, total: 2)
    try await GuardedServer.run(clients: clients) { server in
      try await blocking {
        let busy = try RawClient(port: server.port)
        try busy.send("GET /wait HTTP/1.1\r\n\(headers)\r\n")
        let idle = try RawClient(port: server.port)
        try idle.send("GET /hello HTTP/1.1\r\n\(headers)\r\n")
        _ = try idle.receive(until: "hello")
        let third = try RawClient(port: server.port)
        #expect(idle.receiveAll().bytes.isEmpty)
        #expect(try busy.receive(until: "waited").contains("200 OK"))
        try third.send("GET /hello HTTP/1.1\r\n\(headers)\r\n")
        #expect(try third.receive(until: "hello").contains("200 OK"))
      }
      #expect(server.closed.reasons == [.crowded])
    }
    #expect(clients.count == 0)
  }

  private static let long = String(repeating: "a", count: 400)

  private func limits(_ change: (inout GuardLimits) -> Void) -> GuardLimits {
    var limits = GuardLimits()
    change(&limits)
    return limits
  }
}

/// Sends one byte every 50 ms.
///
/// - Returns: the response, or `nil` if the server closed without one.
private func drip(_ text: String, to client: RawClient) -> String? {
  for byte in Array(text.utf8) {
    do { try client.send([byte]) } catch { break }
    usleep(50_000)
  }
  let bytes = client.receiveAll().bytes
  return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
}
