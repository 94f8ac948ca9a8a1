import PhotoIngestion
import Testing

@Suite struct ReadableTextTests {
  @Test(arguments: [
    ("rex.heic", "rex.heic"), ("żółw 🐢.jpg", "żółw 🐢.jpg"), ("a\nb\r\t", "a\\nb\\r\\t"),
    ("a\u{1B}[2Jb", "a\\x1B[2Jb"), ("a\u{7F}", "a\\x7F"), ("a\u{9B}31m", "a\\u{9B}31m"),
    ("gpj.\u{202E}exe", "gpj.\\u{202E}exe"), ("a\u{200B}b\u{FEFF}", "a\\u{200B}b\\u{FEFF}"),
    ("a\u{2028}b", "a\\u{2028}b"), ("👩‍👧.png", "👩‍👧.png"),
  ])
  func whatSteersATerminalIsEscaped(_ text: String, _ shown: String) {
    #expect(ReadableText.escaped(text) == shown)
  }

  @Test(
    arguments: [
      ([0x61, 0xFF, 0xC3, 0x62], "a\\xFF\\xC3b"), ([0xE2, 0x82, 0xAC, 0xE2, 0x82], "€\\xE2\\x82"),
      ([0xC0, 0xAF], "\\xC0\\xAF"), ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([], ""),
      ([0xF0, 0x9F, 0x90, 0xA2], "🐢"),
    ] as [([UInt8], String)])
  func bytesThatAreNoTextShowAsHexadecimal(_ bytes: [UInt8], _ shown: String) {
    #expect(ReadableText.utf8(bytes) == shown)
  }

  @Test func escapingTwiceChangesNothing() {
    let once = ReadableText.escaped("a\u{1B}\n\u{202E}")
    #expect(ReadableText.escaped(once) == once)
  }
}
