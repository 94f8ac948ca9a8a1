import Announcements
import ImageContainers
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// The pictures of announcements: whole photos, previews, and sizes. A size is a scaled copy of a photo, which is made
/// when a client first requests it.
struct ImagesResource: Sendable {
  let stores: Stores
  let sizes: SizeMaker
  let watch: StoreWatch
  /// `true` if clients may see all photos (`petspot browse`).
  let showsLibrary: Bool

  private static let caching = "public, max-age=300, must-revalidate"

  /// `GET /images/{name}`
  @Sendable func sendPicture(_ context: RequestContext) async throws -> Response {
    guard let name = PictureName(context.parameter("name")) else { throw ErrorResponse.notFound }
    if case .size(let size) = name.kind { return try await sendSize(size, of: name.photo, context) }
    guard try await isShown(name.photo) else { throw ErrorResponse.notFound }
    guard let photo = try await stores.photos.photo(id: name.photo) else {
      throw ErrorResponse.notFound
    }
    return try await pictures.picture(
      name.kind == .preview ? photo.preview : photo.blob, context, caching: Self.caching)
  }

  private var pictures: PictureResponder { PictureResponder(photos: stores.photos, watch: watch) }

  /// Returns `true` if clients may see the photo.
  private func isShown(_ photo: UUID) async throws -> Bool {
    if showsLibrary { return true }
    return try await stores.announcements.shows(photo: photo)
  }

  /// Responds with a size of a photo. If the size is recorded and its bytes aren't needed, reads only the record.
  /// Otherwise makes a missing size, except for HEAD.
  private func sendSize(
    _ name: SizeForm.Name, of id: UUID, _ context: RequestContext
  ) async throws -> Response {
    // Both queries may have to wait for the same commit, so they run concurrently.
    async let look = stores.photos.knownSize(name, of: id)
    guard try await isShown(id) else { throw ErrorResponse.notFound }
    if let known = try await look {
      let picture = StoredPicture(known.picture)
      let isAnswered = pictures.isAnsweredWithoutBytes(picture, context.request.head)
      if isAnswered || known.isStored {
        do {
          return try await pictures.picture(picture, context, caching: Self.caching)
        } catch StoreError.missingPhoto, StoreError.fault(.blobDamaged),
          StoreError.fault(.blobNotAFile)
        {
          // The size is made again.
        }
      }
    }
    guard let photo = try await stores.photos.photo(id: id),
      let form = SizeForm.all(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
        .first(where: { $0.name == name })
    else { throw ErrorResponse.notFound }
    if context.request.method == .head {
      return Response(
        status: .ok,
        headers: [
          .cacheControl: Self.caching, .acceptRanges: pictures.acceptedRanges,
          .contentType: name.format.mime,
        ])
    }
    let made: StoredPicture
    do {
      made = try await watch.endingIfUnreachable([.pictures]) {
        try await context.whileClientWaits {
          try await sizes.size(form, of: photo, for: context.client)
        }
      }
    } catch is CancellationError {
      // The client left, or the server is shutting down.
      throw ErrorResponse.busy()
    } catch StoreError.photo(.timeout) {
      // The machine is busy. The photo itself could be decoded when it was uploaded.
      throw ErrorResponse.busy(retryAfter: 10)
    } catch StoreError.photo(let error) where error.blame == .photo {
      context.logger.error("size not made", metadata: ["photo": "\(id)", "error": "\(error)"])
      throw ErrorResponse.internalError
    }
    // The announcement may have been closed, hidden or erased in the meantime.
    guard try await isShown(id) else { throw ErrorResponse.notFound }
    return try await pictures.picture(made, context, caching: Self.caching)
  }
}
