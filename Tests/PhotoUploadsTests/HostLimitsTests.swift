import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import PhotoUploads

@Suite("Limits of a host's uploads")
struct HostLimitsTests {
  @Test("A body that stops is ended with 408", .timeLimit(.minutes(1)))
  func slow() async throws {
    let (pieces, piece) = AsyncStream.makeStream(of: ByteBuffer.self)
    piece.yield(ByteBuffer(string: "begun"))
    let request = Request(
      head: .init(
        method: .put, scheme: "http", authority: "localhost", path: "/photo",
        headerFields: [.contentLength: "100"]),
      body: RequestBody(asyncSequence: pieces))
    let host = HostRequest(request, id: "", from: "ola", upload: nil, on: nil)
    let failure = await #expect(throws: HTTPFailure.self) {
      try await host.ending(below: 1000, over: .milliseconds(10)) {
        try await host.readBody(limit: 100) { _ in }
      }
    }
    #expect(failure?.status == .requestTimeout)
    piece.finish()
  }

  @Test("A client has a share of the requests in progress, and all have a limit")
  func places() async throws {
    var limits = PhotoUploadLimits()
    limits.requestsPerClient = 2
    limits.requests = 3
    let places = RequestPlaces(limits)
    try await places.run(for: "ola") {
      try await places.run(for: "ola") {
        #expect(await status(of: "ola", in: places) == 429)
        try await places.run(for: "eve") {
          #expect(await status(of: "eve", in: places) == 503)
        }
        #expect(await status(of: "eve", in: places) == nil)
      }
      #expect(await status(of: "ola", in: places) == nil)
    }
  }

  /// Returns the status of the refusal of another request.
  private func status(of client: String, in places: RequestPlaces) async -> Int? {
    do {
      try await places.run(for: client) {}
      return nil
    } catch {
      return (error as? HTTPFailure)?.status.code
    }
  }
}
