import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import PetSpotServer

@Suite("Bodies in progress")
struct BodyLimiterTests {
  private let channels = (0..<8).map { _ in EmbeddedChannel() }

  private func client(_ number: Int) -> ClientNetwork { .ipv4([192, 0, 2, UInt8(number)]) }

  @Test("Only the client that sends too many bodies gets 429, until one of its bodies ends")
  func perClient() throws {
    let limiter = BodyLimiter(limits: .init(perClient: 2))
    let first = try limiter.begin(of: client(1), on: channels[0])
    _ = try limiter.begin(of: client(1), on: channels[1])
    let answer = #expect(throws: ErrorResponse.self) {
      try limiter.begin(of: client(1), on: channels[2])
    }
    #expect(answer?.status == .tooManyRequests && answer?.headers[.retryAfter] == "5")
    _ = try limiter.begin(of: client(2), on: channels[3])
    limiter.finish(first)
    limiter.finish(first)
    _ = try limiter.begin(of: client(1), on: channels[2])
    #expect(limiter.count == 3)
  }

  @Test("When all places are taken, the slowest body of the client with the most bodies is ended")
  func room() async throws {
    let limiter = BodyLimiter(limits: .init(total: 4))
    let slow = try limiter.begin(of: client(1), on: channels[0])
    let fast = try limiter.begin(of: client(1), on: channels[1])
    let other = try limiter.begin(of: client(2), on: channels[2])
    fast.receive(1_000_000)
    _ = try limiter.begin(of: client(1), on: channels[3]).receive(1_000_000)
    let honest = try limiter.begin(of: client(3), on: channels[4])
    #expect(throws: ErrorResponse.self) { try slow.receiveEnd() }
    try other.receiveEnd()
    try fast.receiveEnd()
    try honest.receiveEnd()
    // Client 1 now has as many bodies as the others, so another of its own is refused.
    #expect(limiter.count == 4)
    #expect(throws: ErrorResponse.self) { try limiter.begin(of: client(1), on: channels[5]) }
  }

  @Test("Bodies that arrived completely are not ended")
  func whole() throws {
    let limiter = BodyLimiter(limits: .init(total: 1))
    try limiter.begin(of: client(1), on: channels[0]).receiveEnd()
    let answer = #expect(throws: ErrorResponse.self) {
      try limiter.begin(of: client(2), on: channels[1])
    }
    #expect(answer?.status == .serviceUnavailable)
  }

  @Test(
    "When the share of the disk is full, the largest body of the client with the most bytes is ended"
  )
  func bytes() throws {
    let limiter = BodyLimiter(limits: .init(bytes: 100))
    let large = try limiter.begin(of: client(1), on: channels[0])
    let small = try limiter.begin(of: client(1), on: channels[1])
    let other = try limiter.begin(of: client(2), on: channels[2])
    large.receive(40)
    small.receive(20)
    other.receive(39)
    #expect(limiter.count == 3)
    other.receive(2)
    #expect(throws: ErrorResponse.self) { try large.receiveEnd() }
    try small.receiveEnd()
    try other.receiveEnd()
  }

  @Test("A slow body ends with 408, and a channel without a body is left alone")
  func slow() throws {
    let limiter = BodyLimiter()
    #expect(!limiter.endSlow(on: channels[0]))
    let body = try limiter.begin(of: client(1), on: channels[0])
    #expect(limiter.endSlow(on: channels[0]))
    let answer = #expect(throws: ErrorResponse.self) { try body.receiveEnd() }
    #expect(answer?.status == .requestTimeout)
    #expect(!limiter.endSlow(on: channels[0]))
  }
}
