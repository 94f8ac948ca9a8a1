import Foundation
import Hummingbird
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import PhotoUploads
import ReportFlow

/// Pets by their ids, each with a photo that is kept until deleted.
struct Photos {
  let cache: PhotoAttachmentCache

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: PhotoErrors())
    router.put("/pets/:id/photo") { request, context in
      let pieces = request.body.map(\.readableBytesView)
      let source = try await PhotoSource.collecting(
        pieces, limit: 20 << 20)
      let pet = try pet(context)
      try await cache.attach(source, to: pet)
      return Response.redirect(to: "/pets/\(pet.text)")
    }
    router.get("/pets/:id") { _, context in
      let (pet, photo) = (try pet(context), try await photo(context))
      let page = """
        <!doctype html><title>Pet</title>
        <img src="/pets/\(pet.text)/photo" alt="The pet"
          width="\(photo.pixelWidth)" height="\(photo.pixelHeight)">
        """
      return Response(
        status: .ok,
        headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }
    let pictures = PictureResponder(cache)
    router.get("/pets/:id/photo") { request, context in
      try await pictures.respond(
        to: request.head, showing: pet(context))
    }
    router.delete("/pets/:id/photo") { _, context in
      try await cache.remove(pet(context))
      return Response(status: .noContent)
    }
    return router
  }

  private func pet(
    _ context: some RequestContext
  ) throws -> AttachmentKey {
    let id = try context.parameters.require("id", as: UUID.self)
    return AttachmentKey(id.uuidString)
  }

  private func photo(
    _ context: some RequestContext
  ) async throws -> PhotoAttachmentMetadata {
    let photo = try await cache.photo(of: pet(context))
    return try photo ?? { throw HTTPError(.notFound) }()
  }
}

/// Answers what a photo is refused for, as a sentence for people.
struct PhotoErrors: RouterMiddleware {
  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do { return try await next(request, context) } catch {
      let status =
        (error as? StoreError)?.httpStatus
        ?? (error as? PhotoError)?.httpStatus
      guard let status else { throw error }
      throw HTTPError(
        .init(code: status), message: error.localizedDescription)
    }
  }
}
