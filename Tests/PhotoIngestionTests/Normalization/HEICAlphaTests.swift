import Foundation
import ImageContainers
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("HEIC with an alpha that differs from its picture")
struct HEICAlphaTests {
  /// Returns the red, green, blue and alpha of a stored picture, row by row.
  private static func stored(_ file: String) throws -> (pixels: [UInt8], width: Int) {
    let image = try #require(TestImage.accepted.first { $0.file == file })
    let photo = try PhotoPipeline(decoding: .inProcess).prepare(image.source)
    return try VipsPicture.reading(photo.blob.bytes, as: photo.blob.format) { picture in
      (try picture.pixels(), picture.width)
    }
  }

  /// Returns the alpha in the middle row. It increases by 3 with each column of the alpha picture.
  private static func alpha(of file: String, at column: Int) throws -> Int {
    let (pixels, width) = try stored(file)
    return Int(pixels[4 * (30 * width + column) + 3])
  }

  @Test("An alpha of half the size is scaled up")
  func halfSize() throws {
    #expect(abs(try Self.alpha(of: "alpha-half-size.heic", at: 80) - 123) <= 6)
  }

  @Test("An alpha that is larger by less than a block is cropped")
  func wider() throws {
    #expect(abs(try Self.alpha(of: "alpha-wider.heic", at: 60) - 183) <= 4)
  }

  @Test(
    "An alpha of another bit depth is converted",
    arguments: ["10-bit-alpha-of-8.heic", "8-bit-alpha-of-10.heic"])
  func depth(_ file: String) throws {
    #expect(abs(try Self.alpha(of: file, at: 40) - 123) <= 4)
  }

  @Test("Colors that are premultiplied with alpha are divided by it")
  func premultiplied() throws {
    let (pixels, width) = try Self.stored("alpha-premultiplied.heic")
    let (plain, _) = try Self.stored("alpha.heic")
    for column in [40, 60, 75] {
      let place = 4 * (30 * width + column)
      for band in 0..<4 {
        #expect(
          abs(Int(pixels[place + band]) - Int(plain[place + band])) <= 12, "\(column) \(band)")
      }
    }
  }

  @Test("Halved chroma with the matrix of green, blue and red uses BT.601")
  func matrix() throws {
    let image = try #require(TestImage.accepted.first { $0.file == "matrix-0-420.heic" })
    let photo = try PhotoPipeline(decoding: .inProcess).prepare(image.source)
    try VipsPicture.reading(photo.blob.bytes, as: .jpeg) { picture in
      let pixels = try picture.pixels()
      let first = pixels[3 * (10 * picture.width + 10)..<3 * (10 * picture.width + 10) + 3]
      #expect(first[first.startIndex] > 230 && first.dropFirst().allSatisfy { $0 < 25 }, "\(first)")
    }
  }
}
