import Glibc
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

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

/// The `Date` field of responses (RFC 9110, 6.6.1), formatted once a second.
final class DateHeader: Sendable {
  private let last = Mutex((second: time_t(-1), text: ""))

  var text: String {
    let now = time(nil)
    return last.withLock { last in
      if last.second != now { last = (now, Self.text(of: now)) }
      return last.text
    }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  static func text(of seconds: time_t) -> String {
    var (seconds, parts) = (seconds, tm())
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(time) GMT"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
