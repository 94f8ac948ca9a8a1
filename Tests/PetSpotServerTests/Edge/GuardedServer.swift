import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import PetSpotServer

/// A server with the guard on a port of its own, and with some well-behaved and some misbehaving routes.
struct GuardedServer: Sendable {
  /// The port on 127.0.0.1 that it listens on.
  let port: Int
  /// The connections that its guards closed.
  let closed: Closed
  private let group: ServiceGroup

  /// The reasons for which the guard closed connections.
  final class Closed: Sendable {
    private let all = Mutex<[CloseReason]>([])
    /// All reasons, in order.
    var reasons: [CloseReason] { all.withLock { $0 } }
    func add(_ reason: CloseReason) { all.withLock { $0.append(reason) } }
  }

  /// Starts a shutdown, as SIGTERM does.
  func shutDown() async { await group.triggerGracefulShutdown() }

  /// Runs a server while `body` runs.
  static func run(
    limits: GuardLimits = GuardLimits(), clients: ClientConnections? = nil,
    onSlowBody: @escaping @Sendable (any Channel) -> Bool = { _ in false },
    _ body: @escaping @Sendable (GuardedServer) async throws -> Void
  ) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let closed = Closed()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = HTTPServerBuilder.http1(
      configuration: .init(
        additionalChannelHandlers: [
          ConnectionGuard(limits: limits, clients: clients, onSlowBody: onSlowBody) {
            closed.add($0)
          }
        ]))
    let service = try server.service(
      host: "127.0.0.1", port: 0, clients: clients, logger: logger,
      listening: { port.yield($0.localAddress?.port ?? 0) }, respond: respond)
    let group = ServiceGroup(configuration: .init(services: [service], logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      var iterator = ports.makeAsyncIterator()
      let number = await iterator.next() ?? 0
      try await body(GuardedServer(port: number, closed: closed, group: group))
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  @Sendable private static func respond(
    to request: Request, on channel: any Channel
  ) async throws -> Response {
    switch "\(request.method) \(request.uri.path)" {
    case "GET /hello": return text("hello")
    case "GET /closing":
      return Response(
        status: .ok, headers: [.connection: "close"],
        body: .init(byteBuffer: ByteBuffer(repeating: 120, count: 4 << 20)))
    case "GET /big":
      return Response(
        status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 120, count: 8 << 20)))
    case "GET /wait":
      try await Task.sleep(for: .milliseconds(700))
      return text("waited")
    case "POST /refuse": return Response(status: .contentTooLarge)
    case "POST /count":
      ConnectionGuard.sendContinue(on: channel)
      return try await counted(request)
    case "POST /later":
      try await Task.sleep(for: .milliseconds(1500))
      return try await counted(request)
    default: return Response(status: .notFound)
    }
  }

  private static func counted(_ request: Request) async throws -> Response {
    var count = 0
    for try await piece in request.body { count += piece.readableBytes }
    return text("\(count) bytes")
  }

  private static func text(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
