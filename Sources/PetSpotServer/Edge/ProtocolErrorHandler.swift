import Glibc
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Gives the one answer that HummingbirdCore makes by itself, 400 to what is no HTTP, the form of all
/// others; for a head above the limits it becomes 431. It stands right behind the HTTP codec.
final class ProtocolErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let security: SecurityHeaders
  private var isHeadTooLarge = false

  init(security: SecurityHeaders) { self.security = security }

  /// Puts `RequestLine` before the codec.
  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    guard let decoder = pipeline.requestDecoder else { return }
    try? pipeline.addHandler(RequestLine(), position: .after(decoder))
  }

  /// Notes what is wrong with a head, and passes it on.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error as? HTTPParserError == .headerOverflow { isHeadTooLarge = true }
    context.fireErrorCaught(error)
  }

  /// Passes parts of answers on; a head without an id gets one, the headers of all and a body.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(let head) = unwrapOutboundIn(data), head.status.kind == .clientError,
      !SecurityHeaders.areIn(head.headerFields)
    else { return context.write(data, promise: promise) }
    let id = RequestID.make()
    let answer =
      isHeadTooLarge
      ? ErrorResponse(
        .requestHeaderFieldsTooLarge, "BAD_REQUEST",
        "The header is too large: a field may have 16 KB, all together 32 KB and 100 fields.")
      : ErrorResponse(head.status, "BAD_REQUEST", "This isn't a valid HTTP/1.1 request.")
    let body = (try? answer.body(requestID: id)) ?? []
    var response = Response(status: answer.status, headers: head.headerFields)
    response.headers[.contentType] = "application/json; charset=utf-8"
    response.headers[.contentLength] = String(body.count)
    response.headers[.date] = DateHeader.text(of: time(nil))
    security.apply(to: &response, id: id, isHead: false)
    context.write(wrapOutboundOut(.head(response.head)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: promise)
  }
}

extension ChannelPipeline.SynchronousOperations {
  /// The HTTP parser; `nil` in a pipeline without one.
  var requestDecoder: ByteToMessageHandler<HTTPRequestDecoder>? {
    try? handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
  }
}
