import Glibc
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

extension HTTPServerBuilder {
  /// Returns a service that handles each request in its own task. A task keeps its peak memory until it ends, so the
  /// connection's task would hold that memory while the connection is idle. Event streams stay open, so a second task
  /// writes them.
  ///
  /// - Parameters:
  ///   - clients: the counter in which the connections take their places.
  ///   - respond: throws only `HTTPParserError`, for which the server responds with 400.
  func service(
    host: String, port: Int, clients: ClientConnections? = nil, logger: Logger,
    listening: @escaping @Sendable (any Channel) async -> Void = { _ in },
    respond: @escaping @Sendable (Request, any Channel) async throws -> Response
  ) throws -> any Service {
    let date = DateHeader()
    return try buildServer(
      configuration: .init(address: .hostname(host, port: port), backlog: 1024),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        // Only the task that writes uses it.
        nonisolated(unsafe) var writer: ResponseWriter? = consume writer
        clients?.beginRequest(ObjectIdentifier(channel))
        defer { clients?.endRequest(ObjectIdentifier(channel)) }
        let makeResponse = { @Sendable () async throws -> Response in
          var response = try await respond(request, channel)
          response.headers[.date] = date.text
          return response
        }
        let isStream = request.head.headerFields[.accept]?.contains("text/event-stream") == true
        let streamed = isStream ? try await inOwnTask(makeResponse) : nil
        try await inOwnTask {
          let response = if let streamed { streamed } else { try await makeResponse() }
          try await writer.take()!.write(response: response.head, body: response.body)
        }
      },
      onServerRunning: { channel in
        try? await channel.eventLoop.submit {
          try channel.pipeline.syncOperations.addHandler(ConnectionRefusal(), position: .first)
        }.get()
        await listening(channel)
      })
  }
}
