import Foundation
import ImageContainers
import SystemPackage
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("HEVCDecoder")
struct HEVCDecoderTests {
  /// The pictures that this decoder handles.
  static let streamed = TestImage.accepted.filter { image in
    guard image.format == "heic", let bytes = try? Data(contentsOf: image.url) else { return false }
    return (try? HEICContainer.streams(in: [UInt8](bytes))) != nil
  }

  /// Returns whether libheif 1.15 decodes a picture wrongly. It takes limited-range red, green and blue for full range,
  /// and matrix 0 for them even if chroma is halved. It also combines a picture only with an alpha of the same
  /// properties.
  private static func isBeyondLibheif(_ image: TestImage) -> Bool {
    let bytes = (try? Data(contentsOf: image.url)).map { [UInt8]($0) } ?? []
    return image.file.hasPrefix("rgb-limited") || image.file.hasPrefix("matrix-0")
      || (try? HEICContainer.streams(in: bytes))?.takesOurDecoder == true
  }

  @Test("Only overlays are left to libheif")
  func coverage() {
    let files = Set(Self.streamed.map(\.file))
    let left = TestImage.accepted.filter { $0.format == "heic" && !files.contains($0.file) }
    #expect(left.allSatisfy { $0.file.hasPrefix("overlay") }, "\(left.map(\.file))")
    #expect(files.count >= 30)
  }

