import HummingbirdCore
import PhotoAttachments
import PhotoModel
import PhotoUploads

extension PictureResponder {
  /// Creates a responder whose requests end if the pictures' store becomes unreachable.
  init(photos: PhotoAttachmentCache, watch: StoreWatch) {
    self.init(photos) { picture in
      try await watch.endingIfUnreachable([.pictures]) { try await photos.body(of: picture) }
    }
  }

  /// Responds with a stored picture.
  ///
  /// - Parameter caching: the value of `Cache-Control`.
  func picture(
    _ picture: StoredPicture, _ context: RequestContext, caching: String
  ) async throws -> Response {
    try await respond(
      to: context.request.head, with: picture, caching: caching, on: context.channel)
  }
}
