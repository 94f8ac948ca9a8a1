import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

extension StoreRule {
  static let seals = [
    Self("A photo of which nothing more is known than has to be is sealed as everywhere") {
      try seal(
        of: plain, is: "952cb3837e08725fdc2c7eed9f18d7a38f85e5b28325b4a4daa744a926889ef8", in: $0,
        $1)
    },
    Self("A photo of which everything is known is sealed as everywhere") {
      try seal(
        of: full, is: "ef9f0fa1838b8021b7a6fb825338d5daae236921c832f5153f1d5aac326e3d7b", in: $0, $1
      )
    },
    Self("An entry of the library is sealed as everywhere") { place, found in
      let stores = try place.open()
      let photo = try stores.join(1, hash: .max, photo: try SealedRecord(plain))
      found.equal(
        try stores.catalog.librarySeal(photo: photo.id),
        "250fd55da0f5ff01a035b49bf436b3906e48d64138e6dfc1fee96e3fcf0f4cfb", "seal")
      try place.open().catalog.setPerceptualHash(1 << 63, photo: photo.uuid)
      found.equal(
        try stores.catalog.librarySeal(photo: photo.id),
        "5c1be51f5ca1dd2189d25eeb2151a863131d715e4432bdb1ed596ed9014c3882", "seal of another hash")
      found.equal(try stores.catalog.librarySeal(photo: "none"), nil, "seal of no entry")
      found.equal(try stores.catalog.damages(), [], "damages")
    },
    Self("Photos of every format come back as they were recorded, whoever opens the place") {
      place, found in
      let stores = try place.open()
      let formats = ImageFormat.allCases.filter(\.isStored)
      for blob in formats {
        for preview in formats {
          var photo = full
          photo.id = UUID()
          photo.assetIdentifier = blob == preview ? "another's name ż" : nil
          photo.blob = picture(.blob, "d", blob, 1)
          photo.preview = picture(.preview, "e", preview, .max)
          photo.facts.pixelWidth = photo.blob.pixelWidth
          photo.facts.pixelHeight = photo.blob.pixelHeight
          let record = try SealedRecord(photo)
          var decision = GroupDecision()
          decision.photos = [.init(record: record, perceptualHash: 0)]
          try stores.record(decision)
          try check(record, of: photo, in: place, found)
        }
      }
    },
  ]

  private static func seal(
    of photo: PhotoAttachmentMetadata, is seal: String, in place: StorePlace, _ found: Findings
  ) throws {
    let stores = try place.open()
    let record = try SealedRecord(photo)
    found.equal(record.text("seal"), seal, "seal before it is recorded")
    let ticket = try stores.catalog.begin(draft: "a", at: moment(0))
    let applied = try stores.catalog.confirm(record, draft: "a", ticket: ticket, at: moment(0)) {
      true
    }
    found.equal(applied?.machine, Machine(.confirmed(photo.id)), "a")
    try check(record, of: photo, in: place, found)
    let shown = try place.open().catalog.attachment(draft: "a")?.photo
    found.equal(shown?.text("seal"), seal, "seal on record")
  }

  private static func check(
    _ record: SealedRecord, of photo: PhotoAttachmentMetadata, in place: StorePlace,
    _ found: Findings
  ) throws {
    let stores = try place.open()
    let read = try found.present(stores.catalog.photo(id: record.id), "the photo")
    found.equal(read.fields, record.fields, "fields")
    found.expect(read.isSealed && read.isPossible, "not as it was written")
    let url = photo.cachedURL
    found.equal(try read.metadata { _ in url }, photo, "the photo that comes back")
  }

  private static func picture(
    _ kind: BlobPath.Kind, _ digit: Character, _ format: ImageFormat, _ number: Int
  ) -> StoredPicture {
    let digest = String(repeating: digit, count: 64)
    return StoredPicture(
      path: BlobPath(kind, sha256: digest, format: format)!.relativePath, format: format,
      sizeBytes: number, sha256: digest, pixelWidth: number, pixelHeight: number,
      frameCount: number)
  }

  private static let plain = PhotoAttachmentMetadata(
    id: UUID(uuidString: "00000000-0000-4000-8000-000000000001")!,
    facts: PhotoFacts(
      fileName: "", fileSizeBytes: 1, format: .png, pixelWidth: 1, pixelHeight: 1,
      source: SourceFacts(
        sha256: String(repeating: "a", count: 64), orientation: 1, frameCount: 1, hasAlpha: false,
        colorProfile: nil, capturedAt: nil, hasLocation: false),
      normalization: Normalization(method: .carriedOver)),
    assetIdentifier: nil, cachedURL: URL(fileURLWithPath: "/"), savedAt: Date(milliseconds: 0),
    blob: picture(.blob, "b", .png, 1), preview: picture(.preview, "c", .jpeg, 1))

  private static let full: PhotoAttachmentMetadata = {
    var form = PhotoForm(policy: PhotoPolicy(), libraries: ["libvips": "8.15.1"])
    (form.previewSide, form.jpegQuality, form.webpQuality) = (512, 85, 80)
    (form.losslessPixels, form.previewQuality, form.code) = (1000, 70, 7)
    var blob = picture(.blob, "d", .webp, 3)
    (blob.sizeBytes, blob.pixelWidth, blob.pixelHeight) = (123_456, 4032, 3024)
    var preview = picture(.preview, "e", .gif, 1)
    (preview.sizeBytes, preview.pixelWidth, preview.pixelHeight) = (77, 512, 384)
    var photo = PhotoAttachmentMetadata(
      id: UUID(uuidString: "00000000-0000-4000-8000-000000000002")!,
      facts: PhotoFacts(
        fileName: "Łatek 'n\" %_;--\\\n\u{202E}🐕e\u{301}", fileSizeBytes: .max,
        format: .heic, pixelWidth: 4032, pixelHeight: 3024,
        source: SourceFacts(
          sha256: String(repeating: "0123456789abcdef", count: 4), orientation: 8, frameCount: 3,
          hasAlpha: true, colorProfile: "Display P3 ż", capturedAt: "2026-05-01T12:00:00+02:00",
          hasLocation: true),
        normalization: Normalization(
          method: .reEncoded, reasons: [.orientation, .bitDepth],
          losses: ["depth-map", "ż\"/\\"], repairs: ["heif-multi-cdsc"],
          removed: [.init(kind: "exif", bytes: 2048), .init(kind: "location", bytes: 0)])),
      assetIdentifier: nil, cachedURL: URL(fileURLWithPath: "/"),
      savedAt: Date(milliseconds: -1), blob: blob, preview: preview)
    photo.facts.form = form
    return photo
  }()
}
