import Foundation
import ImageContainers
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("Re-encoded animations")
struct AnimationTests {
  private static let pipeline = PhotoPipeline(decoding: .inProcess)
  private static let recoded = TestImage.accepted.filter {
    $0.format == "png" && ($0.frames ?? 1) > 1 && $0.method == "re-encoded"
  }

  private static func file(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: TestImage.folder.appending(path: name)))
  }

  private static func blob(_ name: String) throws -> [UInt8] {
    try pipeline.prepare(.bytes(try file(name), name: name)).blob.bytes
  }

  /// Returns the data of all chunks of a type, from byte `first` on.
  private static func chunks(_ type: String, of png: [UInt8], from first: Int = 0) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var start = 8
    while start + 12 <= png.count {
      let length = png[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      if png[start + 4..<start + 8].elementsEqual(type.utf8) {
        found.append(Array(png[start + 8..<start + 8 + length].dropFirst(first)))
      }
      start += 12 + length
    }
    return found
  }

  @Test("Frames, plays, delays, disposal and blending stay", arguments: recoded)
  func controls(_ image: TestImage) throws {
    let before = try Self.file(image.file)
    let blob = try Self.blob(image.file)
    let facts = try ImageContainer.parse(blob, as: .png)
    #expect(facts.frameCount == image.frames)
    #expect(facts.bitDepth == 8)
    #expect(facts.hasAlpha == image.hasAlpha)
    #expect(Self.chunks("acTL", of: blob) == Self.chunks("acTL", of: before))
    // Compares the bytes after number, size and position.
    #expect(
      Self.chunks("fcTL", of: blob, from: 20) == Self.chunks("fcTL", of: before, from: 20))
    #expect(try ContainerProof.verify(blob, as: .png).frameCount == image.frames)
  }

  @Test(
    "A frame has the pixels that it would have as a photo of its own",
    arguments: [
      ("animated-16-bit.png", "rgb-16-bit.png"), ("animated-p3.png", "display-p3.png"),
      ("animated-orientation-6.png", "orientation-6.png"),
    ])
  func pixels(_ animated: String, _ still: String) throws {
    let blob = try Self.blob(animated)
    let frames = Array(try PNGContainer.frames(of: blob))
    let shown = try Self.pipeline.pixelDigest(of: frames[0], as: .png)
    #expect(try shown == Self.pipeline.pixelDigest(of: Self.blob(still), as: .png))
  }

  @Test("A frame of a part of the canvas is turned with it", arguments: [3, 5, 6, 7, 8])
  func places(_ orientation: Int) throws {
    let part = Self.chunks("fcTL", of: try Self.blob("animated-orientation-\(orientation).png"))[1]
    let numbers = stride(from: 4, to: 20, by: 4).map { start in
      part[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    // The frame is 20 by 10 at 5, 33 on a canvas of 64 by 48, or of 48 by 64.
    let expected = [
      3: [20, 10, 39, 5], 5: [10, 20, 33, 5], 6: [10, 20, 21, 5], 7: [10, 20, 21, 23],
      8: [10, 20, 33, 23],
    ]
    #expect(numbers == expected[orientation])
  }

  @Test("Frames before one that can't be decoded are kept")
  func damage() throws {
    var bytes = try Self.file("animated-16-bit.png")
    let last = try #require(Self.chunks("fdAT", of: bytes).last)
    let start = bytes.count - 12 - 4 - last.count
    // The deflate data ends early, but has a correct checksum.
    bytes.removeSubrange((start + 20)..<(bytes.count - 16))
    let length = 20
    bytes.replaceSubrange((start - 8)..<(start - 4), with: [0, 0, 0, UInt8(length)])
    bytes.replaceSubrange(
      (start + length)..<(start + length + 4),
      with: Self.checksum(bytes[(start - 4)..<(start + length)]))
    #expect(try ImageContainer.parse(bytes, as: .png).frameCount == 3)
    let photo = try Self.pipeline.prepare(.bytes(bytes, name: "damaged.png"))
    #expect(photo.facts.normalization.losses == ["frames", "bit-depth"])
    #expect(photo.facts.source.frameCount == 3)
    #expect(photo.blob.frameCount == 2)
  }

  @Test("A PNG that has to be decoded may lack the checksum of its rows, but no row")
  func turnedWithoutItsEnd() throws {
    let whole = try Self.file("orientation-6.png")
    let data = try #require(Self.chunks("IDAT", of: whole).last)
    func file(missing: Int) -> [UInt8] {
      // The IDAT chunk starts at its length: data without the end, and no IEND.
      let start = whole.count - 12 - 12 - data.count
      let kept = Array("IDAT".utf8) + data.dropLast(missing)
      let length = [24, 16, 8, 0].map { UInt8((data.count - missing) >> $0 & 0xFF) }
      return whole[..<start] + length + kept + Self.checksum(kept[...]) + whole.suffix(12)
    }
    let photo = try Self.pipeline.prepare(.bytes(file(missing: 4), name: "end.png"))
    // libvips of Debian 13 decodes the file as it is, so no repair is needed.
    let isDecodedAsItIs = VipsRuntime.version.hasPrefix("8.16")
    #expect(photo.facts.normalization.repairs == (isDecodedAsItIs ? [] : ["png-zlib-checksum"]))
    #expect(photo.blob.bytes == (try Self.blob("orientation-6.png")))
    let error = #expect(throws: PhotoError.self) {
      try Self.pipeline.prepare(.bytes(file(missing: data.count / 2), name: "half.png"))
    }
    guard case .incomplete(what: "png-rows", let percent?) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(percent < 99)
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var crc: UInt32 = .max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
    }
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~crc >> UInt32($0)) }
  }
}
