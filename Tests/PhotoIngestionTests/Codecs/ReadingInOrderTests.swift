import ImageContainers
import Testing

@testable import PhotoIngestion

/// libvips decodes from top to bottom and keeps few rows, so operations must not need earlier rows again.
@Suite struct ReadingInOrderTests {
  @Test("Alpha is separated and combined again in one pass", arguments: [2, 4])
  func alpha(bands: Int) throws {
    try VipsRuntime.start(threads: 1)
    let picture = SmallPictureTests.picture(700, 900, bands: bands)
    let place = (left: 50, top: 300)
    let canvas = ImageFacts(format: .png, storedWidth: 800, storedHeight: 1_500)
    try picture.pixels.withUnsafeBytes { pixels in
      let memory = try VipsPicture.over(pixels, width: 700, height: 900, bands: bands)
      let png = try memory.encoded(as: .png, quality: 0)
      let placed = try memory.inSRGB(from: nil).onCanvas(of: canvas, at: place)
      let shrunk = try VipsPicture.reading(png, as: .png) { decoded in
        try decoded.inSRGB(from: nil).onCanvas(of: canvas, at: place).shrunkReadingAll(side: 320)
      }
      #expect(shrunk == (try placed.shrunkReadingAll(side: 320)))
      #expect((shrunk.width, shrunk.height, shrunk.bands) == (200, 375, bands))
      let whole = try VipsPicture.reading(png, as: .png) { decoded in
        try decoded.inSRGB(from: nil).inMemory().pixels()
      }
      var shown = picture.pixels
      for alpha in stride(from: bands - 1, to: shown.count, by: bands) where shown[alpha] == 0 {
        for index in alpha - bands + 1..<alpha { shown[index] = 0 }
      }
      #expect(shown != picture.pixels)
      #expect(whole == shown, "colors under full transparency are gone")
    }
  }
}
