import Glibc
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL
import NIOTLS

/// Keeps an HTTP/1 connection within its limits. Ends idle connections, slow bodies, slow readers, endless bodies after
/// an early response, and everything that follows the last request.
///
/// It comes after the HTTP codec and before Hummingbird's handlers, so it sees parts, not bytes. Single bytes of a head
/// therefore don't restart the idle time. `ConnectionState` makes the decisions and this class carries them out.
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
  private var isAdmitted = false
  private var wasIdle = true
  private var answer: (log: AnswerLog, sent: Int)?
  /// Bytes that the socket had not taken when it was last measured.
  private var unsent = 0
  private var handshake: Scheduled<Void>?
  private var quiesce: Scheduled<Void>?
  private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
  private var isOpened = false
  private var isParsing = true
  /// `true` if the client has closed the connection or its half of it. The guard then calls `watch`, if the request in
  /// progress has set it.
  private var hasLeft = false
  private var watch: DepartureWatch?

  /// Creates the guard of one connection.
  ///
  /// - Parameters:
  ///   - clients: the counter in which the connection takes its place. `nil` doesn't count it.
  ///   - isTLS: `true` if the connection begins with a TLS handshake.
  ///   - onSlowBody: a closure that the guard calls on the event loop if the body is too slow. Returns `true` if a
  ///     handler responds after the guard has ended the body. Otherwise the guard closes the connection.
  ///   - onClose: a closure that the guard calls on the event loop with the reason whenever it closes the connection
  ///     itself.
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

  /// Sends 100 Continue if the client of the request in progress waits for it. Otherwise does nothing. Call it right
  /// before the first read of a body. A read of the channel doesn't mean that a route needs the body, because NIO reads
  /// ahead.
  ///
  /// - Parameter channel: the connection's channel. Any thread may call.
  static func sendContinue(on channel: any Channel) {
    channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
  }

  /// Starts at once if the channel is already active.
  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { open(context) }
  }

  /// Cancels the timers.
  func handlerRemoved(context: ChannelHandlerContext) { end() }

  /// Starts the timers and takes a place for the client.
  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    open(context)
  }

  /// Gives back the client's place.
  func channelInactive(context: ChannelHandlerContext) {
    end()
    if isAdmitted { clients?.leave(ObjectIdentifier(context.channel)) }
    isAdmitted = false
    leave()
    context.fireChannelInactive()
  }

  /// Forwards or drops parts of requests.
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
    switch handle(event, context) {
    case .forward: context.fireChannelRead(data)
    case .forwardLast:
      stopParsing(context)
      context.fireChannelRead(data)
    case .finish: finish(context)
    case .close(let reason): close(reason, context)
    default: break
    }
  }

  /// Reads more if the guard itself has to drop bytes.
  func channelReadComplete(context: ChannelHandlerContext) {
    _ = handle(.readDone, context)
    context.fireChannelReadComplete()
    if state.wantsRead { context.read() }
  }

  /// Forwards the server's read unless no bytes may follow.
  func read(context: ChannelHandlerContext) {
    if handle(.readAsked, context) == .forward { context.read() }
  }

  /// Forwards parts of responses, and drops those after the last response.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part = unwrapOutboundIn(data)
    let promise = countResponse(part, promise, context)
    let event: ConnectionEvent =
      switch part {
      case .head(let head) where head.status == .continue: .continueHead
      case .head(let head) where head.status.kind == .informational: .responseBody(0)
      case .head(let head): .responseHead(closes: head.headerFields.saysClose)
      case .body(let bytes): .responseBody(bytes.readableBytes)
      case .end: .responseEnd
      }
    switch (handle(event, context), part) {
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

  /// Measures how many bytes the socket did not take.
  func flush(context: ChannelHandlerContext) {
    context.flush()
    measure(context)
  }

  /// Measures how many bytes the socket did not take.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    measure(context)
    context.fireChannelWritabilityChanged()
  }

  /// Delays a close until responses are sent. NIO itself would discard bytes that the socket has not taken, even for
  /// `.output` if the client has shut its own output.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode != .input else { return context.close(mode: mode, promise: promise) }
    measure(context)
    let action = handle(.closeAsked(outputOnly: mode == .output), context)
    if action == .forward { return context.close(mode: mode, promise: promise) }
    if action == .finish { finish(context) }
    context.channel.closeFuture.cascade(to: promise)
  }

  /// Handles the events of `GuardRequest.swift` and `BodyAbort`. Forwards every other event.
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
    if handle(.bodyEndAsked, context) == .endBody { endBody(context) }
    promise?.succeed()
  }

  /// Records that the output was shut or that the client has left. Forwards every event, because a graceful shutdown is
  /// such an event.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .outputClosed {
      _ = handle(.outputClosed, context)
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
    // Only TCP sockets have this buffer. Other channels refuse the option.
    try? context.channel.syncOptions?.setOption(option, value: numericCast(limits.unsentBytes))
    // An idle connection keeps the buffer of its last read, and NIO's begins with 2,048 bytes. The buffer still grows
    // with the first reads of a body. Up to a dozen such reads wait to be written to disk.
    let reading = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 16 << 10)
    try? context.channel.syncOptions?.setOption(.recvAllocator, value: reading)
    if let clients {
      let channel = context.channel
      isAdmitted = clients.admit(ObjectIdentifier(channel), of: context.remoteAddress) {
        channel.triggerUserOutboundEvent(RoomRequest(), promise: nil)
      }
      guard isAdmitted else { return close(.crowded, context) }
    }
    if isTLS {
      handshake = context.eventLoop.assumeIsolated().scheduleTask(in: limits.handshake) {
        self.close(.idle, context)
      }
    }
    _ = handle(.opened, context)
  }

  /// Counts the bytes of a response, and logs it once its last byte was sent.
  private func countResponse(
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

  private func handle(
    _ event: ConnectionEvent, _ context: ChannelHandlerContext
  ) -> ConnectionAction {
    let now = context.eventLoop.now
    let action = state.handle(event, at: now)
    if isAdmitted, state.isIdle != wasIdle {
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
    _ = handle(.unsent(count), context)
  }

  /// Sends the responses, then shuts the output. The empty part writes no byte. Its promise succeeds when all bytes
  /// before it were sent.
  private func finish(_ context: ChannelHandlerContext) {
    stopParsing(context)
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenSuccess { context.close(mode: .output, promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.body(ByteBuffer())), promise: sent)
    measure(context)
    if state.wantsRead { context.read() }
  }

  /// Drops bytes before they reach the HTTP decoder. After `Upgrade`, `CONNECT` or a malformed head it would keep them
  /// all, and otherwise it would parse requests that get no response.
  private func stopParsing(_ context: ChannelHandlerContext) {
    guard isParsing else { return }
    isParsing = false
    let pipeline = context.pipeline.syncOperations
    guard let decoder = pipeline.requestDecoder else { return }
    let sink = ByteSink { [weak self] count in
      guard let self else { return }
      _ = self.handle(.dropped(count), context)
    }
    try? pipeline.addHandler(sink, position: .before(decoder))
  }

  /// Passes the end of the body to the server, although the client hasn't sent it.
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
      // A TLS handler would stay open until the client has responded, so close below it.
      tls.close(promise: nil)
    } else {
      context.close(promise: nil)
    }
  }

  /// Sets the connection's timer if the next deadline is earlier than the timer's. A timer that fires before the
  /// current deadline sets the next one.
  private func schedule(_ context: ChannelHandlerContext) {
    guard let deadline = state.nextDeadline, deadline < timer?.deadline ?? .distantFuture else {
      return
    }
    timer?.task.cancel()
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      self.timer = nil
      guard context.channel.isActive else { return }
      self.measure(context)
      switch self.handle(.tick, context) {
      case .close(let reason): self.close(reason, context)
      case .finish: self.finish(context)
      case .endBody where self.onSlowBody(context.channel): self.endBody(context)
      case .endBody:
        _ = self.handle(.bodyUnread, context)
        self.close(.slowBody, context)
      default: break
      }
    }
    timer = (deadline, task)
  }
}

extension HTTPRequest {
  /// `true` if this is the last request of its connection. NIO's parser stops after `CONNECT` and `Upgrade`.
  fileprivate var isLast: Bool {
    method == .connect || headerFields[.upgrade] != nil || headerFields.saysClose
  }

  /// `true` if the client waits for 100 (RFC 9110 10.1.1). The HTTP version isn't available here, but HTTP/1.0 clients
  /// don't send this field.
  fileprivate var expectsContinue: Bool {
    headerFields[.expect]?.lowercased() == "100-continue"
  }
}

extension HTTPFields {
  /// `true` if `Connection`, a case-insensitive list, contains `close` (RFC 9112 9.6).
  fileprivate var saysClose: Bool {
    self[values: .connection].contains { value in
      value.split(separator: ",").contains { $0.lowercased().filter { $0 != " " } == "close" }
    }
  }
}
