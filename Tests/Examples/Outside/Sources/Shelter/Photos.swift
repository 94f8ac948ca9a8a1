import Foundation
import Hummingbird
import PetSpotPhotos
import PhotoUploads

/// Pets by their IDs, each with a photo that is kept until it is deleted.
struct Photos {
  let cache: PhotoAttachmentCache

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: PhotoErrors())
    router.put("/pets/:id/photo") { request, context in
      let source = try await PhotoSource.collecting(
        request.body.map(\.readableBytesView), limit: 20 << 20)
      try await cache.attach(source, to: pet(context))
      return Response.redirect(to: "/pets/\(try pet(context).text)")
    }
    router.get("/pets/:id") { _, context in
      let photo = try await photo(context)
      let page = """
        <!doctype html><title>Pet</title><img src="/pets/\(try pet(context).text)/photo"
        alt="The pet" width="\(photo.pixelWidth)" height="\(photo.pixelHeight)">
        """
      return Response(
        status: .ok,
        headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }
    let pictures = PictureResponder(cache)
    router.get("/pets/:id/photo") { request, context in
      try await pictures.respond(to: request.head, showing: pet(context))
    }
    router.delete("/pets/:id/photo") { _, context in
      try await cache.remove(pet(context))
      return Response(status: .noContent)
    }
    return router
  }

  private func pet(_ context: BasicRequestContext) throws -> AttachmentKey {
    AttachmentKey(try context.parameters.require("id", as: UUID.self).uuidString)
  }

  private func photo(_ context: BasicRequestContext) async throws -> PhotoAttachmentMetadata {
    guard let photo = try await cache.photo(of: pet(context)) else { throw HTTPError(.notFound) }
    return photo
  }
}
