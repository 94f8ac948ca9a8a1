import ArgumentParser
import PhotoAttachments
import SystemPackage
import Testing

@testable import petspot

@Suite struct RawArgumentsTests {
  @Test("Many names fit into few arguments and are restored unchanged")
  func manyNames() throws {
    let names = (0..<40).map { "a b/\($0).jpg" }
    let options = ["--include", "*.jpg", "x", "y", "--json", "--", "-z"]
    let folded = RawArguments.folded(["import"] + names + options)
    #expect(folded.count == 9)
    let command = try #require(try Petspot.parseAsRoot(folded) as? Import)
    #expect(command.paths.map(\.string) == names + ["x", "y", "-z"])
    #expect(command.selection.include == ["*.jpg"] && command.options.json)
    #expect(RawArguments.folded(["attach"] + names) == ["attach"] + names)
    #expect(throws: (any Error).self) { try Petspot.parseAsRoot(["import", ""]) }
  }

  @Test(
    arguments: [
      Array("rex.heic".utf8), Array("żółw 🐢.jpg".utf8), [0xFF, 0xFE, 0x80], [0xC3],
      [0xC3, 0x28], [0xE2, 0x82], [0xF0, 0x9F, 0x90], [0xED, 0xA0, 0x80], [0xC0, 0xAF],
      // A genuine scalar from the range that encodes bytes, and one beside the range.
      Array("\u{F8FF}\u{F800}\u{F87F}\u{F780}".utf8), [0x61, 0xEF, 0xA2, 0x62],
    ] as [[UInt8]])
  func bytesComeBackAsTheyWere(_ bytes: [UInt8]) throws {
    let argument = RawArguments.encode(bytes)
    #expect(RawArguments.decode(argument) == bytes)
    #expect(try #require(RawArguments.path(argument)).rawBytes == bytes)
  }

  @Test func everyPairOfBytesComesBack() {
    for first in UInt8(1)...255 {
      for second in UInt8(1)...255 {
        let bytes = [first, second, 0x2E]
        guard RawArguments.decode(RawArguments.encode(bytes)) == bytes else {
          Issue.record("lost \(bytes)")
          return
        }
      }
    }
  }

  @Test func validTextStaysItself() {
    #expect(RawArguments.encode(Array("żółw 🐢".utf8)) == "żółw 🐢")
  }

  @Test func textShowsForeignBytesEscaped() {
    #expect(RawArguments.text(RawArguments.encode([0x61, 0xFF, 0x62])) == "a\\xFFb")
    #expect(RawArguments.text("żółw") == "żółw")
  }

  @Test func noPathWithoutBytes() {
    #expect(RawArguments.path("") == nil)
  }
}
