import Foundation
import Hummingbird
import HummingbirdTesting
import PhotoAttachments
import PhotoStoreSQLite
import Testing

@testable import Shelter

@Test func aPhotoIsKeptShownAndDeleted() async throws {
  let cache = try await PhotoAttachmentCache.temporary()
  let photos = Photos(cache: cache)
  let application = Application(router: photos.router)
  let rex = try Data(contentsOf: URL(filePath: "rex.heic"))
  let pet = "/pets/\(UUID())"
  try await application.test(.router) { client in
    try await client.execute(
      uri: pet + "/photo", method: .put,
      body: ByteBuffer(bytes: rex)
    ) { #expect($0.status == .seeOther) }
    try await client.execute(uri: pet, method: .get) {
      #expect(String(buffer: $0.body).contains("<img"))
    }
    try await client.execute(uri: pet + "/photo", method: .get) {
      #expect($0.headers[.contentType] == "image/jpeg")
    }
    // A year later it is still there.
    let year: TimeInterval = 365 * 24 * 3600
    let then = Date(timeIntervalSinceNow: year)
    _ = try await cache.sweep(now: then)
    try await client.execute(uri: pet + "/photo", method: .delete)
    try await client.execute(uri: pet, method: .get) {
      #expect($0.status == .notFound)
    }
  }
}

@Test func whatIsNoPhotoIsRefusedWithAReason() async throws {
  let cache = try await PhotoAttachmentCache.temporary()
  let photos = Photos(cache: cache)
  let application = Application(router: photos.router)
  try await application.test(.router) { client in
    try await client.execute(
      uri: "/pets/\(UUID())/photo", method: .put,
      body: ByteBuffer(string: "no photo")
    ) {
      #expect($0.status == .unsupportedMediaType)
      #expect(String(buffer: $0.body).contains("text"))
    }
  }
}
