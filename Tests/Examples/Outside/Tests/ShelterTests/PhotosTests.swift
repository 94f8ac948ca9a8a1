import Foundation
import Hummingbird
import HummingbirdTesting
import PetSpotPhotos
import Testing

@testable import Shelter

@Test func aPhotoIsShownUntilItIsDeleted() async throws {
  let photos = Photos(cache: try await .temporary())
  let rex = try Data(contentsOf: URL(filePath: "rex.heic"))
  let pet = "/pets/\(UUID())"
  try await Application(router: photos.router).test(.router) { client in
    func status(
      _ method: HTTPRequest.Method, _ path: String, _ body: ByteBuffer? = nil
    ) async throws -> HTTPResponse.Status {
      try await client.execute(uri: path, method: method, body: body) { $0.status }
    }
    let text = try await status(.put, pet + "/photo", ByteBuffer(string: "no photo"))
    #expect(text == .unsupportedMediaType)
    #expect(try await status(.get, pet) == .notFound)
    #expect(try await status(.put, pet + "/photo", ByteBuffer(bytes: rex)) == .seeOther)
    #expect(try await status(.get, pet) == .ok)
    #expect(try await status(.get, pet + "/photo") == .ok)
    #expect(try await status(.delete, pet + "/photo") == .noContent)
    #expect(try await status(.get, pet + "/photo") == .notFound)
  }
}
