import Foundation
import Testing

@testable import ImageContainers

@Suite("PNG: taking an animation apart and putting it together")
struct PNGRecodingTests {
  private func file(_ name: String) throws -> [UInt8] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: root.appending(path: "TestImages/\(name)")))
  }

  @Test(
    "With unchanged pictures the result is the same file",
    arguments: ["animated.png", "animated-three-times.png", "animated-apart.png"])
  func identity(_ name: String) throws {
    let clean = try PNGContainer.clean(try file(name))
    let recoding = try #require(try PNGRecoding(clean))
    let pictures = (0..<recoding.count).map(recoding.picture)
    #expect(try recoding.joined(pictures, turnedFrom: 1) == clean)
    #expect(recoding.firstFrame == (name == "animated-apart.png" ? 1 : 0))
    #expect(recoding.count == (name == "animated.png" ? 4 : name == "animated-apart.png" ? 3 : 2))
  }

  @Test("A still picture isn't taken apart")
  func still() throws {
    #expect(try PNGRecoding(try file("gray.png")) == nil)
  }

  @Test("Pictures of another size, kind or number are refused")
  func others() throws {
    let recoding = try #require(try PNGRecoding(try file("animated-three-times.png")))
    let pictures = (0..<2).map(recoding.picture)
    let others = try ["alpha.png", "gray.png", "rgb-16-bit.png", "interlaced.png", "color-key.png"]
      .map(file)
    #expect(throws: ContainerError.self) { try recoding.joined([pictures[0]], turnedFrom: 1) }
    #expect(throws: ContainerError.self) { try recoding.joined(pictures, turnedFrom: 6) }
    for other in others {
      #expect(throws: ContainerError.self) {
        try recoding.joined([pictures[0], other], turnedFrom: 1)
      }
    }
  }
}
