import PhotoAttachments
import Testing

@testable import PetSpotServer

@Suite("Limits on how often a client may act")
struct ClientRateLimiterTests {
  private let clients = ClientRateLimiter(ServerConfiguration())
  private let client = ClientNetwork.ipv4([192, 0, 2, 1])

  @Test("Only look-ups that find nothing count as misses")
  func misses() async throws {
    for _ in 0..<100 {
      #expect(try await clients.countingMisses(of: client) { 1 } == 1)
      await #expect(throws: StoreError.self) {
        try await clients.countingMisses(of: client) { throw StoreError.busy(seconds: 1) }
      }
    }
    for _ in 0..<60 {
      let miss = await #expect(throws: ErrorResponse.self) {
        try await clients.countingMisses(of: client) { throw ErrorResponse.notFound }
      }
      #expect(miss?.cause == .notFound)
    }
    let refused = await #expect(throws: ErrorResponse.self) {
      try await clients.countingMisses(of: client) { throw ErrorResponse.notFound }
    }
    #expect(refused?.cause == .throttled)
  }
}
