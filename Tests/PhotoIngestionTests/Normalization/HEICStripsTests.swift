import Foundation
import ImageContainers
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite("HEIC in strips")
struct HEICStripsTests {
  private static let opaque = TestImage.accepted.filter {
    $0.format == "heic" && $0.hasAlpha != true
  }

  private static func parsed(_ image: TestImage) throws -> ParsedPhoto {
    try VipsRuntime.start(threads: 1)
    let received = try Receiver.receive(image.source, limit: 1 << 20)
    return try PhotoPipeline.planned(received, policy: .init())
  }

  @Test(
    "Blob and preview equal those from a canvas, with one thread or several",
    arguments: opaque)
  func sameAsCanvas(_ image: TestImage) throws {
    let photo = try Self.parsed(image)
    for threads in [1, 3] {
      var policy = PhotoPolicy()
      policy.threadsPerPhoto = threads
      let streams = try HEICContainer.streams(in: photo.clean)
      let product = try streams.flatMap {
        try PictureDecoder.encodedInStrips(
          $0, in: photo.clean, facts: photo.facts, plan: photo.plan, policy: policy
        ) { _ in }
      }
      // An overlay requires a canvas, and so does a profile with tables.
      guard let (blob, preview) = product else {
        return #expect(photo.facts.layerPixels > 0 || image.file == "tables.heic")
      }
      let picture = try #require(
        try streams.flatMap {
          try StreamedPicture(
            $0, in: photo.clean, facts: photo.facts, source: photo.plan.colors, policy: policy)
        })
      try picture.reading { upright in
        let expected = try upright.encoded(
          as: .jpeg, quality: policy.jpegQuality, subsampled: photo.facts.chromaSubsampled)
        let isSame = try Verifier.clean(blob, as: .jpeg) == Verifier.clean(expected, as: .jpeg)
        #expect(isSame)
        let small = try upright.shrunkReadingAll(side: policy.previewSide)
        let isSamePreview =
          try PictureDecoder.preview(of: small, policy: policy).bytes == preview.bytes
        #expect(isSamePreview)
      }
    }
  }

  @Test(
    "Chroma of half resolution stays halved, and other chroma stays full (decision 39)",
    arguments: opaque)
  func chroma(_ image: TestImage) throws {
    let blob = try PhotoPipeline(decoding: .inProcess).prepare(image.source).blob
    let whole = ["8-bit-422", "8-bit-444", "10-bit-422", "10-bit-444", "luma-alone"]
    let isOverlay = image.file.hasPrefix("overlay")
    // Matrix 0 has no chroma.
    let isRGB = image.file.hasPrefix("rgb-")
    #expect(
      try ImageContainer.parse(blob.bytes, as: .jpeg).chromaSubsampled
        == !(isOverlay || isRGB || whole.contains { image.file == $0 + ".heic" }))
  }

  @Test("A worker reports stage 4 once, regardless of the number of strips")
  func stages() throws {
    let image = try #require(TestImage.accepted.first { $0.file == "tall-grid.heic" })
    let pool = DecoderPool(executable: Petspot.path, spares: 0)
    #expect(
      try PhotoPipeline(decoding: .sandboxed(pool)).prepare(image.source)
        == PhotoPipeline(decoding: .inProcess).prepare(image.source))
  }
}
