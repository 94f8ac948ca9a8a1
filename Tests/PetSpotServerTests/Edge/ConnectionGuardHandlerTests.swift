import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOTLS
import Synchronization
import Testing

@testable import PetSpotServer

/// Tests the handler with its default limits and a fake clock, between the codec and a server that only records
/// requests.
@Suite("The handler of the guard")
struct ConnectionGuardHandlerTests {
  private let channel = EmbeddedChannel()
  private let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .fireError))
  private let server = Recorder()

  init() throws {
    let handlers: [any ChannelHandler] = [
      HTTPResponseEncoder(), decoder, HTTP1ToHTTPServerCodec(secure: false), ConnectionGuard(),
      server,
    ]
    try channel.pipeline.syncOperations.addHandlers(handlers)
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
  }

  @Test("A head that takes more than 30 s ends the connection")
  func drippedHead() throws {
    try receive("GET / HTTP/1.1\r\nX: ")
    for _ in 0..<5 {
      advance(.seconds(5))
      try receive("a")
      #expect(channel.isActive)
    }
    advance(.seconds(5))
    #expect(!channel.isActive)
  }

  @Test("A response is logged when its last byte has left, or when its connection ends")
  func answerLog() throws {
    let logged = Mutex<[String]>([])
    let log = AnswerLog { sent, isWhole in
      logged.withLock { $0.append("\(sent ?? -1) \(isWhole)") }
    }
    for isCut in [false, true] {
      try receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      log.begin(on: channel)
      try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
      try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "12345")))
      #expect(logged.withLock { $0 } == (isCut ? ["5 true"] : []))
      if !isCut { try channel.writeOutbound(HTTPResponsePart.end(nil)) }
    }
    channel.pipeline.fireChannelInactive()
    #expect(logged.withLock { $0 } == ["5 true", "5 false"])
    let unguarded = EmbeddedChannel()
    try unguarded.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
    log.begin(on: unguarded)
    #expect(logged.withLock { $0 }.last == "-1 true")
  }

  @Test("A TLS handshake may take 10 s, and the first request has its own time")
  func handshake() throws {
    for isDone in [true, false] {
      let channel = EmbeddedChannel()
      let handlers: [any ChannelHandler] = [
        HTTPResponseEncoder(), HTTP1ToHTTPServerCodec(secure: true), ConnectionGuard(isTLS: true),
      ]
      try channel.pipeline.syncOperations.addHandlers(handlers)
      try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
      if isDone {
        channel.pipeline.fireUserInboundEventTriggered(
          TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
      }
      channel.embeddedEventLoop.advanceTime(by: .seconds(9))
      #expect(channel.isActive)
      channel.embeddedEventLoop.advanceTime(by: .seconds(2))
      #expect(channel.isActive == isDone)
    }
  }

  @Test("A body below 8 KB per second is ended, counting only time in which the server reads")
  func slowBody() throws {
    try receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
    advance(.minutes(20))
    #expect(channel.isActive)
    channel.read()
    for _ in 0..<40 {
      advance(.seconds(5))
      try receive(String(repeating: "a", count: 64_000))
      channel.read()
    }
    #expect(channel.isActive)
    advance(.seconds(31))
    #expect(!channel.isActive)
  }

  @Test("After the server ends a body, it can respond, and receives nothing more")
  func endedBody() throws {
    try receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
    channel.triggerUserOutboundEvent(BodyAbort(), promise: nil)
    channel.triggerUserOutboundEvent(BodyAbort(), promise: nil)
    try receive("def")
    #expect(server.parts.count == 3)
    guard case .end? = server.parts.last else { return #expect(Bool(false)) }
    try answer(HTTPResponse(status: .requestTimeout))
    #expect(try sent().lowercased().contains("connection: close\r\n"))
  }

  @Test("After Upgrade, input is neither requested nor kept")
  func upgrade() throws {
    try receive("GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\nPRI")
    for _ in 0..<64 { try receive(String(repeating: "a", count: 65536)) }
    #expect(server.parts.count == 2)
    _ = channel.pipeline.syncOperations.removeHandler(decoder)
    channel.embeddedEventLoop.run()
    // The bytes that came with the head are kept, but not the rest.
    let error = #expect(throws: ByteToMessageDecoderError.self) { try channel.throwIfErrorCaught() }
    guard case .leftoverDataWhenDone(let left) = error else { return #expect(Bool(false)) }
    #expect(String(buffer: left) == "PRI")
  }

  @Test("The response to the last request has Connection: close")
  func lastAnswer() throws {
    try receive("GET / HTTP/1.1\r\nHost: x\r\nConnection: TE , Close\r\n\r\n")
    try answer(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"]))
    #expect(try sent().lowercased().contains("connection: close\r\n"))
  }

  @Test("100 Continue is written once, and only to a client that expects it")
  func continues() throws {
    ConnectionGuard.sendContinue(on: channel)
    try receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
    ConnectionGuard.sendContinue(on: channel)
    try receive("a")
    try answer(HTTPResponse(status: .noContent))
    #expect(try sent() == "HTTP/1.1 204 No Content\r\n\r\n")
    try receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n")
    ConnectionGuard.sendContinue(on: channel)
    ConnectionGuard.sendContinue(on: channel)
    #expect(try sent() == "HTTP/1.1 100 Continue\r\n\r\n")
  }

  @Test("A graceful shutdown reaches the server, and ends a connection whose client reads nothing")
  func shutdown() throws {
    try receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    #expect(server.isShuttingDown)
    advance(.seconds(16))
    #expect(channel.isActive)
    advance(.seconds(1))
    #expect(!channel.isActive)
  }

  private func receive(_ text: String) throws {
    try channel.writeInbound(ByteBuffer(string: text))
  }

  private func advance(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

  private func answer(_ head: HTTPResponse) throws {
    channel.write(HTTPResponsePart.head(head), promise: nil)
    channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
  }

  private func sent() throws -> String {
    var text = ""
    while case .byteBuffer(let bytes)? = try channel.readOutbound(as: IOData.self) {
      text += String(buffer: bytes)
    }
    return text
  }
}

/// Records requests in place of the server.
private final class Recorder: ChannelInboundHandler {
  typealias InboundIn = HTTPRequestPart

  private(set) var parts: [HTTPRequestPart] = []
  private(set) var isShuttingDown = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    parts.append(unwrapInboundIn(data))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    isShuttingDown = isShuttingDown || event is ChannelShouldQuiesceEvent
  }
}
