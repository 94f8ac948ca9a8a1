import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import PetSpotServer

/// Tests the handlers in front of the guard, between the codec and a server that only records requests.
@Suite("Request lines, and responses that HummingbirdCore generates")
struct ProtocolErrorHandlerTests {
  private let channel = EmbeddedChannel()

  init() throws {
    let handlers: [any ChannelHandler] = [
      HTTPResponseEncoder(),
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .fireError)),
      HTTP1ToHTTPServerCodec(secure: false),
      ProtocolErrorHandler(security: SecurityHeaders(isTLS: false, isLibrary: false)),
    ]
    try channel.pipeline.syncOperations.addHandlers(handlers)
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
  }

  private func head(of text: String) throws -> HTTPRequest {
    try channel.writeInbound(ByteBuffer(string: text))
    guard case .head(let head)? = try channel.readInbound(as: HTTPRequestPart.self) else {
      throw ChannelError.eof
    }
    return head
  }

  @Test(
    "The host guard also sees the host of an absolute URI if it differs from the Host field",
    arguments: [
      ("http://evil.example/a?b", "127.0.0.1", true), ("http://127.0.0.1/a", "127.0.0.1", false),
      ("/a://b", "127.0.0.1", false), ("http://127.0.0.1:80/", "127.0.0.1", true),
      ("http://x@127.0.0.1/", "127.0.0.1", true),
    ])
  func absolute(uri: String, host: String, isRefused: Bool) throws {
    let head = try head(of: "GET \(uri) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    let request = Request(head: head, body: .init(buffer: ByteBuffer()))
    var configuration = ServerConfiguration()
    configuration.host = "127.0.0.1"
    let hosts = HostGuard(configuration)
    if isRefused {
      #expect(throws: ErrorResponse.self) { try hosts.check(request) }
    } else {
      try hosts.check(request)
    }
  }

  @Test("A request of HTTP/1.0 is the last one on its connection")
  func oldVersion() throws {
    let old = try head(of: "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
    #expect(old.headerFields[values: .connection] == ["close"])
  }

  @Test(
    "Interim responses are sent only to HTTP/1.1 clients, because older ones don't expect any",
    arguments: [("1.0", ["201"]), ("1.1", ["104", "201"])])
  func interim(version: String, statuses: [String]) throws {
    let head = try head(
      of: "POST / HTTP/\(version)\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n")
    #expect((head.headerFields[.expect] == nil) == (version == "1.0"))
    let interim = HTTPResponse(status: .init(code: 104, reasonPhrase: "x"))
    try channel.writeOutbound(HTTPResponsePart.head(interim))
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .created)))
    var told: [String] = []
    while let piece = try channel.readOutbound(as: ByteBuffer.self) {
      told += String(buffer: piece).matches(of: /HTTP\/1.1 (\d+)/).map { String($0.1) }
    }
    #expect(told == statuses)
  }

  @Test("A bare 400 gets the usual form of responses, and our own responses stay unchanged")
  func bare() throws {
    let bare = HTTPResponse(
      status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])
    try channel.writeOutbound(HTTPResponsePart.head(bare))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    var text = ""
    while let piece = try channel.readOutbound(as: ByteBuffer.self) {
      text += String(buffer: piece)
    }
    let id = try #require(text.firstMatch(of: /request-id: ([a-z0-9]+)\r\n/)).1
    #expect(text.contains("X-Content-Type-Options: nosniff\r\n"))
    #expect(text.contains("Connection: close\r\n"))
    let body = text.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
    #expect(body.contains(#""code":"BAD_REQUEST""#) && body.contains(#""requestId":"\#(id)""#))
    #expect(text.contains("Content-Length: \(body.utf8.count)\r\n"))

    var ours = bare
    SecurityHeaders(isTLS: false, isLibrary: false).mark(&ours)
    try channel.writeOutbound(HTTPResponsePart.head(ours))
    let written = try channel.readOutbound(as: ByteBuffer.self)
    #expect(written.map { String(buffer: $0).contains("Content-Length: 0\r\n") } == true)
  }
}

extension SecurityHeaders {
  /// Adds these fields to the head of a response.
  fileprivate func mark(_ head: inout HTTPResponse) {
    var response = Response(status: head.status, headers: head.headerFields)
    apply(to: &response, id: "x")
    head = response.head
  }
}
