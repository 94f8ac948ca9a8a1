import Foundation
import Testing

@testable import PetSpotServer

@Suite("Photos in base64")
struct Base64PhotoTests {
  @Test("Each text that encodes bytes gives them", arguments: 0...10)
  func roundTrip(count: Int) throws {
    let bytes = (0..<count).map { UInt8($0 * 37 & 0xFF) }
    #expect(try Base64Photo.bytes(Data(bytes).base64EncodedString()) == bytes)
  }

  @Test(
    "There is one text for some bytes, and every other is refused",
    arguments: [
      "QQ", "QQ=", "QQ===", "QQ====", "QR==", "QUJDRE==", "QUJDRUY====", "QQ==QQ==", "A", "-_-_",
      "QUJD\n", " QUJD", "QU JD", "data:,QUJD",
    ])
  func refused(text: String) {
    #expect(throws: ErrorAnswer.self) { try Base64Photo.bytes(text) }
  }
}
