import ImageContainers
import PhotoIngestion
import TestPictures
import Testing

@testable import PhotoIngestion

@Suite("Sizes of a blob")
struct SizesTests {
  let pipeline = PhotoPipeline(decoding: .inProcess)

  @Test(
    "Each size has the dimensions of the ladder, and contains only a picture",
    arguments: TestImage.accepted)
  func all(_ image: TestImage) throws {
    let blob = try pipeline.prepare(image.source).blob
    for form in SizeForm.all(width: blob.pixelWidth, height: blob.pixelHeight) {
      let picture = try pipeline.size(form, of: blob)
      #expect(picture.format == form.format && picture.frameCount == 1)
      let facts = try ImageContainer.parse(picture.bytes, as: form.format)
      #expect((facts.storedWidth, facts.storedHeight) == (form.size.width, form.size.height))
      #expect(facts.parts.isEmpty && facts.orientation == 1)
      #expect(form.format == .webp || !facts.hasAlpha)
    }
  }

  @Test("A turned photo is upright in all sizes", arguments: 1...8)
  func upright(_ orientation: Int) throws {
    let image = try #require(
      TestImage.accepted.first { $0.quadrants == true && $0.orientation == orientation })
    let blob = try pipeline.prepare(image.source).blob
    for form in SizeForm.all(width: blob.pixelWidth, height: blob.pixelHeight) {
      let picture = try pipeline.size(form, of: blob)
      let (own, other) = (
        try PictureRaster.decode(
          picture.bytes, format: form.format, side: 64, decoding: .inProcess),
        try PictureRaster.decode(blob.bytes, format: blob.format, side: 64, decoding: .inProcess)
      )
      #expect((own.width, own.height) == (other.width, other.height))
      let difference = zip(own.rgb, other.rgb).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      #expect(difference < 6 * own.rgb.count)
    }
  }

  @Test(
    "A size that the JPEG decoder shrinks looks like one made from all pixels",
    arguments: PhotoSize.formats)
  func shrunkByDecoder(_ format: ImageFormat) throws {
    let image = try #require(TestImage.accepted.first { $0.file == "large.jpg" })
    let blob = try pipeline.prepare(image.source).blob
    #expect(3 * 640 <= blob.pixelWidth)
    try expectAsOfAllPixels(blob, format, within: 2)
  }

  @Test(
    "The planes of a JPEG are scaled like its pixels",
    arguments: TestImage.accepted.filter { $0.file.hasSuffix(".jpg") })
  func planes(_ image: TestImage) throws {
    // The size made from pixels has all their colors; the one made from planes has half as many in both directions.
    let blob = try pipeline.prepare(image.source).blob
    for format in PhotoSize.formats { try expectAsOfAllPixels(blob, format, within: 6) }
  }

  /// Expects all sizes to look like those made from the same pixels as a PNG.
  private func expectAsOfAllPixels(
    _ blob: EncodedPicture, _ format: ImageFormat, within most: Int
  ) throws {
    guard blob.format == .jpeg else { return }
    let png = try VipsPicture.reading(blob.bytes, as: .jpeg) {
      try $0.encoded(as: .png, quality: 0)
    }
    for size in PhotoSize.ladder(width: blob.pixelWidth, height: blob.pixelHeight) {
      let form = SizeForm(size, format)
      func raster(_ bytes: [UInt8], _ blobFormat: ImageFormat) throws -> [UInt8] {
        let made = try PictureDecoder.size(
          form, of: bytes, as: blobFormat, width: blob.pixelWidth, height: blob.pixelHeight,
          policy: pipeline.policy)
        return try PictureRaster.decode(
          made, format: format, side: size.maxSide, decoding: .inProcess
        ).rgb
      }
      let (own, whole) = (try raster(blob.bytes, .jpeg), try raster(png, .png))
      let difference = zip(own, whole).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      #expect(own.count == whole.count && difference < most * own.count, "\(size)")
    }
  }

  @Test("A worker returns the same bytes as this process")
  func inWorker() throws {
    let workers = PhotoPipeline(
      decoding: .sandboxed(
        DecoderPool(executable: Petspot.path, trust: .owner(photosPerWorker: 100))))
    for name in [
      "portrait-phone.heic", "alpha.png", "animated.gif", "animated-apart.png", "cmyk-adobe.jpg",
    ] {
      let image = try #require(TestImage.accepted.first { $0.file == name })
      let blob = try pipeline.prepare(image.source).blob
      for form in SizeForm.all(width: blob.pixelWidth, height: blob.pixelHeight) {
        #expect(try workers.size(form, of: blob) == pipeline.size(form, of: blob))
      }
    }
  }

  @Test("A blob that can't be decoded is refused")
  func damaged() throws {
    let image = try #require(TestImage.accepted.first { $0.file == "portrait-phone.heic" })
    var blob = try pipeline.prepare(image.source).blob
    blob.bytes.removeLast(blob.bytes.count / 2)
    let forms = SizeForm.all(width: blob.pixelWidth, height: blob.pixelHeight)
    #expect(throws: PhotoError.self) { try pipeline.size(forms[0], of: blob) }
    // The picture differs from its record.
    blob = try pipeline.prepare(image.source).blob
    blob.pixelWidth -= 1
    #expect(throws: PhotoError.fault(.size)) { try pipeline.size(forms[0], of: blob) }
  }
}
