import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import PetSpotServer

@Suite("Pipelined requests")
struct PipelinedRequestsTests {
  private let channel = NIOAsyncTestingChannel()
  private let turns = FairQueue(.init(running: [1], waiting: 1))

  init() async throws {
    let turns = turns
    try await channel.testingEventLoop.executeInContext { [channel] in
      try channel.pipeline.syncOperations.addHandler(PipelinedRequests(turns: turns))
    }
  }

  private func receive(_ paths: String...) async throws {
    for path in paths {
      let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: path)
      try await channel.writeInbound(HTTPRequestPart.head(head))
      try await channel.writeInbound(HTTPRequestPart.end(nil))
    }
  }

  private func respond() async throws {
    try await channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try await channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  /// Returns the paths of the requests that were forwarded since the last call.
  private func passed() async throws -> [String] {
    var paths: [String] = []
    while let part = try await channel.readInbound(as: HTTPRequestPart.self) {
      if case .head(let head) = part { paths.append(head.path ?? "") }
    }
    return paths
  }

  /// Waits for the next request, which takes its turn in a task.
  private func next() async throws -> [String] {
    while true {
      await channel.testingEventLoop.run()
      let paths = try await passed()
      if !paths.isEmpty { return paths }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test(
    "A request is forwarded when the response before it has ended", .timeLimit(.minutes(1)))
  func oneAtATime() async throws {
    try await receive("/1", "/2", "/3")
    #expect(try await passed() == ["/1"])
    try await respond()
    #expect(try await next() == ["/2"])
    try await receive("/4")
    for path in ["/3", "/4"] {
      try await respond()
      #expect(try await next() == [path])
    }
    try await respond()
    try await receive("/5")
    #expect(try await passed() == ["/5"])
    #expect(turns.count == 0)
  }

  @Test("The rest of a body is forwarded, even after an early response")
  func body() async throws {
    let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/1")
    try await channel.writeInbound(HTTPRequestPart.head(head))
    try await respond()
    try await channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
    try await channel.writeInbound(HTTPRequestPart.end(nil))
    try await receive("/2")
    #expect(try await passed() == ["/1", "/2"])
  }

  @Test("A waiting request occupies a turn until its response has ended", .timeLimit(.minutes(1)))
  func turn() async throws {
    let other = try await turns.enter(.ipv4([192, 0, 2, 1]))
    try await receive("/1", "/2")
    try await respond()
    while turns.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    await channel.testingEventLoop.run()
    #expect(try await passed() == ["/1"])
    turns.leave(other)
    #expect(try await next() == ["/2"])
    #expect(turns.count == 1)
    try await respond()
    #expect(turns.count == 0)
  }

  @Test("Requests of a client that has disconnected are dropped", .timeLimit(.minutes(1)))
  func left() async throws {
    try await receive("/1", "/2", "/3")
    try await respond()
    _ = try await next()
    channel.pipeline.fireChannelInactive()
    await channel.testingEventLoop.run()
    #expect(turns.count == 0)
    try await respond()
    await channel.testingEventLoop.run()
    #expect(try await passed().isEmpty)
  }
}