  @Test(
    "The pixels are those of libheif, with one thread or several",
    arguments: streamed.filter { !isBeyondLibheif($0) })
  func samePixels(_ image: TestImage) throws {
    try VipsRuntime.start(threads: 1)
    let clean = try ImageContainer.clean([UInt8](try Data(contentsOf: image.url)), as: .heic)
    let streams = try #require(try HEICContainer.streams(in: clean))
    let (expected, alpha) = try VipsPicture.reading(clean, as: .heic) {
      picture in
      let eight = try picture.inSRGB(from: nil).inMemory()
      guard eight.hasAlpha else { return (try eight.pixels(), [UInt8]?.none) }
      let pixels = try eight.pixels()
      return (
        pixels.enumerated().compactMap { $0.offset % 4 < 3 ? $0.element : nil },
        try eight.band(3).pixels()
      )
    }
    for threads in [1, 3] {
      let upright = try #require(
        try clean.withUnsafeBytes {
          try HEVCDecoder.decode(streams.color, in: $0, threads: threads)
        }
      ).pixels
      // libheif rounds in several places, depending on its code path, and libvips truncates samples deeper than 8 bits.
      let differences = zip(upright, expected).map { abs(Int($0) - Int($1)) }
      #expect(upright.count == expected.count)
      #expect(differences.allSatisfy { $0 <= 1 })
      if image.bitDepth == nil {
        #expect(differences.count { $0 > 0 } <= upright.count / 1000)
      }
    }
    #expect((streams.alpha == nil) == (alpha == nil))
    guard let alpha, let stream = streams.alpha else { return }
    let found = try #require(
      try clean.withUnsafeBytes { try HEVCDecoder.decode(stream, in: $0, threads: 1, as: .luma) })
    #expect(found.pixels.count == alpha.count * 3)
    #expect(
      found.pixels.enumerated().allSatisfy { abs(Int($0.element) - Int(alpha[$0.offset / 3])) <= 1 }
    )
  }

  @Test("A crop is a part of the whole picture", arguments: streamed)
  func crop(_ image: TestImage) throws {
    let clean = try ImageContainer.clean([UInt8](try Data(contentsOf: image.url)), as: .heic)
    var picture = try #require(try HEICContainer.streams(in: clean)).color
    picture.orientation = 1
    let seen = picture.crop
    func decoded() throws -> UprightCanvas {
      try #require(
        try clean.withUnsafeBytes { try HEVCDecoder.decode(picture, in: $0, threads: 1) })
    }
    let whole = try decoded()
    // The crop reaches each edge. The margin to its left and above it isn't on the canvas.
    for (left, top, right, bottom) in [(3, 0, 0, 0), (0, 5, 0, 0), (0, 0, 7, 2), (5, 3, 2, 1)] {
      picture.crop = HEVCPicture.Crop(
        left: seen.left + left, top: seen.top + top, width: seen.width - left - right,
        height: seen.height - top - bottom)
      var expected: [UInt8] = []
      for row in top..<seen.height - bottom {
        let start = row * seen.width
        expected += whole.pixels[(start + left) * 3..<(start + seen.width - right) * 3]
      }
      let isSame = try decoded().pixels == expected
      #expect(isSame)
    }
  }

  @Test("Consecutive strips make up the picture, in any orientation", arguments: streamed)
  func strips(_ image: TestImage) throws {
    let clean = try ImageContainer.clean([UInt8](try Data(contentsOf: image.url)), as: .heic)
    var picture = try #require(try HEICContainer.streams(in: clean)).color
    let (seen, tile) = (picture.crop, max(picture.tileWidth, picture.tileHeight))
    for orientation in 1...8 {
      picture.orientation = orientation
      for threads in [1, 3] {
        picture.crop = seen
        #expect(try areWhole(picture, in: clean, threads: threads).allSatisfy { $0 <= tile })
      }
      let inside = HEVCPicture.Crop(
        left: seen.left + 3, top: seen.top + 1, width: seen.width - 10, height: seen.height - 5)
      picture.crop = inside
      #expect(try areWhole(picture, in: clean, threads: 1).allSatisfy { $0 <= tile })
      // Whole rows and columns of tiles are outside the crop, but are decoded nevertheless.
      picture.crop = HEVCPicture.Crop(
        left: seen.left + seen.width - 1, top: seen.top + seen.height - 1, width: 1, height: 1)
      #expect(try areWhole(picture, in: clean, threads: 1) == [1])
    }
  }

  /// Compares strips with the whole picture, and returns the height of each.
  private func areWhole(
    _ picture: HEVCPicture, in clean: [UInt8], threads: Int
  ) throws -> [Int] {
    let whole = try #require(
      try clean.withUnsafeBytes { try HEVCDecoder.decode(picture, in: $0, threads: threads) })
    var (rows, heights): ([UInt8], [Int]) = ([], [])
    let isComplete = try clean.withUnsafeBytes { bytes in
      try HEVCDecoder.forEachStrip(
        of: picture, in: bytes, threads: threads, as: .colors(nil)
      ) { strip in
        rows += strip.pixels
        heights.append(strip.height)
      }
    }
    #expect(isComplete)
    let isSame = rows == whole.pixels
    #expect(isSame)
    return heights
  }

  @Test("Coded data read as zeros is refused", arguments: streamed)
  func zeros(_ image: TestImage) throws {
    var clean = try ImageContainer.clean([UInt8](try Data(contentsOf: image.url)), as: .heic)
    let hevc = try #require(try HEICContainer.streams(in: clean)).color
    let slice = try #require(hevc.tiles[0].units.last)
    try #require(slice.count > 24)
    for index in (slice.lowerBound + 12)..<slice.upperBound { clean[index] = 0 }
    #expect(throws: ContainerError.self) { try HEICContainer.streams(in: clean) }
  }

  @Test("A tile without its slice, or with only its beginning, is refused", arguments: streamed)
  func missingSlice(_ image: TestImage) throws {
    let clean = try ImageContainer.clean([UInt8](try Data(contentsOf: image.url)), as: .heic)
    let hevc = try #require(try HEICContainer.streams(in: clean)).color
    var without = hevc
    without.tiles[0].units.removeLast()
    var half = hevc
    let slice = half.tiles[0].units.removeLast()
    half.tiles[0].units.append(slice.lowerBound..<slice.lowerBound + 3)
    for damaged in [without, half] {
      #expect(throws: PhotoError.incomplete(what: "hevc-tile", percentShown: nil)) {
        _ = try clean.withUnsafeBytes { try HEVCDecoder.decode(damaged, in: $0, threads: 1) }
      }
    }
  }

  @Test(
    "The first bad tile decides the error, whichever thread reaches it first", arguments: [0, 1])
  func firstBadTile(_ damaged: Int) throws {
    let image = try #require(Self.streamed.first { $0.file == "portrait-phone.heic" })
    let clean = try ImageContainer.clean([UInt8](try Data(contentsOf: image.url)), as: .heic)
    var hevc = try #require(try HEICContainer.streams(in: clean)).color
    hevc.tiles[damaged].units.removeLast()
    // YCgCo isn't supported here, so the picture is left to libheif.
    hevc.tiles[1 - damaged].matrix = .init(coefficients: 8, isFullRange: true)
    for _ in 0..<50 {
      let isLeft = try? clean.withUnsafeBytes { bytes in
        try HEVCDecoder.decode(hevc, in: bytes, threads: 2) == nil
      }
      #expect(isLeft == (damaged == 0 ? nil : true))
    }
  }

  @Test("A picture that ends before its last block never shows old memory")
  func endsEarly() throws {
    let image = try #require(Self.streamed.first { $0.file == "portrait-phone.heic" })
    let clean = try ImageContainer.clean([UInt8](try Data(contentsOf: image.url)), as: .heic)
    let hevc = try #require(try HEICContainer.streams(in: clean)).color
    // The size differs from the stream's, so most of the canvas would stay unpainted.
    var taller = hevc
    taller.tileHeight += 64
    #expect(throws: PhotoError.incomplete(what: "hevc-tile", percentShown: nil)) {
      _ = try clean.withUnsafeBytes { try HEVCDecoder.decode(taller, in: $0, threads: 1) }
    }
  }
}
