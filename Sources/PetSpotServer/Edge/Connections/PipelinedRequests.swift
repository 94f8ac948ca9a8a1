import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Forwards the requests of a connection one at a time. A client may send more without waiting for responses (RFC 9112,
/// 9.3.2). Their bytes wait here and are dropped if the client leaves, so a burst of requests doesn't keep the server
/// busy.
///
/// Nothing more is read from the connection while bytes wait. Each request that has waited takes a turn until its
/// response has ended. Without turns, NIO's event loops would always have such work, and they look for new connections
/// and bytes only when they are otherwise idle.
final class PipelinedRequests: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The parts of requests that wait for the response in progress, because they arrived in one piece with the end of an
  /// earlier request. The first `passed` parts were already forwarded.
  private var waiting: [HTTPRequestPart] = []
  private var passed = 0
  private let bytes = WaitingBytes()
  /// The event or error that came after the waiting parts.
  private var end: (any Sendable)?
  /// `true` if a request was forwarded whose response hasn't ended.
  private var isAnswering = false
  /// `true` from a request's head to its end.
  fileprivate var isReceiving = false
  private var isReadAsked = false
  private let turns: FairQueue
  private var turn: FairQueue.Turn?
  /// The task that waits for a turn.
  private var asking: Task<Void, Never>?

  /// - Parameter turns: the turns of requests that have waited, on all connections.
  init(turns: FairQueue) { self.turns = turns }

  /// `true` if no more bytes may be parsed now.
  fileprivate var isBusy: Bool { !waiting.isEmpty || isAnswering && !isReceiving }
  private var hasWaiting: Bool { !waiting.isEmpty || !bytes.isEmpty }

  /// Adds a handler before the parser that holds bytes back.
  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    guard let decoder = pipeline.requestDecoder else { return }
    bytes.requests = self
    try? pipeline.addHandler(bytes, position: .before(decoder))
  }

  /// Forwards a part, or keeps it until the response in progress has ended.
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

  /// Forwards a read unless parts or bytes wait.
  func read(context: ChannelHandlerContext) {
    if hasWaiting { isReadAsked = true } else { context.read() }
  }

  /// Forwards the next request after the last part of a response.
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
    let turns = turns
    let loop = context.eventLoop
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

  /// Keeps an error of the parser until the requests before it were forwarded.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if waiting.isEmpty { context.fireErrorCaught(error) } else { end = error }
  }

  /// Keeps the end of the client's bytes until the requests before it were forwarded.
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

/// Holds bytes back from the HTTP parser while the request before them is answered.
private final class WaitingBytes: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The number of bytes that are parsed at a time at the start of a request. They may contain parts of later requests.
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

  /// Forwards bytes until a request is complete.
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

  /// Keeps the end of the client's bytes until the bytes before it were forwarded.
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
