import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import PetSpotServer

/// Hummingbird with the guard on a port of its own, and a few routes that behave well or badly.
struct GuardedServer: Sendable {
  /// Where it listens, on 127.0.0.1.
  let port: Int
  /// What its guards closed.
  let closed: Closed
  private let group: ServiceGroup

  /// Why connections were closed by the guard.
  final class Closed: Sendable {
    private let all = Mutex<[CloseReason]>([])
    /// All of them, in order.
    var reasons: [CloseReason] { all.withLock { $0 } }
    /// Notes one more.
    func add(_ reason: CloseReason) { all.withLock { $0.append(reason) } }
  }

  /// Starts to shut down as SIGTERM does.
  func shutDown() async { await group.triggerGracefulShutdown() }

  /// Runs a server while `body` runs.
  static func run(
    limits: GuardLimits = GuardLimits(), clients: ClientConnections? = nil,
    onSlowBody: @escaping @Sendable (any Channel) -> Bool = { _ in false },
    _ body: @escaping @Sendable (GuardedServer) async throws -> Void
  ) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let closed = Closed()
    let app = Application(
      router: routes(),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            ConnectionGuard(limits: limits, clients: clients, onSlowBody: onSlowBody) {
              closed.add($0)
            }
          ])),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let group = ServiceGroup(configuration: .init(services: [app], logger: app.logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      var iterator = ports.makeAsyncIterator()
      let number = await iterator.next() ?? 0
      try await body(GuardedServer(port: number, closed: closed, group: group))
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  private static func routes() -> Router<SourceContext> {
    let router = Router(context: SourceContext.self)
    router.get("hello") { _, _ in "hello" }
    router.get("closing") { _, _ in
      Response(
        status: .ok, headers: [.connection: "close"],
        body: .init(byteBuffer: ByteBuffer(repeating: 120, count: 4 << 20)))
    }
    router.get("big") { _, _ in
      Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 120, count: 8 << 20)))
    }
    router.get("wait") { _, _ in
      try await Task.sleep(for: .milliseconds(700))
      return "waited"
    }
    router.post("refuse") { _, _ in Response(status: .contentTooLarge) }
    router.post("count") { request, context in
      ConnectionGuard.sendContinue(on: context.channel)
      var count = 0
      for try await piece in request.body { count += piece.readableBytes }
      return "\(count) bytes"
    }
    router.post("later") { request, _ in
      try await Task.sleep(for: .milliseconds(1500))
      var count = 0
      for try await piece in request.body { count += piece.readableBytes }
      return "\(count) bytes"
    }
    return router
  }
}

/// A context that knows the channel, which `sendContinue` needs.
struct SourceContext: Hummingbird.RequestContext {
  /// What Hummingbird keeps.
  var coreContext: CoreRequestContextStorage
  /// The connection's.
  let channel: any Channel

  /// The context of one request.
  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
