import ImageContainers
import Testing

@testable import PhotoIngestion

@Suite("Frames between the host and a worker")
struct DecoderMessageTests {
  @Test("A header announces what follows")
  func header() throws {
    let message = DecoderMessage(
      kind: .answer, json: [1, 2, 3], first: .init(repeating: 0, count: 70_000), second: [9],
      ticket: 1 << 63 | 5)
    let parsed = try #require(DecoderMessage.parse(message.header))
    #expect(parsed.kind == .answer)
    #expect(parsed.json == 3)
    #expect(parsed.first == 70_000)
    #expect(parsed.second == 1)
    #expect(parsed.ticket == UInt64(1) << 63 | 5)
  }

  @Test(
    "A header with a changed byte of magic, kind or upper count is refused",
    arguments: [0, 1, 2, 3, 5, 6, 7, 15, 23, 31])
  func malformed(_ index: Int) {
    var header = DecoderMessage(kind: .answer, json: [1]).header
    header[index] ^= 0x40
    #expect(DecoderMessage.parse(header).map(DecoderMessage.Bounds.any.holds) != true)
    header[index] ^= 0xC0
    #expect(DecoderMessage.parse(header).map(DecoderMessage.Bounds.any.holds) != true)
  }

  @Test("A message may not hold more than the photo can yield")
  func bounds() {
    let request = DecoderRequest(work: .prepare(.codedAnew), policy: .init())
    func bounds(_ kind: DecoderMessage.Kind, pixels: Int = 0) -> DecoderMessage.Bounds {
      request.bounds(kind, sourceBytes: 1_000, pixels: pixels)
    }
    #expect(bounds(.stage) == .init(json: 256))
    #expect(bounds(.refusal).first == 0)
    #expect(bounds(.ready) == .none && bounds(.request) == .none)
    #expect(bounds(.answer).first < 100_000)
    #expect(bounds(.answer).second < 500_000)
    #expect(bounds(.answer).json < 100_000)
    // The worker's claims are limited by the policy.
    #expect(bounds(.answer, pixels: .max).first < 2 << 30)
    #expect(bounds(.answer, pixels: .min).first < 100_000)
    let drawing = DecoderRequest(work: .raster(.png, side: 10), policy: .init())
    #expect(drawing.bounds(.answer, sourceBytes: 1 << 30, pixels: .max).first == 300)
    let digest = DecoderRequest(work: .pixelDigest(.png), policy: .init())
    #expect(
      digest.bounds(.answer, sourceBytes: 1 << 30, pixels: .max) == .init(json: 512))
  }

  @Test("An incomplete header is refused")
  func short() {
    #expect(DecoderMessage.parse([]) == nil)
    #expect(
      DecoderMessage.parse(Array(DecoderMessage(kind: .ready, json: []).header.dropLast())) == nil)
  }

  @Test("Facts survive the transfer, including an infinite gamma")
  func json() throws {
    let error = PhotoError.tooLarge(.memory, actual: .max, limit: 1)
    #expect(
      try DecoderJSON.decode(PhotoError.self, from: DecoderJSON.encode(error)) == error)
    let gamma = [1.0, .infinity, -.infinity]
    #expect(try DecoderJSON.decode([Double].self, from: DecoderJSON.encode(gamma)) == gamma)
  }
}
