import SystemPackage
import Testing

@testable import petspot

@Suite struct DisplayTextTests {
  @Test func longNamesKeepBothEnds() {
    let shown = DisplayText.name(String(repeating: "a", count: 300) + ".heic")
    #expect(shown.count == DisplayText.maxNameLength)
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
