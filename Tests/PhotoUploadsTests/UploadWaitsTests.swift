import Testing

@testable import PhotoUploads

@Suite("Requests that wait for an upload")
struct UploadWaitsTests {
  private let waits = UploadWaits(perClient: 2)
  private func client(_ number: UInt8) -> String { "192.0.2.\(number)" }

  @Test("One request may wait for each upload, and two of each client")
  func bounds() throws {
    let first = try waits.begin(for: "a", of: client(1))
    #expect(throws: HTTPFailure.self) { try waits.begin(for: "a", of: client(2)) }
    _ = try waits.begin(for: "b", of: client(1))
    #expect(throws: HTTPFailure.self) { try waits.begin(for: "c", of: client(1)) }
    _ = try waits.begin(for: "c", of: client(2))
    waits.end(first)
    _ = try waits.begin(for: "a", of: client(1))
  }

  @Test(
    "A wait tries at once and when the upload is free, and ends at its time limit",
    .timeLimit(.minutes(1)))
  func tries() async throws {
    let wait = try waits.begin(for: "a", of: client(1))
    var tries = wait.tries.makeAsyncIterator()
    #expect(await tries.next() != nil)
    waits.wake("a")
    #expect(await tries.next() != nil)
    try await wait.wake(for: .milliseconds(1))
    #expect(await tries.next() != nil)
    #expect(await tries.next() == nil)
  }
}
