import SystemPackage
import Testing

@testable import petspot

@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("rex.heic", "rex.heic"), ("żółw 🐢.jpg", "żółw 🐢.jpg"), ("a\nb\r\t", "a\\nb\\r\\t"),
    ("a\u{1B}[2Jb", "a\\x1B[2Jb"), ("a\u{7F}", "a\\x7F"), ("a\u{9B}31m", "a\\u{9B}31m"),
    ("gpj.\u{202E}exe", "gpj.\\u{202E}exe"), ("a\u{200B}b\u{FEFF}", "a\\u{200B}b\\u{FEFF}"),
    ("a\u{2028}b", "a\\u{2028}b"), ("👩‍👧.png", "👩‍👧.png"),
  ])
  func whatSteersATerminalIsEscaped(_ text: String, _ shown: String) {
    #expect(DisplayText.escaped(text) == shown)
  }

  @Test func longNamesKeepBothEnds() {
    let shown = DisplayText.name(String(repeating: "a", count: 300) + ".heic")
    #expect(shown.count == DisplayText.longestName)
    #expect(shown.hasPrefix("aaa") && shown.hasSuffix("a.heic") && shown.contains("…"))
  }

  @Test func foreignBytesShowAsHexadecimal() throws {
    let path = try #require(RawArguments.path(RawArguments.encode([0x61, 0xFF, 0xC3, 0x62])))
    #expect(DisplayText.path(path) == "a\\xFF\\xC3b")
    #expect(DisplayText.verbatim(path) == "a\\xFF\\xC3b")
  }

  @Test func validPathsAreVerbatimForPrograms() {
    #expect(DisplayText.verbatim(FilePath("a\nb")) == "a\nb")
  }
}
