import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoUploads

extension ServerParts {
  /// Creates all routes of this server, with the state that belongs to their resources.
  func makeRoutes() -> [Route] {
    let isLibrary = configuration.librarySecret != nil
    let images = ImagesResource(
      stores: stores, sizes: sizes, watch: watch, showsLibrary: isLibrary)
    if isLibrary { return LibraryPages(stores: stores, showImage: images.sendPicture).routes }
    let announcing = AnnouncementsResource(stores: stores, gates: gates, limits: limits)
    let photos = AnnouncementPhotosResource(
      stores: stores, gates: gates, limits: limits, uploads: uploads)
    let uploads = UploadsResource(acts: uploads, owner: photos.uploadOwner)
    let needs: Set<ServerStore> = [.database, .pictures]
    return [
      Route(
        .get, "/api/health", takesTurn: false, needs: [],
        HealthResource(stores: stores, limits: limits, checks: checks).sendHealth),
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
    ] + makePageRoutes()
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
