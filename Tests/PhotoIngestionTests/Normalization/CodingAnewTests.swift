import Foundation
import ImageContainers
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("Data that has to be re-encoded")
struct CodingAnewTests {
  private static func file(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: TestImage.folder.appending(path: name)))
  }

  /// Prepares a photo as `attach` does, and expects `inspect` to plan the same.
  private static func prepare(_ bytes: [UInt8]) throws -> PreparedPhoto {
    let source = PhotoSource.bytes(bytes, name: "photo")
    let photo = try PhotoPipeline(decoding: .inProcess).prepare(source)
    let inspection = try PhotoPipeline(decoding: .inProcess).inspect(source)
    #expect(inspection.plan == photo.normalization)
    #expect(inspection.blobFormat == photo.blob.format)
    return photo
  }

  @Test("A WebP that requests scaling, which decoders ignore, is carried over without the request")
  func scaling() throws {
    var bytes = try Self.file("lossy.webp")
    let start = try #require(
      bytes.indices.dropLast(2).first { Array(bytes[$0..<$0 + 3]) == [0x9D, 0x01, 0x2A] })
    bytes[start + 4] |= 0x40
    let photo = try Self.prepare(bytes)
    #expect(photo.normalization.method == .carriedOver)
    #expect(photo.blob.bytes != bytes)
  }

  @Test("A WebP with text in an alpha that no decoder reads is re-encoded, as planned")
  func textInAlpha() throws {
    var bits: [Int] = []
    func put(_ value: Int, _ count: Int) { bits += (0..<count).map { value >> $0 & 1 } }
    put(0x2F, 8)
    // 8 x 8 pixels with unannounced alpha, without transforms or cache, in one group of codes.
    put(7 | 7 << 14, 32)
    put(0, 3)
    // Simple codes of the symbol 0, except for alpha, which has 0 and 255.
    for count in [1, 1, 1, 2, 1] {
      put(1 | (count - 1) << 1 | 1 << 2, 3)
      for symbol in [0, 255].prefix(count) { put(symbol, 8) }
    }
    for byte in "a secret".utf8 { put(Int(byte), 8) }
    put(0, -bits.count & 7)
    let data = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reversed().reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
    }
    let chunk =
      Array("WEBPVP8L".utf8) + [UInt8(data.count), 0, 0, 0] + data
      + (data.count.isMultiple(of: 2) ? [] : [0])
    let photo = try Self.prepare(Array("RIFF".utf8) + [UInt8(chunk.count), 0, 0, 0] + chunk)
    #expect(photo.normalization.method == .reEncoded)
    #expect(photo.normalization.reasons == [.coding])
  }

  @Test("A progressive JPEG without its last scan is re-encoded, not carried over")
  func incomplete() throws {
    let whole = try Self.file("progressive.jpg")
    let last = try #require(
      whole.indices.dropLast().last { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA })
    let photo = try Self.prepare(Array(whole[..<last]) + [0xFF, 0xD9])
    #expect(photo.normalization.method == .reEncoded)
    #expect(photo.normalization.reasons == [.coding])
  }

  @Test(
    "Data that only a decoder can follow is re-encoded, unless the picture lacks pixels",
    arguments: ["turned-cut-unit.jpg", "arithmetic.jpg", "display-p3.jpg"])
  func damagedIsNotCodedAnew(_ name: String) throws {
    var bytes = try Self.file(name)
    #expect(try Self.prepare(bytes).normalization.method == .reEncoded)
    bytes.removeSubrange(bytes.count - 120..<bytes.count - 2)
    let error = #expect(throws: PhotoError.self) { try Self.prepare(bytes) }
    guard case .incomplete = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "Data that can be followed is carried over, without anything hidden in it",
    arguments: [
      "progressive.jpg", "hidden-in-tables.jpg", "hidden-in-codes.jpg", "filled-up.jpg",
      "trailer-for-eoi.jpg", "height-lowered-in-unit.jpg",
    ])
  func carriedOver(_ name: String) throws {
    let photo = try Self.prepare(Self.file(name))
    #expect(photo.normalization.method == .carriedOver)
    #expect(Data(photo.blob.bytes).range(of: Data("PETSPOTMARKER".utf8)) == nil)
    #expect(throws: Never.self) { try ContainerProof.verify(photo.blob.bytes, as: .jpeg) }
  }

  @Test(
    "A PNG with data beside its pixels is re-encoded without that data, and no pixel changes",
    arguments: [
      "below-last-row.png", "behind-zlib.png", "behind-zlib-apart.png", "unused-palette.png",
      "no-adler.png",
    ])
  func hidingPNG(_ name: String) throws {
    let bytes = try Self.file(name)
    let photo = try Self.prepare(bytes)
    #expect(photo.normalization.method == .reEncoded)
    #expect(photo.normalization.reasons == [.coding])
    #expect(photo.normalization.losses.isEmpty)
    #expect(Data(photo.blob.bytes).range(of: Data("PETSPOTMARKER".utf8)) == nil)
    let (_, clean) = try ImageContainer.parseAndClean(bytes, as: .png)
    #expect(
      try PictureDecoder.pixelDigest(of: photo.blob.bytes, as: .png)
        == PictureDecoder.pixelDigest(of: clean, as: .png))
  }

  @Test("An APNG with hidden data is re-encoded frame by frame")
  func hidingAPNG() throws {
    let bytes = try Self.file("behind-zlib-animated.png")
    let photo = try Self.prepare(bytes)
    #expect(photo.normalization.reasons == [.coding])
    #expect(photo.normalization.losses.isEmpty)
    #expect(Data(photo.blob.bytes).range(of: Data("PETSPOTMARKER".utf8)) == nil)
    let before = try PNGContainer.frames(of: bytes)
    let after = try PNGContainer.frames(of: photo.blob.bytes)
    #expect(after.count == before.count)
    for (one, other) in zip(before, after) {
      #expect(
        try PictureDecoder.pixelDigest(of: one, as: .png)
          == PictureDecoder.pixelDigest(of: other, as: .png))
    }
  }

  /// At some qualities, libwebp leaves more codes beside a sharp edge than the proof accepts as empty.
  @Test("The preview of a picture with a sharp edge of alpha passes", arguments: [45, 55, 63, 80])
  func sharpEdge(quality: Int) throws {
    try VipsRuntime.start(threads: 1)
    let side = 320
    let pixels = (0..<side * side).flatMap { index -> [UInt8] in
      let (x, y) = (index % side, index / side)
      guard x < side / 2 else { return [0, 0, 0, 0] }
      let wave = UInt8(127 + 60 * sin(Double(x) / 2 + Double(y) / 5.4))
      return [wave, UInt8(x * 255 / side), (x / 8 + y / 8).isMultiple(of: 2) ? 0 : 200, 255]
    }
    var policy = PhotoPolicy()
    policy.previewQuality = quality
    let preview = try PictureDecoder.preview(
      of: SmallPicture(pixels: pixels, width: side, height: side, bands: 4), policy: policy)
    _ = try Verifier.verify(preview: preview.bytes, format: preview.format, side: side)
  }

  @Test(
    "A large lossy WebP with a hidden picture is re-encoded with loss, and the hidden picture is gone"
  )
  func largeHidden() throws {
    var policy = PhotoPolicy()
    policy.losslessPixels = 0
    let bytes = try Self.file("hidden-lossy.webp")
    let photo = try PhotoPipeline(policy: policy, decoding: .inProcess).prepare(
      .bytes(bytes, name: "photo"))
    #expect(photo.normalization.method == .reEncoded)
    let (before, after) = (Data(bytes), Data(photo.blob.bytes))
    #expect(after.range(of: Data("VP8 ".utf8)) != nil)
    #expect(after.range(of: before.suffix(400).prefix(50)) == nil)
    #expect(after.count < before.count / 2)
  }
}
