import NIOCore
import NIOHTTP1

/// Handles the parts of a request's first line that later types don't carry: the version, and the host of an absolute
/// address.
///
/// The handler has to come right after the HTTP decoder.
final class RequestLine: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// `true` if the last request was older than HTTP/1.1.
  private var isOld = false

  /// Forwards parts of requests, with heads corrected.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    // The host of the address counts, not the field (RFC 9112, 3.2.2). If they differ, the request now has two fields
    // and is refused.
    if let host = Self.host(of: head.uri), head.headers["Host"] != [host] {
      head.headers.add(name: "Host", value: host)
    }
    isOld = head.version != .http1_1
    if isOld {
      // Clients of HTTP/1.0 wait for the end of the connection (RFC 9112, 9.3), not for 100 (RFC 9110, 10.1.1).
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      head.headers.remove(name: "Expect")
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Forwards responses, except interim ones to clients older than HTTP/1.1 (RFC 9110, 15.2).
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isOld, case .head(let head) = unwrapOutboundIn(data), head.status.code < 200 else {
      return context.write(data, promise: promise)
    }
    promise?.succeed()
  }

  /// Returns the host of an absolute address, with its port. `nil` for a path.
  static func host(of uri: String) -> String? {
    guard !uri.hasPrefix("/"), let mark = uri.firstRange(of: "://") else { return nil }
    return String(uri[mark.upperBound...].prefix { !"/?#".contains($0) })
  }
}
