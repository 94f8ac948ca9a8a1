import Glibc
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL
import NIOTLS

/// Keeps one HTTP/1 connection within its limits: idle ones, slow bodies, slow readers, endless bodies
/// after an early answer, and everything that may follow the last request.
///
/// It stands behind the HTTP codec and before Hummingbird's handlers, where it sees parts, not bytes:
/// a head that drips in resets nothing. `ConnectionState` decides; this class only carries out.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: GuardLimits
  private let clients: ClientConnections?
  private let isTLS: Bool
  private let onSlowBody: @Sendable (any Channel) -> Bool
  private let onClose: @Sendable (CloseReason) -> Void
  private var state: ConnectionState
  private var hasPlace = false
  private var wasIdle = true
  private var answer: (log: AnswerLog, sent: Int)?
  /// Bytes that the socket had not taken when it was last looked at.
  private var unsent = 0
  private var handshake: Scheduled<Void>?
  private var quiesce: Scheduled<Void>?
  private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
  private var isOpened = false
  private var isParsing = true
  /// Whether the client has left, and who wants to know: the request under way.
  private var hasLeft = false
  private var watch: DepartureWatch?

  /// A guard of one connection.
  ///
  /// - Parameters:
  ///   - clients: where the connection takes its place; nil counts none.
  ///   - isTLS: whether a TLS handshake comes before all else.
  ///   - onSlowBody: called on the event loop with the connection whose body is too slow; returns whether
  ///     a handler will answer, once the body has ended for it. Else the guard closes.
  ///   - onClose: called with the reason, on the event loop, whenever the guard itself closes.
  init(
    limits: GuardLimits = GuardLimits(), clients: ClientConnections? = nil, isTLS: Bool = false,
    onSlowBody: @escaping @Sendable (any Channel) -> Bool = { _ in false },
    onClose: @escaping @Sendable (CloseReason) -> Void = { _ in }
  ) {
    self.limits = limits
    self.clients = clients
    self.isTLS = isTLS
    self.onSlowBody = onSlowBody
    self.onClose = onClose
    state = ConnectionState(limits: limits)
  }

  /// Sends 100 Continue when the client of the request under way waits for it; else does nothing. To
  /// be called right before the first read of a body: NIO reads ahead, so that a read of the channel
  /// does not tell that a route wants the body.
  ///
  /// - Parameter channel: the connection's; any thread may call.
  static func sendContinue(on channel: any Channel) {
    channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
  }

  /// Begins at once on a channel that is active already.
  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { open(context) }
  }

  /// Ends its timers.
  func handlerRemoved(context: ChannelHandlerContext) { end() }

  /// Begins to count time and takes the client's place.
  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    open(context)
  }

  /// Gives the client's place back.
  func channelInactive(context: ChannelHandlerContext) {
    end()
    if hasPlace { clients?.leave(ObjectIdentifier(context.channel)) }
    hasPlace = false
    leave()
    context.fireChannelInactive()
  }

  /// Passes parts of requests on, or drops them.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let event: ConnectionEvent =
      switch unwrapInboundIn(data) {
      case .head(let head):
        .requestHead(
          isLast: head.isLast, expectsContinue: head.expectsContinue,
          length: head.headerFields[.contentLength].flatMap { Int($0) } ?? 0)
      case .body(let bytes): .requestBody(bytes.readableBytes)
      case .end: .requestEnd
      }
    switch take(event, context) {
    case .forward: context.fireChannelRead(data)
    case .forwardLast:
      stopParsing(context)
      context.fireChannelRead(data)
    case .finish: finish(context)
    case .close(let reason): close(reason, context)
    default: break
    }
  }

  /// Asks for more where the guard itself reads in order to drop.
  func channelReadComplete(context: ChannelHandlerContext) {
    _ = take(.readDone, context)
    context.fireChannelReadComplete()
    if state.wantsRead { context.read() }
  }

  /// Passes the server's wish for bytes on, unless nothing may follow.
  func read(context: ChannelHandlerContext) {
    if take(.readAsked, context) == .forward { context.read() }
  }

  /// Passes parts of answers on, or drops what comes after the last.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part = unwrapOutboundIn(data)
    let promise = note(part, promise, context)
    let event: ConnectionEvent =
      switch part {
      case .head(let head) where head.status == .continue: .continueHead
      case .head(let head) where head.status.kind == .informational: .responseBody(0)
      case .head(let head): .responseHead(closes: head.headerFields.saysClose)
      case .body(let bytes): .responseBody(bytes.readableBytes)
      case .end: .responseEnd
      }
    switch (take(event, context), part) {
    case (.forward, _): context.write(data, promise: promise)
    case (.forwardClosing, .head(var head)):
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case (.forwardDraining, _):
      context.write(data, promise: promise)
      context.read()
    case (.finish, _):
      context.write(data, promise: promise)
      finish(context)
    default: promise?.fail(ChannelError.outputClosed)
    }
  }

  /// Looks how much the socket did not take.
  func flush(context: ChannelHandlerContext) {
    context.flush()
    measure(context)
  }

  /// Looks how much the socket did not take.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    measure(context)
    context.fireChannelWritabilityChanged()
  }

  /// Holds a close back until answers are sent. NIO itself would throw away what the socket has not
  /// taken yet, even for `.output` when the client has shut its own.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode != .input else { return context.close(mode: mode, promise: promise) }
    measure(context)
    let action = take(.closeAsked(outputOnly: mode == .output), context)
    if action == .forward { return context.close(mode: mode, promise: promise) }
    if action == .finish { finish(context) }
    context.channel.closeFuture.cascade(to: promise)
  }

  /// Ends a body that the server wants no more of, or notes who watches the client; every other event goes
  /// on.
  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    if let log = event as? AnswerLog {
      answer = (log, 0)
      promise?.succeed()
      return
    }
    if let watch = event as? DepartureWatch {
      self.watch = watch
      if hasLeft { watch.left() }
      promise?.succeed()
      return
    }
    if event is RoomRequest {
      close(.crowded, context)
      promise?.succeed()
      return
    }
    guard event is BodyAbort else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    if take(.bodyEndAsked, context) == .endBody { endBody(context) }
    promise?.succeed()
  }

  /// Notes when the output is shut, or the client has left; every event goes on, as a graceful shutdown
  /// comes this way.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .outputClosed {
      _ = take(.outputClosed, context)
      if state.wantsRead { context.read() }
    }
    if let event = event as? TLSUserEvent, case .handshakeCompleted = event { handshake?.cancel() }
    if event as? ChannelEvent == .inputClosed { leave() }
    if event is ChannelShouldQuiesceEvent, quiesce == nil {
      quiesce = context.eventLoop.assumeIsolated().scheduleTask(in: limits.quiesce) {
        self.close(.slowReader, context)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }
}

