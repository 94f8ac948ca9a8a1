import Foundation
import GRDB
import SystemPackage
import Testing
import TestPictures

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

/// Tests of photos that were made in another form than today's, with other qualities, decoders or code.
@Suite struct FormTests {
  let folder: ImportFolder
  let cache: PhotoAttachmentCache
  /// A photo that has to be re-encoded.
  let turned: URL

  init() throws {
    folder = try ImportFolder()
    cache = try folder.openCache()
    turned = try folder.add("portrait-phone.heic", as: "a.heic")
  }

  private static let lowQuality: PhotoPolicy = {
    var policy = PhotoPolicy()
    (policy.jpegQuality, policy.previewQuality, policy.previewSide) = (70, 50, 200)
    return policy
  }()

  private func prepared(_ file: URL, _ policy: PhotoPolicy) throws -> PreparedPhoto {
    try PhotoPipeline(policy: policy, decoding: .inProcess).prepare(.file(path: file.path))
  }

  private func remove(_ picture: StoredPicture) throws {
    try FileManager.default.removeItem(atPath: cache.folder.path + "/" + picture.path)
  }

  private func files() async throws -> Set<String> {
    var found: Set<String> = []
    for photo in try await cache.photos() {
      found.formUnion([photo.blob.path, photo.preview.path])
    }
    return found
  }

  private func stored() throws -> Set<String> {
    var found: Set<String> = []
    for kind in ["blobs", "previews"] {
      for shard in try cache.folder.entries(of: kind) {
        found.formUnion(
          try cache.folder.entries(of: "\(kind)/\(shard)").map { "\(kind)/\(shard)/\($0)" })
      }
    }
    return found
  }

  private func repair() async throws -> [VerifyReport.Repair?] {
    let photos = FilePath(folder.photos.path)
    return try await cache.verifyTelling(all: true) {
      ($0.repairs, $0.sources) = (true, [photos])
    }.findings.map(\.repair)
  }

  @Test func theFormIsOnRecord() async throws {
    let saved = try await cache.save(draft: "a") { [turned] () throws(PhotoError) in
      try PhotoPipeline(policy: Self.lowQuality, decoding: .inProcess).prepare(
        .file(path: turned.path))
    }
    let form = try #require(try await cache.photo(id: saved.id)?.form)
    #expect(form.jpegQuality == 70 && form.previewSide == 200 && form.code > 0)
    #expect(form.libraries["libvips"]?.isEmpty == false)
    #expect(form.libraries["libheif"]?.isEmpty == false)
    #expect(try PhotoForm(text: #require(form.text)) == form)
  }

