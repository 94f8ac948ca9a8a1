import Foundation
import ImageContainers
import SystemPackage
import Testing

@testable import PhotoAttachments

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
    let expected = try PictureDecoder.withPicture(clean, as: .heic) {
      picture throws(PhotoError) in try picture.inMemory().pixels()
    }
    for threads in [1, 3] {
      let rgb = try #require(
        try clean.withUnsafeBytes { try HEVCDecoder.decode(hevc, in: $0, threads: threads) })
      let upright = try rgb.withUnsafeBytes { pixels in
        try VipsPicture.over(pixels, width: hevc.width, height: hevc.height)
          .upright(hevc.orientation).inMemory().pixels()
      }
      // libheif rounds in several places, depending on the way it takes.
      let differences = zip(upright, expected).map { abs(Int($0) - Int($1)) }
      #expect(upright.count == expected.count)
      #expect(differences.allSatisfy { $0 <= 1 })
      #expect(differences.count { $0 > 0 } <= upright.count / 1000)
    }
  }

  @Test("Damaged coded data is refused", arguments: ordinary)
  func damage(_ image: TestImage) throws {
    var clean = try HEICContainer.clean([UInt8](try Data(contentsOf: image.url)))
    let hevc = try #require(try HEICContainer.ordinaryPicture(in: clean))
    let slice = try #require(hevc.tiles[0].units.last)
    try #require(slice.count > 24)
    // The slice's data is cut short by zeros, behind its header.
    for index in (slice.lowerBound + 12)..<slice.upperBound { clean[index] = 0 }
    #expect(throws: PhotoError.corrupt(what: "decode")) {
      try clean.withUnsafeBytes { try HEVCDecoder.decode(hevc, in: $0, threads: 1) }
    }
  }
}
