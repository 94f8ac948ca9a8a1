import Foundation
import SystemPackage
import Testing
import TestPictures
import TestStores

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

/// A HEIC original is deleted only if a second decoder shows what is stored.
@Suite struct HEICOriginalTests {
  private let folder: ImportFolder

  init() throws { folder = try ImportFolder() }

  @Test(
    "An original that libde265 decodes alike is deleted", arguments: ["simple.heic", "10-bit.heic"])
  func alike(_ image: String) async throws {
    let file = try folder.add(image, as: image)
    let (_, files) = try await folder.run(try folder.openCache()) {
      ($0.deletesSources, $0.deletesLossySources) = (true, true)
    }
    #expect(files.map(\.sourceKept) == [nil])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test(
    "An original that libheif can't combine with its alpha stays, because there is no second decoder"
  )
  func noOpinion() async throws {
    let file = try folder.add("alpha-half-size.heic", as: "half.heic")
    let (_, files) = try await folder.run(try folder.openCache()) { $0.deletesSources = true }
    #expect(files.map(\.sourceKept) == [.secondOpinion(differs: false)])
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test("An original whose damage FFmpeg conceals stays")
  func concealed() async throws {
    let whole = try folder.add("grain.heic", as: "grain.heic")
    let bytes = try Data(contentsOf: whole)
    for part in 50..<98 where part % 4 == 0 {
      var damaged = bytes
      damaged[bytes.count * part / 100] ^= 0x10
      try damaged.write(to: folder.photos.appending(path: "damaged-\(part).heic"))
    }
    let (_, files) = try await folder.run(try folder.openCache()) { $0.deletesSources = true }
    let kept = files.filter { $0.sourceKept == .secondOpinion(differs: true) }
    #expect(!kept.isEmpty, "\(files.map(\.word))")
    #expect(!FileManager.default.fileExists(atPath: whole.path))
    for file in kept { #expect(FileManager.default.fileExists(atPath: file.path.string)) }
  }
}
