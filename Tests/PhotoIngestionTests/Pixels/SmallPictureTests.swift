import ImageContainers
import Testing

@testable import PhotoIngestion

@Suite("SmallPicture")
struct SmallPictureTests {
  /// Returns an arbitrary picture in which neighboring pixels differ.
  static func picture(_ width: Int, _ height: Int, bands: Int) -> SmallPicture {
    let pixels = (0..<width * height * bands).map {
      UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8)
    }
    return SmallPicture(pixels: pixels, width: width, height: height, bands: bands)
  }

  @Test("It turns as libvips does", arguments: 1...8, 1...4)
  func turned(_ orientation: Int, _ bands: Int) throws {
    try VipsRuntime.start(threads: 1)
    let picture = Self.picture(7, 3, bands: bands)
    let turned = picture.upright(orientation)
    try picture.pixels.withUnsafeBytes {
      let stored = try VipsPicture.over($0, width: 7, height: 3, bands: bands)
      let expected = try stored.upright(orientation).inMemory()
      #expect(turned.pixels == (try expected.pixels()))
      #expect((turned.width, turned.height) == (expected.width, expected.height))
    }
  }

  @Test("Alpha is dropped only if it is 255 everywhere")
  func idleAlpha() {
    func picture(_ pixels: [UInt8], _ bands: Int) -> SmallPicture {
      SmallPicture(pixels: pixels, width: 2, height: 1, bands: bands)
    }
    #expect(picture([1, 255, 2, 255], 2).withoutIdleAlpha() == picture([1, 2], 1))
    #expect(
      picture([1, 2, 3, 255, 4, 5, 6, 255], 4).withoutIdleAlpha() == picture([1, 2, 3, 4, 5, 6], 3))
    for used in [picture([1, 255, 2, 254], 2), picture([1, 2, 3, 255, 4, 5, 6, 0], 4)] {
      #expect(used.withoutIdleAlpha() == used)
    }
    #expect(picture([255, 255], 1).withoutIdleAlpha() == picture([255, 255], 1))
  }

  @Test("RGB repeats gray and leaves alpha out")
  func rgb() {
    func rgb(_ pixels: [UInt8], _ bands: Int) -> [UInt8] {
      SmallPicture(pixels: pixels, width: 2, height: 1, bands: bands).inRGB().pixels
    }
    #expect(rgb([7, 9], 1) == [7, 7, 7, 9, 9, 9])
    #expect(rgb([7, 0, 9, 255], 2) == [7, 7, 7, 9, 9, 9])
    #expect(rgb([1, 2, 3, 4, 5, 6], 3) == [1, 2, 3, 4, 5, 6])
    #expect(rgb([1, 2, 3, 0, 4, 5, 6, 9], 4) == [1, 2, 3, 4, 5, 6])
  }

  @Test("A preview is a WebP only if part of it is transparent", arguments: [2, 4])
  func previewFormat(_ bands: Int) throws {
    try VipsRuntime.start(threads: 1)
    func preview(alpha: [UInt8]) throws -> ImageFormat {
      var picture = Self.picture(40, 30, bands: bands)
      for pixel in 0..<1_200 {
        picture.pixels[pixel * bands + bands - 1] = alpha[pixel % alpha.count]
      }
      let png = try picture.pixels.withUnsafeBytes {
        try VipsPicture.over($0, width: 40, height: 30, bands: bands).encoded(as: .png, quality: 0)
      }
      return try PhotoPipeline(decoding: .inProcess).prepare(.bytes(png, name: "drawing.png"))
        .preview
        .format
    }
    #expect(try preview(alpha: [255]) == .jpeg)
    #expect(try preview(alpha: [255, 0]) == .webp)
  }
}