  @Test("An altered form is detected and repaired", arguments: ["NULL", "'{}'", "'x'"])
  func alteredForm(_ value: String) async throws {
    for policy in [PhotoPolicy(), Self.lowQuality] {
      let photo = try prepared(turned, policy)
      let saved = try await cache.save(draft: "a") { photo }
      try cache.sqlite.writeRaw { try $0.execute(sql: "UPDATE photo SET form = \(value)") }
      #expect(try await cache.verify().damaged == 1)
      let repairs = try await repair()
      // An altered quality is lost, so the photo is made again in today's form.
      let isToday = policy == PhotoPolicy()
      #expect(repairs == [.done(isToday ? .source : .sealed)])
      #expect(try await cache.load(draft: "a")?.id == saved.id)
      if isToday { #expect(try await cache.load(draft: "a") == saved.photo) }
      #expect(try await cache.verify(all: true).isClean)
    }
  }

  @Test func whatAWorkerSaysOfLibrariesIsBounded() {
    let form = PhotoForm(
      policy: .init(),
      libraries: [
        "libvips": "8.14.1", "libheif": "1.0\n", "libwebp": String(repeating: "1", count: 99),
        "other": "1",
      ])
    #expect(form.libraries == ["libvips": "8.14.1"])
  }

  @Test func afterAChangeOfQualityTheSameBytesComeBack() async throws {
    let photo = try prepared(turned, Self.lowQuality)
    let saved = try await cache.save(draft: "a") { photo }
    for picture in [saved.blob, saved.preview] { try remove(picture) }
    #expect(try await repair().allSatisfy { $0 == .done(.source) })
    #expect(try await cache.load(draft: "a") == saved.photo)
    #expect(try await cache.bytes(of: saved.preview) == photo.preview.bytes)
    #expect(try await cache.verify(all: true).isClean)
  }

  @Test(
    "If decoders have changed, the original gives another blob, and records follow",
    arguments: [true, false])
  func remade(isFormKnown: Bool) async throws {
    // The output of older decoders, recorded with today's form.
    var photo = try prepared(turned, Self.lowQuality)
    let today = try prepared(turned, .init())
    photo.facts.form = isFormKnown ? today.form : nil
    let drafts = ["a", "b"]
    var old: [PhotoAttachmentMetadata] = []
    for draft in drafts {
      old.append(try await cache.save(draft: draft) { [photo] in photo }.photo)
    }
    try remove(old[0].blob)
    _ = try await cache.verify()
    for draft in drafts { #expect(try await cache.status(draft: draft) == .empty) }
    #expect(try await repair().contains(.done(.remade)))
    for (draft, before) in zip(drafts, old) {
      let mended = try #require(try await cache.load(draft: draft))
      #expect(mended.id == before.id && mended.source == before.source)
      #expect(try await cache.bytes(of: mended.blob) == today.blob.bytes)
      #expect(mended.form == today.form)
    }
    #expect(try await stored() == files())
    #expect(try await cache.verify(all: true) == VerifyReport(checked: 2))
  }

  /// Saves a blob as an older version may have stored it.
  private func saveDirty() async throws -> (PhotoAttachmentMetadata, PreparedPhoto) {
    let file = TestImage.folder.appending(path: "gps-exif.jpg")
    let clean = try prepared(file, .init())
    var dirty = clean
    dirty.facts.form = nil
    dirty.blob.bytes = Array(try Data(contentsOf: file))
    dirty.blob.sha256 = sha256(of: dirty.blob.bytes)
    let saved = try await cache.save(draft: "a") { [dirty] in dirty }
    try await cache.save(draft: "b") { [dirty] in dirty }
    let told = try await cache.verifyTelling()
    #expect(told.findings.map(\.problem) == [.metadata, .metadata])
    return (saved.photo, clean)
  }

  @Test("A blob that holds more than the picture is made again", arguments: [true, false])
  func cleaned(hasOriginal: Bool) async throws {
    let (saved, clean) = try await saveDirty()
    if hasOriginal { try folder.add("gps-exif.jpg", as: "rex.jpg") }
    #expect(try await repair().first == .done(hasOriginal ? .remade : .cleaned))
    let mended = try #require(try await cache.load(draft: "a"))
    #expect(mended.id == saved.id && mended.blob != saved.blob)
    #expect(try await cache.bytes(of: mended.blob) == clean.blob.bytes)
    // The old file, which contained more than the picture, is gone.
    #expect(try await stored() == files())
    #expect(try await cache.canContinue(draft: "b"))
    #expect(try await cache.verify(all: true) == VerifyReport(checked: 2))
  }

  /// Saves a photo of one lossy macroblock. Its blob is one that older versions stored with the shortest first
  /// partition, which browsers don't show.
  private func saveShort() async throws -> (PhotoAttachmentMetadata, PreparedPhoto) {
    let whole = try prepared(TestImage.folder.appending(path: "tiny-lossy.webp"), .init())
    var short = whole
    let stored = "UklGRiIAAABXRUJQVlA4IBUAAADwAACdASoQABAAAAAoAAANwP7nGgAA"
    short.blob.bytes = [UInt8](try #require(Data(base64Encoded: stored)))
    short.blob.sha256 = sha256(of: short.blob.bytes)
    return (try await cache.save(draft: "a") { [short] in short }.photo, whole)
  }

  @Test("A WebP that only some decoders show is made again", arguments: [true, false])
  func mended(hasOriginal: Bool) async throws {
    let (saved, whole) = try await saveShort()
    #expect(IncrementalWebP.firstRefusedFrame(of: try await cache.bytes(of: saved.blob)) == 0)
    #expect(try await cache.verifyTelling().findings.map(\.problem) == [.structure])
    if hasOriginal { try folder.add("tiny-lossy.webp", as: "rex.webp") }
    #expect(try await repair().first == .done(hasOriginal ? .remade : .cleaned))
    let mended = try #require(try await cache.load(draft: "a"))
    #expect(mended.id == saved.id && mended.blob != saved.blob)
    #expect(try await cache.bytes(of: mended.blob) == whole.blob.bytes)
    #expect(try await cache.verify(all: true) == VerifyReport(checked: 1))
  }

  @Test func anImportInAnotherFormMendsWhatHasLostItsBlob() async throws {
    #expect(try await folder.run(cache, policy: Self.lowQuality).summary.imported == 1)
    let old = try #require(try await cache.photos().first)
    try remove(old.blob)
    #expect(try await folder.run(cache).files.map(\.word) == ["duplicate-bytes"])
    let new = try #require(try await cache.photos().first)
    #expect(new.id == old.id && new.blob != old.blob)
    #expect(try await cache.bytes(of: new.blob).count == new.blob.sizeBytes)
    #expect(try await cache.verify(all: true).isClean)
  }

  @Test func twinsAreFoundAcrossForms() async throws {
    try FileManager.default.removeItem(at: turned)
    try folder.add(Data(EncodedPicture.png(0x336699).bytes), as: "1.png")
    var policy = PhotoPolicy()
    policy.previewQuality = 30
    #expect(try await folder.run(cache, policy: policy).summary.imported == 1)
    try folder.add(Data(EncodedPicture.png(0x336699, apart: true).bytes), as: "2.png")
    #expect(try await folder.run(cache).files.map(\.word) == ["unchanged", "duplicate-pixels"])
  }
}
