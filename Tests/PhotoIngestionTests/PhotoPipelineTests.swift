import Foundation
import ImageContainers
import PhotoIngestion
import Testing
import TestPictures

@Suite("PhotoPipeline over TestImages")
struct PhotoPipelineTests {
  let pipeline = PhotoPipeline(decoding: .inProcess)

  @Test("There are enough pictures of every kind")
  func coverage() {
    #expect(TestImage.all.count >= 60)
    for format in ImageFormat.allCases {
      #expect(TestImage.accepted.contains { $0.format == format.rawValue })
    }
    for code in ["unsupported-format", "empty", "corrupt", "too-many-pixels", "too-large"] {
      #expect(TestImage.refused.contains { $0.code == code })
    }
  }

  @Test("inspect returns the facts in the manifest", arguments: TestImage.accepted)
  func inspect(_ image: TestImage) throws {
    let seen = try pipeline.inspect(image.source)
    #expect(seen.format.rawValue == image.format)
    #expect(seen.pixelWidth == image.width)
    #expect(seen.pixelHeight == image.height)
    if let width = image.storedWidth { #expect(seen.facts.storedWidth == width) }
    if let height = image.storedHeight { #expect(seen.facts.storedHeight == height) }
    if let orientation = image.orientation { #expect(seen.facts.orientation == orientation) }
    #expect(seen.facts.frameCount == image.frames ?? 1)
    #expect(seen.facts.hasAlpha == image.hasAlpha ?? false)
    if let depth = image.bitDepth { #expect(seen.facts.bitDepth == depth) }
    #expect(seen.colorProfile == image.colorProfile)
    #expect(seen.hasLocation == image.hasLocation ?? false)
    #expect(seen.capturedAt == image.capturedAt)
    #expect(seen.extensionMatches == image.extensionMatches ?? true)
    #expect(seen.plan.method.rawValue == image.method)
    #expect(Set(seen.plan.reasons.map(\.rawValue)) == Set(image.reasons ?? []))
    #expect(Set(seen.plan.losses) == Set(image.losses ?? []))
    #expect(Set(seen.plan.repairs) == Set(image.repairs ?? []))
  }

  @Test("prepare makes a clean upright blob and a preview", arguments: TestImage.accepted)
  func prepare(_ image: TestImage) throws {
    let photo = try pipeline.prepare(image.source)
    #expect(try pipeline.inspect(image.source).plan == photo.normalization)
    #expect(photo.blob.format.rawValue == image.blobFormat ?? image.format)
    #expect(photo.blob.pixelWidth == image.width)
    #expect(photo.blob.pixelHeight == image.height)
    #expect(photo.blob.frameCount == image.frames ?? 1)
    #expect(max(photo.preview.pixelWidth, photo.preview.pixelHeight) <= 320)

    let parsed = try ImageContainer.parse(photo.blob.bytes, as: photo.blob.format)
    #expect(parsed.parts.isEmpty)
    #expect(parsed.exif == nil)
    #expect(parsed.hasLocation == false)
    let marker = Data("PETSPOTMARKER".utf8)
    #expect(Data(photo.blob.bytes).range(of: marker) == nil)
    #expect(Data(photo.preview.bytes).range(of: marker) == nil)
  }

  @Test(
    "Marked pictures contain the marker before they are prepared",
    arguments: TestImage.all.filter { $0.marker == true }
  )
  func markerIsPlanted(_ image: TestImage) throws {
    // Compressed carriers hide the marker from a plain search, and their names show that they do.
    guard !image.file.contains("compressed") else { return }
    #expect(try Data(contentsOf: image.url).range(of: Data("PETSPOTMARKER".utf8)) != nil)
  }

  @Test(
    "Every origin of metadata is among the marked pictures",
    arguments: [
      ("everything.jpg", ["COM", "after EOI"] + (0...15).map { "APP\($0)" }),
      (
        "everything.png",
        ["tEXt", "zTXt", "iTXt", "iCCP", "eXIf", "peTs", "peTS", "tIME", "after IEND"]
      ),
      ("everything.webp", ["EXIF", "XMP ", "ICCP", "after RIFF"]),
      (
        "everything.gif",
        ["comment", "plain text", "XMP DataXMP", "PETSPOTMARK", "after trailer"]
      ),
      (
        "everything.heic",
        [
          "Exif item", "mime item", "uri  item", "udes property", "uuid box", "free box",
          "udta box", "pets box",
        ]
      ), ("trailing.heic", ["end"]), ("second-picture.jpg", ["after EOI"]),
    ])
  func carriers(_ file: String, _ expected: [String]) throws {
    let image = try #require(TestImage.all.first { $0.file == file && $0.marker == true })
    let carriers = Set(try pipeline.inspect(image.source).facts.parts.map(\.origin))
    #expect(carriers.isSuperset(of: expected), "\(carriers.sorted())")
  }

  @Test(
    "The four corners are where a person sees them",
    arguments: TestImage.accepted.filter { $0.quadrants == true })
  func corners(_ image: TestImage) throws {
    let photo = try pipeline.prepare(image.source)
    for picture in [photo.blob, photo.preview] {
      let raster = try PictureRaster.decode(
        picture.bytes, format: picture.format, side: 64, decoding: .inProcess)
      let (right, bottom) = (raster.width - 4, raster.height - 4)
      #expect(raster.nearest(3, 3) == "red")
      #expect(raster.nearest(right, 3) == "lime")
      #expect(raster.nearest(3, bottom) == "blue")
      #expect(raster.nearest(right, bottom) == "yellow")
    }
  }

  @Test("The preview of an APNG is the first frame that browsers show")
  func firstFrameOfAnAPNG() throws {
    func preview(of file: String) throws -> PictureRaster {
      let image = try #require(TestImage.all.first { $0.file == file })
      let preview = try pipeline.prepare(image.source).preview
      return try PictureRaster.decode(
        preview.bytes, format: preview.format, side: 64, decoding: .inProcess)
    }
    let whole = try preview(of: "one-frame-apart.png")
    #expect(whole.nearest(3, 3) == "red" && whole.nearest(60, 44) == "yellow")
    // The frame has 32 by 24 pixels at 20, 10 on a canvas of 64 by 48.
    let placed = try preview(of: "animated-apart.png")
    #expect((placed.width, placed.height) == (64, 48))
    #expect(placed.nearest(25, 14) == "red" && placed.nearest(47, 14) == "lime")
    #expect(placed.nearest(25, 30) == "blue" && placed.nearest(47, 30) == "yellow")
  }

  @Test(
    "Pictures stored as WebP decode in pieces, as browsers require",
    arguments: TestImage.accepted.filter { $0.blobFormat == "webp" })
  func incremental(_ image: TestImage) throws {
    let prepared = try pipeline.prepare(image.source)
    let forms = SizeForm.all(width: prepared.blob.pixelWidth, height: prepared.blob.pixelHeight)
    let sizes = try forms.map { try pipeline.size($0, of: prepared.blob) }
    for picture in [prepared.blob, prepared.preview] + sizes where picture.format == .webp {
      #expect(IncrementalWebP.firstRefusedFrame(of: picture.bytes) == nil)
      #expect(IncrementalWebP.firstRefusedFrame(of: picture.bytes, inPiecesOf: 7) == nil)
    }
  }

  @Test("A lossy WebP that is re-encoded to remove hidden data shows the same pixels")
  func codedAnewWithoutLoss() throws {
    let image = try #require(TestImage.all.first { $0.file == "clamped-lossy.webp" })
    let blob = try pipeline.prepare(image.source).blob
    let original = [UInt8](try Data(contentsOf: image.url))
    #expect(
      try pipeline.pixelDigest(of: blob.bytes, as: .webp)
        == pipeline.pixelDigest(of: original, as: .webp))
  }

  @Test("Same input, same policy, same bytes", arguments: TestImage.accepted)
  func determinism(_ image: TestImage) throws {
    let first = try pipeline.prepare(image.source)
    let second = try pipeline.prepare(image.source)
    #expect(first == second)
  }

  @Test("A blob is carried over when it is attached again", arguments: TestImage.accepted)
  func idempotence(_ image: TestImage) throws {
    let photo = try pipeline.prepare(image.source)
    let again = try pipeline.prepare(.bytes(photo.blob.bytes, name: "again"))
    #expect(again.normalization.method == .carriedOver)
    #expect(again.normalization.removed.isEmpty)
    #expect(again.blob.sha256 == photo.blob.sha256)
  }

  @Test("Refusals have the right code", arguments: TestImage.refused)
  func refuse(_ image: TestImage) {
    let error = #expect(throws: PhotoError.self) { try pipeline.prepare(image.source) }
    #expect(error?.code == image.code)
  }
}

extension PictureRaster {
  /// Returns the name of the corner color that is nearest to a pixel.
  func nearest(_ x: Int, _ y: Int) -> String {
    let start = (y * width + x) * 3
    let pixel = rgb[start..<start + 3].map(Int.init)
    let colors = [
      "red": [255, 0, 0], "lime": [0, 255, 0], "blue": [0, 0, 255], "yellow": [255, 255, 0],
    ]
    func distance(_ color: [Int]) -> Int {
      zip(color, pixel).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    return colors.min { distance($0.value) < distance($1.value) }!.key
  }
}
