import Testing

@testable import PhotoAttachments

@Suite("Frames between us and a worker")
struct DecoderFrameTests {
  @Test("A header announces what follows")
  func header() throws {
    let frame = DecoderFrame(
      kind: .answer, json: [1, 2, 3], first: .init(repeating: 0, count: 70_000), second: [9])
    let parsed = try #require(DecoderFrame.parse(frame.header))
    #expect(parsed.kind == .answer)
    #expect(parsed.json == 3)
    #expect(parsed.first == 70_000)
    #expect(parsed.second == 1)
  }

  @Test(
    "No changed byte of magic, kind or upper count is taken",
    arguments: [0, 1, 2, 3, 5, 6, 7, 15, 23, 31])
  func malformed(_ index: Int) {
    var header = DecoderFrame(kind: .answer, json: [1]).header
    header[index] ^= 0x40
    #expect(DecoderFrame.parse(header) == nil)
  }

  @Test("A header that ends early is none")
  func short() {
    #expect(DecoderFrame.parse([]) == nil)
    #expect(
      DecoderFrame.parse(Array(DecoderFrame(kind: .ready, json: []).header.dropLast())) == nil)
  }

  @Test("Facts survive the way, infinite gamma included")
  func json() throws {
    let error = PhotoError.tooLarge(what: "memory", actual: .max, limit: 1)
    #expect(
      try DecoderJSON.decode(PhotoError.self, from: DecoderJSON.encode(error)) == error)
    let gamma = [1.0, .infinity, -.infinity]
    #expect(try DecoderJSON.decode([Double].self, from: DecoderJSON.encode(gamma)) == gamma)
  }
}
