import Announcements
import Foundation
import PhotoModel
import Testing

/// Uses values as an app does: without C libraries and without `package` declarations.
@Suite("Values that an app shares")
struct SharedValuesTests {
  @Test("A photo's status can be encoded and decoded")
  func status() throws {
    let picture = """
      {"path":"blobs/ab/c.jpg","format":"jpeg","sizeBytes":90,"sha256":"ab","pixelWidth":4,
       "pixelHeight":3,"frameCount":1}
      """
    let kept = """
      {"confirmed":{"metadata":{
        "id":"6F1D2B0A-7C57-4C36-9D28-1F0C8E1E2A11","cachedURL":"file:///cache/blobs/ab/c.jpg",
        "savedAt":0,"blob":\(picture),"preview":\(picture),
        "facts":{"fileName":"rex.heic","fileSizeBytes":100,"format":"heic","pixelWidth":4,
          "pixelHeight":3,
          "source":{"sha256":"cd","orientation":1,"frameCount":1,"hasAlpha":false,
            "hasLocation":true},
          "normalization":{"method":"re-encoded","reasons":["format"],"losses":[],"repairs":[],
            "removed":[{"kind":"location","bytes":0}]}}}}}
      """
    let status = try JSONDecoder().decode(PhotoAttachmentStatus.self, from: Data(kept.utf8))
    guard case .confirmed(let photo) = status else {
      Issue.record("\(status)")
      return
    }
    #expect(photo.uti == "public.heic")
    #expect(photo.fileName == "rex.heic")
    #expect(photo.normalization.reasons == [.format])
    for status in [status, .empty, .loading] { #expect(try Self.again(status) == status) }
  }

  @Test("Errors can be encoded and decoded")
  func errors() throws {
    for error in [
      StoreError.photo(.incomplete(what: "jpeg-eoi", percentShown: 40)), .missingPhoto,
      .database(.damaged, detail: "photo"), .busy(seconds: 3),
    ] {
      #expect(try Self.again(error) == error)
    }
    for error in [
      AnnouncementError.invalid(["breed"]), .throttled(until: Date(timeIntervalSince1970: 60)),
      .takenDown(id: "7", reason: nil),
    ] {
      #expect(try Self.again(error) == error)
    }
  }

  private static func again<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }
}
