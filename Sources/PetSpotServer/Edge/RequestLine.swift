import NIOCore
import NIOHTTP1

/// Puts what only a request's first line says where the rest of the server sees it: the types behind
/// it carry neither the version nor the host of an absolute address.
///
/// It has to stand right behind the HTTP decoder.
final class RequestLine: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// Passes parts of requests on, heads as they are meant.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    // That host counts, not the field (RFC 9112, 3.2.2). Two unequal ones are refused as two fields.
    if let host = Self.host(of: head.uri), head.headers["Host"] != [host] {
      head.headers.add(name: "Host", value: host)
    }
    // Clients of HTTP/1.0 wait for the end of the connection (RFC 9112, 9.3).
    if head.version != .http1_1 { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// The host of an absolute address, with its port; nil for a path.
  static func host(of uri: String) -> String? {
    guard !uri.hasPrefix("/"), let mark = uri.firstRange(of: "://") else { return nil }
    return String(uri[mark.upperBound...].prefix { !"/?#".contains($0) })
  }
}
