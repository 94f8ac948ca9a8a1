import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Passes the requests of a connection on one at a time. A client may send more without waiting for responses (RFC 9112,
/// 9.3.2). Their bytes wait here and are dropped if the client leaves, so a burst of them doesn't keep the server busy.
///
/// Nothing more is read from the connection as long as bytes wait. Each request that waited takes a turn until its response
/// has ended: NIO's event loops look for new connections and bytes only when they have no other work, and would have such
/// work all the time.
final class PipelinedRequests: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The parts of waiting requests, of which the first `passed` were passed on. They came in one piece with the end of a
  /// request.
  private var waiting: [HTTPRequestPart] = []
  private var passed = 0
  private let bytes = WaitingBytes()
  /// The event or error that came after them.
  private var end: (any Sendable)?
  /// Whether a request was passed on whose response hasn't ended.
  private var isAnswering = false
  /// Whether the end of the last request is still to come.
  fileprivate var isReceiving = false
  private var isReadAsked = false
  private let turns: FairQueue
  private var turn: FairQueue.Turn?
  /// Waits for a turn.
  private var asking: Task<Void, Never>?

  /// - Parameter turns: the turns of requests that waited, on all connections.
  init(turns: FairQueue) { self.turns = turns }

  /// Whether no further byte may be parsed now.
  fileprivate var isBusy: Bool { !waiting.isEmpty || isAnswering && !isReceiving }
  private var hasWaiting: Bool { !waiting.isEmpty || !bytes.isEmpty }

  /// Puts a handler before the parser that keeps bytes from it.
  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    guard let decoder = pipeline.requestDecoder else { return }
    bytes.requests = self
    try? pipeline.addHandler(bytes, position: .before(decoder))
  }

  /// Passes a part on, or lets it wait behind the response under way.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    switch part {
    case .head: isReceiving = true
    case .body: break
    case .end: isReceiving = false
    }
    if waiting.isEmpty, mayPass(part) { pass(part, context) } else { waiting.append(part) }
  }

  private func mayPass(_ part: HTTPRequestPart) -> Bool {
    if case .head = part { !isAnswering } else { true }
  }

  private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    if case .head = part { isAnswering = true }
    context.fireChannelRead(wrapInboundOut(part))
  }

  /// Passes the wish for bytes on unless some wait.
  func read(context: ChannelHandlerContext) {
    if hasWaiting { isReadAsked = true } else { context.read() }
  }

  /// Passes the next request on after the last part of a response.
  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    context.write(data, promise: promise)
    guard case .end = unwrapOutboundIn(data) else { return }
    isAnswering = false
    leaveTurn()
    if hasWaiting { askTurn(context) }
  }

  private func leaveTurn() {
    if let turn { turns.leave(turn) }
    turn = nil
  }

  private func askTurn(_ context: ChannelHandlerContext) {
    guard asking == nil else { return }
    let (turns, loop) = (turns, context.eventLoop)
    let client = ClientNetwork(context.remoteAddress)
    let handler = NIOLoopBound((self, context), eventLoop: loop)
    asking = Task {
      guard let turn = try? await turns.enter(client, isRefusable: false) else { return }
      loop.execute { handler.value.0.begin(turn, handler.value.1) }
    }
  }

  private func begin(_ turn: FairQueue.Turn, _ context: ChannelHandlerContext) {
    asking = nil
    guard hasWaiting, !isAnswering else { return turns.leave(turn) }
    self.turn = turn
    passNext(context)
    if !isAnswering { leaveTurn() }
  }

  private func passNext(_ context: ChannelHandlerContext) {
    while passed < waiting.count, mayPass(waiting[passed]) {
      passed += 1
      pass(waiting[passed - 1], context)
    }
    if passed == waiting.count {
      drop()
      bytes.passOn()
    }
    context.fireChannelReadComplete()
    guard !hasWaiting else { return }
    switch end {
    case let event as ChannelEvent: context.fireUserInboundEventTriggered(event)
    case let error as any Error: context.fireErrorCaught(error)
    default: break
    }
    end = nil
    if isReadAsked { context.read() }
    isReadAsked = false
  }

  private func drop() {
    waiting = []
    passed = 0
  }

  /// Lets an error of the parser wait behind the requests before it.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if waiting.isEmpty { context.fireErrorCaught(error) } else { end = error }
  }

  /// Lets the end of the client's bytes wait behind its requests.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed, !waiting.isEmpty {
      end = ChannelEvent.inputClosed
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// Drops the requests of a client that has left.
  func channelInactive(context: ChannelHandlerContext) {
    drop()
    asking?.cancel()
    leaveTurn()
    context.fireChannelInactive()
  }
}

/// Keeps bytes from the HTTP parser while the request before them is answered.
private final class WaitingBytes: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// Bytes that are parsed at a time when a request begins: they may hold the beginnings of others.
  private static let headBytes = 1024

  weak var requests: PipelinedRequests?
  private var context: ChannelHandlerContext?
  private var waiting: ByteBuffer?
  private var isInputClosed = false

  var isEmpty: Bool { waiting == nil }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    waiting = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    guard waiting == nil else {
      waiting?.writeBuffer(&bytes)
      return
    }
    waiting = bytes
    passOn()
  }

  /// Passes bytes on until a request is whole.
  func passOn() {
    guard let context else { return }
    while var bytes = waiting, requests?.isBusy != true {
      let count = bytes.readableBytes
      let isBody = requests?.isReceiving == true
      guard let piece = bytes.readSlice(length: isBody ? count : min(count, Self.headBytes)) else {
        break
      }
      waiting = bytes.readableBytes == 0 ? nil : bytes
      context.fireChannelRead(wrapInboundOut(piece))
    }
    guard waiting == nil, isInputClosed else { return }
    isInputClosed = false
    context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
  }

  /// Lets the end of the client's bytes wait behind them.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed, waiting != nil {
      isInputClosed = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    waiting = nil
    context.fireChannelInactive()
  }
}
