import Glibc
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import PhotoUploads

/// Rewrites the only response that HummingbirdCore creates itself, 400 to invalid HTTP, into the form of all other
/// responses. The status becomes 431 if the head is too large. The handler comes right after the HTTP codec.
final class ProtocolErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let security: SecurityHeaders
  private var isHeadTooLarge = false

  init(security: SecurityHeaders) { self.security = security }

  /// Adds `RequestLine` after the decoder.
  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    guard let decoder = pipeline.requestDecoder else { return }
    try? pipeline.addHandler(RequestLine(), position: .after(decoder))
  }

  /// Records whether a head is too large, and forwards the error.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error as? HTTPParserError == .headerOverflow { isHeadTooLarge = true }
    context.fireErrorCaught(error)
  }

  /// Forwards parts of responses. An error head without an ID gets one, together with the headers of all responses and
  /// a body.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(let head) = unwrapOutboundIn(data), head.status.kind == .clientError,
      !SecurityHeaders.areIn(head.headerFields)
    else { return context.write(data, promise: promise) }
    let id = RequestID.make()
    let answer =
      isHeadTooLarge
      ? ErrorResponse(
        .headTooLarge,
        "The header is too large: a field may have 16 KB, all together 32 KB and 100 fields.")
      : ErrorResponse(.badRequest, "This isn't a valid HTTP/1.1 request.")
    let body = HTTPFailure(answer).body(requestID: id)
    var response = Response(status: answer.status, headers: head.headerFields)
    response.headers[.contentType] = "application/json; charset=utf-8"
    response.headers[.contentLength] = String(body.count)
    response.headers[.date] = HTTPDate.text(of: time(nil))
    security.apply(to: &response, id: id)
    context.write(wrapOutboundOut(.head(response.head)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: promise)
  }
}

extension ChannelPipeline.SynchronousOperations {
  /// The HTTP parser. `nil` if the pipeline has none.
  var requestDecoder: ByteToMessageHandler<HTTPRequestDecoder>? {
    try? handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
  }
}
