import Foundation
import Testing

@testable import PetSpotServer

@Suite("Streamed base64")
struct Base64DecoderTests {
  @Test("An encoded text is decoded to its bytes, in pieces of any size", arguments: 0...10)
  func roundTrip(count: Int) throws {
    let bytes = (0..<count).map { UInt8($0 * 37 & 0xFF) }
    let text = Data(bytes).base64EncodedString()
    #expect(decoded(text) == bytes)
    #expect(decoded(text, pieces: 1) == bytes)
    #expect(decoded(text, pieces: 3) == bytes)
  }

  @Test(
    "Bytes have only one encoding, and every other text is refused",
    arguments: [
      "QQ", "QQ=", "QQ===", "QQ====", "QR==", "QUJDRE==", "QUJDRUY====", "QQ==QQ==", "A", "-_-_",
      "QUJD\n", " QUJD", "QU JD", "data:,QUJD", "=", "====", "QUJD=",
    ])
  func refused(text: String) { #expect(decoded(text) == nil) }

  private func decoded(_ text: String, pieces: Int = 100) -> [UInt8]? {
    var decoder = Base64Decoder()
    var bytes: [UInt8] = []
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let piece = left.prefix(pieces)
      guard decoder.feed(piece, into: &bytes) == piece.count else { return nil }
      left = left.dropFirst(pieces)
    }
    return decoder.finish(into: &bytes) ? bytes : nil
  }
}
