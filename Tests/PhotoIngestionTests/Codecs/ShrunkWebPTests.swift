import ImageContainers
import Testing

@testable import PhotoIngestion

/// A still WebP is shrunk by its decoder, which must neither hide damage nor change the picture.
@Suite struct ShrunkWebPTests {
  @Test("The preview looks like the picture", arguments: [true, false])
  func preview(isLossless: Bool) throws {
    let webp = try Self.webp(1_300, 900, isLossless: isLossless)
    let photo = try PhotoPipeline(decoding: .inProcess).prepare(
      .bytes(webp, name: "quadrants.webp"))
    #expect(photo.normalization.method == .carriedOver)
    #expect((photo.preview.pixelWidth, photo.preview.pixelHeight) == (320, 222))
    let raster = try PictureRaster.decode(
      photo.preview.bytes, format: photo.preview.format, side: 64, decoding: .inProcess)
    #expect(raster.nearest(3, 3) == "red" && raster.nearest(60, 3) == "lime")
    #expect(raster.nearest(3, 40) == "blue" && raster.nearest(60, 40) == "yellow")
  }

  @Test(
    "A thin picture keeps at least one pixel",
    arguments: [(1, 1_024), (3, 2_336), (5_000, 1), (641, 2)])
  func thin(width: Int, height: Int) throws {
    let webp = try Self.webp(width, height, isLossless: true)
    let preview = try PhotoPipeline(decoding: .inProcess).prepare(.bytes(webp, name: "thin.webp"))
      .preview
    #expect(max(preview.pixelWidth, preview.pixelHeight) == 320)
    #expect(min(preview.pixelWidth, preview.pixelHeight) >= 1)
  }

  @Test("A WebP that ends early is refused", arguments: [true, false], [0.3, 0.6, 0.9, 0.99])
  func cut(isLossless: Bool, part: Double) throws {
    let whole = try Self.webp(1_300, 900, isLossless: isLossless)
    var webp = Array(whole[..<(Int(Double(whole.count) * part) / 2 * 2)])
    // RIFF and its only chunk declare the shortened size.
    for (offset, size) in [(4, webp.count - 8), (16, webp.count - 20)] {
      for byte in 0..<4 { webp[offset + byte] = UInt8(size >> (8 * byte) & 0xFF) }
    }
    let error = #expect(throws: PhotoError.self) {
      try PhotoPipeline(decoding: .inProcess).prepare(.bytes(webp, name: "cut.webp"))
    }
    guard case .incomplete(what: "webp-data", let percentShown) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // The number of rows in lossless data isn't determined.
    #expect(isLossless ? percentShown == nil : percentShown.map { $0 < 100 } == true)
  }

  /// Returns four colors with noise over them, so that all of the data matters.
  private static func webp(_ width: Int, _ height: Int, isLossless: Bool) throws -> [UInt8] {
    try VipsRuntime.start(threads: 1)
    let colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]
    var state: UInt32 = 1
    let pixels = (0..<width * height).flatMap { index in
      let corner = (index / width * 2 / height) * 2 + index % width * 2 / width
      state = state &* 1_664_525 &+ 1_013_904_223
      return colors[corner].map { $0 ^ UInt8(state >> 28) }
    }
    let webp = try pixels.withUnsafeBytes {
      try VipsPicture.over($0, width: width, height: height)
        .encoded(as: .webp, quality: 80, losslessEffort: isLossless ? 4 : nil)
    }
    return try ImageContainer.clean(webp, as: .webp)
  }
}