extension ConnectionGuard {
  private func leave() {
    hasLeft = true
    watch?.left()
    watch = nil
  }

  private func open(_ context: ChannelHandlerContext) {
    guard !isOpened else { return }
    isOpened = true
    let option = ChannelOptions.Types.SocketOption(
      level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT))
    // Refused by what is no TCP socket, which has no such buffer either.
    try? context.channel.syncOptions?.setOption(option, value: numericCast(limits.unsentBytes))
    // A connection keeps the buffer of its last read for as long as it is idle; NIO's begins with 2,048
    // bytes. It still grows with the first reads of a body, of which up to a dozen wait to be written.
    let reading = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 16 << 10)
    try? context.channel.syncOptions?.setOption(.recvAllocator, value: reading)
    if let clients {
      let channel = context.channel
      hasPlace = clients.take(ObjectIdentifier(channel), of: context.remoteAddress) {
        channel.triggerUserOutboundEvent(RoomRequest(), promise: nil)
      }
      guard hasPlace else { return close(.crowded, context) }
    }
    if isTLS {
      handshake = context.eventLoop.assumeIsolated().scheduleTask(in: limits.handshake) {
        self.close(.idle, context)
      }
    }
    _ = take(.opened, context)
  }

  /// Counts what is sent of an answer, and logs it once its last byte has left.
  private func note(
    _ part: HTTPResponsePart, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) -> EventLoopPromise<Void>? {
    switch part {
    case .body(let bytes): answer?.sent += bytes.readableBytes
    case .end:
      watch = nil
      guard let (log, sent) = answer else { break }
      answer = nil
      let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
      promise.futureResult.assumeIsolated().whenComplete { result in
        switch result {
        case .success: log.record(sent, true)
        case .failure: log.record(max(0, sent - self.unsent), false)
        }
      }
      return promise
    case .head: break
    }
    return promise
  }

  private func end() {
    timer?.task.cancel()
    timer = nil
    handshake?.cancel()
    quiesce?.cancel()
    if let (log, sent) = answer { log.record(max(0, sent - unsent), false) }
    answer = nil
  }

  private func take(
    _ event: ConnectionEvent, _ context: ChannelHandlerContext
  ) -> ConnectionAction {
    let now = context.eventLoop.now
    let action = state.handle(event, at: now)
    if hasPlace, state.isIdle != wasIdle {
      wasIdle = state.isIdle
      clients?.setIdle(wasIdle, ObjectIdentifier(context.channel), at: now)
    }
    schedule(context)
    return action
  }

  private func measure(_ context: ChannelHandlerContext) {
    guard let count = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes) else {
      return
    }
    unsent = count
    _ = take(.unsent(count), context)
  }

  /// Sends what is answered, then shuts the output. The empty part writes no byte: its promise shows
  /// that all bytes before it left.
  private func finish(_ context: ChannelHandlerContext) {
    stopParsing(context)
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenSuccess { context.close(mode: .output, promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.body(ByteBuffer())), promise: sent)
    measure(context)
    if state.wantsRead { context.read() }
  }

  /// Drops bytes before the HTTP decoder, which after `Upgrade`, `CONNECT` or a malformed head keeps
  /// them all, and would parse what gets no answer.
  private func stopParsing(_ context: ChannelHandlerContext) {
    guard isParsing else { return }
    isParsing = false
    let pipeline = context.pipeline.syncOperations
    guard let decoder = pipeline.requestDecoder else { return }
    let sink = ByteSink { [weak self] count in
      guard let self else { return }
      _ = self.take(.dropped(count), context)
    }
    try? pipeline.addHandler(sink, position: .before(decoder))
  }

  /// Lets the server see an end that the client hasn't sent.
  private func endBody(_ context: ChannelHandlerContext) {
    context.fireChannelRead(wrapInboundOut(.end(nil)))
    context.fireChannelReadComplete()
  }

  private func close(_ reason: CloseReason, _ context: ChannelHandlerContext) {
    onClose(reason)
    let handlers = context.pipeline.syncOperations
    if reason == .crowded, isTLS,
      let tls = try? handlers.context(handlerType: NIOSSLServerHandler.self)
    {
      // Behind TLS it would stay open until the client has answered.
      tls.close(promise: nil)
    } else {
      context.close(promise: nil)
    }
  }

  /// One timer, set anew only for an earlier deadline; one that comes too early sets the next.
  private func schedule(_ context: ChannelHandlerContext) {
    guard let deadline = state.nextDeadline, deadline < timer?.deadline ?? .distantFuture else {
      return
    }
    timer?.task.cancel()
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      self.timer = nil
      guard context.channel.isActive else { return }
      self.measure(context)
      switch self.take(.tick, context) {
      case .close(let reason): self.close(reason, context)
      case .finish: self.finish(context)
      case .endBody where self.onSlowBody(context.channel): self.endBody(context)
      case .endBody:
        _ = self.take(.bodyUnread, context)
        self.close(.slowBody, context)
      default: break
      }
    }
    timer = (deadline, task)
  }
}

extension HTTPRequest {
  /// Whether no other request may follow: NIO's parser stops behind `CONNECT` and `Upgrade`.
  fileprivate var isLast: Bool {
    method == .connect || headerFields[.upgrade] != nil || headerFields.saysClose
  }

  /// RFC 9110 10.1.1. The HTTP version is not known here; no HTTP/1.0 client asks this.
  fileprivate var expectsContinue: Bool {
    headerFields[.expect]?.lowercased() == "100-continue"
  }
}

extension HTTPFields {
  /// RFC 9112 9.6; `Connection` is a list without regard to case.
  fileprivate var saysClose: Bool {
    self[values: .connection].contains { value in
      value.split(separator: ",").contains { $0.lowercased().filter { $0 != " " } == "close" }
    }
  }
}
