import Foundation
import ImageContainers
import PhotoIngestion
import Testing
import TestPictures

@Suite("JPEGs that are turned without decoding")
struct TurningTests {
  /// All turned JPEGs except those that only a decoder can turn, and one that takes long.
  private static let turned = TestImage.accepted.filter {
    $0.format == "jpeg" && $0.reasons == ["orientation"]
      && !["turned-cut-unit.jpg", "turned-large.jpg"].contains($0.file)
  }

  @Test("The blob shows the pixels of the original, turned", arguments: turned)
  func pixels(_ image: TestImage) throws {
    let clean = try JPEGContainer.clean([UInt8](Data(contentsOf: image.url)))
    let side = 4096
    let stored = try PictureRaster.decode(clean, format: .jpeg, side: side, decoding: .inProcess)
    let blob = try PhotoPipeline(decoding: .inProcess).prepare(image.source).blob
    let upright = try PictureRaster.decode(
      blob.bytes, format: .jpeg, side: side, decoding: .inProcess)
    var farthest = 0
    for y in stride(from: 0, to: stored.height, by: max(1, stored.height / 50)) {
      for x in stride(from: 0, to: stored.width, by: max(1, stored.width / 50)) {
        let (right, bottom) = (stored.width - 1 - x, stored.height - 1 - y)
        let place = [
          (x, y), (right, y), (right, bottom), (x, bottom), (y, x), (bottom, x), (bottom, right),
          (y, right),
        ][try #require(image.orientation) - 1]
        for (one, other) in zip(stored.pixel(x, y), upright.pixel(place.0, place.1)) {
          farthest = max(farthest, abs(Int(one) - Int(other)))
        }
      }
    }
    // Decoders process columns before rows, and round in between.
    #expect(farthest <= 4)
  }
}

extension PictureRaster {
  fileprivate func pixel(_ x: Int, _ y: Int) -> ArraySlice<UInt8> {
    rgb[((y * width + x) * 3)...].prefix(3)
  }
}
