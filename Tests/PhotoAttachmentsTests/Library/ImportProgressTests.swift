import Foundation
import SystemPackage
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion

@Suite("The progress of an import as a sequence")
struct ImportProgressTests {
  private let folder: ImportFolder

  init() throws {
    folder = try ImportFolder()
    try folder.add("still.gif", as: "a.gif")
    try folder.add("still.gif", as: "b.gif")
    try folder.add("gps-exif.jpg", as: "c.jpg")
  }

  private func importer(_ cache: PhotoAttachmentCache) -> PhotoImporter {
    PhotoImporter(cache: cache, pipeline: PhotoPipeline(decoding: .inProcess))
  }

  @Test("Each input is in the order of the walk, with the totals up to it")
  func totals() async throws {
    var seen: [ImportProgress] = []
    let paths = [FilePath(folder.photos.path)]
    for try await progress in importer(try folder.openCache()).progress(importing: paths) {
      seen.append(progress)
    }
    #expect(seen.map { $0.file.path.lastComponent?.string } == ["a.gif", "b.gif", "c.jpg"])
    #expect(seen.map(\.totals.files) == [1, 2, 3] && seen.map(\.expectedFiles) == [3, 3, 3])
    #expect(seen.map(\.totals.duplicates) == [0, 1, 1] && seen.last?.totals.imported == 2)
  }

  @Test("A slow reader gets each input, although only a few are buffered")
  func slowReader() async throws {
    var seen: [String?] = []
    let cache = try folder.openCache()
    let stream = importer(cache)
      .progress(importing: [FilePath(folder.photos.path)], buffering: 1)
    while try await cache.photos().count < 2 { await Task.yield() }
    for try await progress in stream { seen.append(progress.file.path.lastComponent?.string) }
    #expect(seen == ["a.gif", "b.gif", "c.jpg"])
  }

  @Test("An error that ends the import ends the sequence")
  func failure() async throws {
    let cache = try folder.openCache()
    try await cache.close()
    await #expect(throws: StoreError.self) {
      for try await _ in importer(cache).progress(importing: [FilePath(folder.photos.path)]) {}
    }
  }
}
