import Foundation
import ImageContainers
import PhotoAttachments
import Testing

@Suite("JPEGs whose codes cannot be followed")
struct CodingAnewTests {
  private static func file(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: TestImage.folder.appending(path: name)))
  }

  private static func prepare(_ bytes: [UInt8]) throws -> PreparedPhoto {
    try PhotoPipeline().prepare(.bytes(bytes, name: "photo.jpg"))
  }

  @Test("A progressive JPEG without its last scan is coded anew, not carried over")
  func incomplete() throws {
    let whole = try Self.file("progressive.jpg")
    let last = try #require(
      whole.indices.dropLast().last { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA })
    let photo = try Self.prepare(Array(whole[..<last]) + [0xFF, 0xD9])
    #expect(photo.normalization.method == .reEncoded)
    #expect(photo.normalization.reasons == [.coding])
  }

  @Test("A restart marker out of order is coded anew, and what stands behind it is gone")
  func restartMarkers() throws {
    var bytes = try Self.file("restart-interval.jpg")
    let marker = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD1 })
    bytes[marker + 1] = 0xD2
    bytes.insert(contentsOf: Array("PETSPOTMARKER".utf8), at: bytes.count - 2)
    let photo = try Self.prepare(bytes)
    #expect(photo.normalization.method == .reEncoded)
    #expect(photo.normalization.reasons == [.coding])
    #expect(Data(photo.blob.bytes).range(of: Data("PETSPOTMARKER".utf8)) == nil)
  }

  @Test(
    "What can be followed is carried over, whatever hid in it",
    arguments: [
      "progressive.jpg", "hidden-in-tables.jpg", "hidden-in-codes.jpg", "hidden-behind-restart.jpg",
      "hidden-between-scans.jpg", "height-lowered.jpg", "height-lowered-in-unit.jpg",
    ])
  func carriedOver(_ name: String) throws {
    let photo = try Self.prepare(Self.file(name))
    #expect(photo.normalization.method == .carriedOver)
    #expect(Data(photo.blob.bytes).range(of: Data("PETSPOTMARKER".utf8)) == nil)
    #expect(try JPEGContainer.read(photo.blob.bytes)?.file == photo.blob.bytes)
  }
}
