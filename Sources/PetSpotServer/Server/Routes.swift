import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

extension Site {
  /// All routes of this server.
  var routes: [Route] {
    let images = ImagesResource(site: self)
    if configuration.librarySecret != nil {
      return LibraryPages(site: self, showImage: images.sendPicture).routes
    }
    let announcing = AnnouncementsResource(site: self)
    let photos = AnnouncementPhotosResource(site: self)
    let uploads = UploadsResource(site: self, owner: photos.uploadOwner)
    let needs: Set<ServerStore> = [.database, .pictures]
    return [
      Route(
        .get, "/api/health", takesTurn: false, needs: [],
        HealthResource(site: self).sendHealth),
      Route(
        .get, "/api/openapi.json", takesTurn: false, needs: [], OpenAPIResource.sendSpecification),
      Route(.get, "/api/v1/announcements", announcing.list),
      Route(.post, "/api/v1/announcements", announcing.create),
      Route(.get, "/api/v1/announcements/{id}", announcing.sendAnnouncement),
      Route(.patch, "/api/v1/announcements/{id}", announcing.change),
      Route(.delete, "/api/v1/announcements/{id}", announcing.close),
      Route(.post, "/api/v1/announcements/{id}/reopen", announcing.reopen),
      Route(.post, "/api/v1/announcements/{id}/photos", needs: needs, photos.receive),
      Route(.put, "/api/v1/announcements/{id}/photos", needs: needs, photos.receive),
      Route(.options, "/api/v1/announcements/{id}/photos", uploads.rufh.options),
      Route(.options, "/api/v1/announcements/{id}/uploads", uploads.options),
      Route(.post, "/api/v1/announcements/{id}/uploads", needs: needs, uploads.create),
      Route(.options, "/api/v1/announcements/{id}/uploads/{token}", uploads.options),
      Route(.head, "/api/v1/announcements/{id}/uploads/{token}", uploads.sendOffset),
      Route(
        .patch, "/api/v1/announcements/{id}/uploads/{token}", needs: needs, uploads.append),
      Route(.delete, "/api/v1/announcements/{id}/uploads/{token}", uploads.remove),
      Route(.post, "/api/announcements", needs: needs, announcing.createWithPhoto),
      // A picture that the client already has can be confirmed without the pictures' store, so it isn't required here.
      Route(.get, "/images/{name}", images.sendPicture),
    ] + PageRoutes(site: self).routes
  }
}

/// The OpenAPI description of this server's API.
enum OpenAPIResource {
  private static let document: Data? = Bundle.module.url(
    forResource: "openapi", withExtension: "json"
  ).flatMap { try? Data(contentsOf: $0) }

  /// Reads the document now instead of at the first request.
  static func load() { _ = document }

  /// `GET /api/openapi.json`
  @Sendable static func sendSpecification(_ context: RequestContext) async throws -> Response {
    guard let document else { throw ErrorResponse.notFound }
    return Response(
      status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }
}
