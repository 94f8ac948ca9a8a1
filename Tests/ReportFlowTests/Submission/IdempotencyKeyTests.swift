import Foundation
import ReportFlow
import Testing

@Suite struct IdempotencyKeyTests {
  /// The key has the first 16 bytes of the SHA-256 of `http:` and the text, with version 8 and the variant set.
  @Test(
    "A client's text always gives the same key",
    arguments: [
      ("8e03978e-40d5-43e8-bc93-6894a57f9324", "C088DE9E-96E5-8F06-AA7A-CB8161C25DAF"),
      ("", "1C31DDA0-7CB1-809E-89BD-660A8D114936"),
    ])
  func vectors(_ text: String, _ key: String) {
    #expect(UUID(idempotencyKey: text).uuidString == key)
  }

  @Test("A client's key never equals a draft's random key, because their UUID versions differ")
  func neverADrafts() {
    for number in 0..<100 {
      let key = Array(UUID(idempotencyKey: "\(number)").uuidString)
      #expect(key[14] == "8" && "89AB".contains(key[19]))
      #expect(Array(UUID().uuidString)[14] == "4")
    }
  }
}
