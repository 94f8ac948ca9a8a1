import Foundation
import ImageContainers
import TestPictures
import Testing

@testable import PhotoIngestion

/// A photo that libvips reads otherwise than the walk does is refused.
@Suite struct ProberTests {
  private func walked(_ name: String, _ format: ImageFormat) throws -> (ImageFacts, [UInt8]) {
    try VipsRuntime.start(threads: 1)
    let bytes = try [UInt8](Data(contentsOf: TestImage.folder.appending(path: name)))
    let walked = try Walker.walk(
      bytes, as: format, limits: ContainerLimits(), readingData: true)
    return (walked.facts, walked.clean)
  }

  @Test(arguments: [("orientation-6.jpg", ImageFormat.jpeg), ("orientation-6.webp", .webp)])
  func anotherSizeIsRefused(name: String, format: ImageFormat) throws {
    let (facts, clean) = try walked(name, format)
    try Prober.check(facts, clean: clean, limits: ContainerLimits())
    for (width, height) in [(1, 0), (0, 1), (-1, 0), (0, -1)] {
      var other = ImageFacts(
        format: format, storedWidth: facts.storedWidth + width,
        storedHeight: facts.storedHeight + height)
      other.frameCount = facts.frameCount
      #expect(throws: PhotoError.corrupt(what: "size-disagrees")) {
        try Prober.check(other, clean: clean, limits: ContainerLimits())
      }
    }
  }

  @Test func anotherNumberOfFramesIsRefused() throws {
    var (facts, clean) = try walked("animated.gif", .gif)
    try Prober.check(facts, clean: clean, limits: ContainerLimits())
    facts.frameCount += 1
    #expect(throws: PhotoError.corrupt(what: "frames-disagree")) {
      try Prober.check(facts, clean: clean, limits: ContainerLimits())
    }
  }
}
