import Foundation
import ImageContainers
import TestPictures
import Testing

@testable import PhotoIngestion

@Suite("Probing: libvips and the parser agree on a file's facts")
struct ProberTests {
  /// Probes the file with facts that differ from the parser's.
  private func check(_ name: String, _ change: (inout ImageFacts) -> Void) throws {
    try VipsRuntime.start(threads: 1)
    let image = try #require(TestImage.all.first { $0.file == name })
    let bytes = [UInt8](try Data(contentsOf: image.url))
    let format = try #require(ImageContainer.format(of: bytes))
    var (facts, clean) = try ImageContainer.parseAndClean(bytes, as: format)
    change(&facts)
    try Prober.check(facts, clean: clean, limits: .init())
  }

  @Test(
    "A size or number of frames that libvips doesn't confirm is refused",
    arguments: ["baseline-420.jpg", "alpha.png", "lossy.webp"])
  func disagreement(_ name: String) throws {
    try check(name) { _ in }
    #expect(throws: PhotoError.corrupt(what: "size-disagrees")) {
      try check(name) { $0.storedWidth += 1 }
    }
    #expect(throws: PhotoError.corrupt(what: "size-disagrees")) {
      try check(name) { $0.storedHeight -= 1 }
    }
    guard name != "alpha.png" else { return }
    #expect(throws: PhotoError.corrupt(what: "frames-disagree")) {
      try check(name) { $0.frameCount += 1 }
    }
  }
}
