import Foundation
import ImageContainers
import SystemPackage
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("HEVCDecoder")
struct HEVCDecoderTests {
  static let ordinary = TestImage.accepted.filter { image in
    guard image.format == "heic", let bytes = try? Data(contentsOf: image.url) else { return false }
    return (try? HEICContainer.ordinaryPicture(in: [UInt8](bytes))) != nil
  }

  @Test("Phones' pictures are ordinary")
  func coverage() {
    #expect(Self.ordinary.contains { $0.file == "portrait-phone.heic" })
    #expect(Self.ordinary.contains { $0.file == "ios-18.heic" })
    #expect(Self.ordinary.count >= 5)
  }

  @Test("It gives libheif's pixels, with one thread or several", arguments: ordinary)
  func samePixels(_ image: TestImage) throws {
    try VipsRuntime.start(threads: 1)
    let clean = try HEICContainer.clean([UInt8](try Data(contentsOf: image.url)))
    let hevc = try #require(try HEICContainer.ordinaryPicture(in: clean))
    let expected = try VipsPicture.reading(clean, as: .heic) {
      picture throws(PhotoError) in try picture.inMemory().pixels()
    }
    for threads in [1, 3] {
      let upright = try #require(
        try clean.withUnsafeBytes { try HEVCDecoder.decode(hevc, in: $0, threads: threads) }
      ).pixels
      // libheif rounds in several places, depending on the way it takes.
      let differences = zip(upright, expected).map { abs(Int($0) - Int($1)) }
      #expect(upright.count == expected.count)
      #expect(differences.allSatisfy { $0 <= 1 })
      #expect(differences.count { $0 > 0 } <= upright.count / 1000)
    }
  }

  @Test("Coded data read as zeros is refused", arguments: ordinary)
  func zeros(_ image: TestImage) throws {
    var clean = try HEICContainer.clean([UInt8](try Data(contentsOf: image.url)))
    let hevc = try #require(try HEICContainer.ordinaryPicture(in: clean))
    let slice = try #require(hevc.tiles[0].units.last)
    try #require(slice.count > 24)
    for index in (slice.lowerBound + 12)..<slice.upperBound { clean[index] = 0 }
    #expect(throws: ContainerError.self) { try HEICContainer.ordinaryPicture(in: clean) }
  }

  @Test("A tile without its slice, or with its beginning only, is refused", arguments: ordinary)
  func missingSlice(_ image: TestImage) throws {
    let clean = try HEICContainer.clean([UInt8](try Data(contentsOf: image.url)))
    let hevc = try #require(try HEICContainer.ordinaryPicture(in: clean))
    var without = hevc
    without.tiles[0].units.removeLast()
    var half = hevc
    let slice = half.tiles[0].units.removeLast()
    half.tiles[0].units.append(slice.lowerBound..<slice.lowerBound + 3)
    for damaged in [without, half] {
      #expect(throws: PhotoError.corrupt(what: "decode")) {
        _ = try clean.withUnsafeBytes { try HEVCDecoder.decode(damaged, in: $0, threads: 1) }
      }
    }
  }

  @Test("A picture that ends before its last block shows no old memory")
  func endsEarly() throws {
    let image = try #require(Self.ordinary.first { $0.file == "portrait-phone.heic" })
    let clean = try HEICContainer.clean([UInt8](try Data(contentsOf: image.url)))
    let hevc = try #require(try HEICContainer.ordinaryPicture(in: clean))
    // Other pixels than the stream's: most of the canvas would stay unpainted.
    var taller = hevc
    taller.tileHeight += 64
    #expect(throws: PhotoError.corrupt(what: "decode")) {
      _ = try clean.withUnsafeBytes { try HEVCDecoder.decode(taller, in: $0, threads: 1) }
    }
  }
}
