import Hummingbird
import NIOCore
import PetSpotPhotos
import PhotoUploads

/// Adds the addresses at which the photos of pets are uploaded and shown.
func addPhotos(_ photos: PhotoAttachmentCache, to router: Router<ShelterContext>) {
  let uploads = PhotoUploadResponder(photos)
  let pictures = PictureResponder(photos)
  @Sendable func receive(_ request: Request, _ context: ShelterContext) async throws -> Response {
    try await uploads.respond(
      to: request, for: context.pet(), upload: context.parameters.get("upload"),
      from: context.account, on: context.channel)
  }
  for method in PhotoUploadResponder.methods {
    router.on("pets/:pet/photo", method: method, use: receive)
  }
  for method in PhotoUploadResponder.uploadMethods {
    router.on("pets/:pet/photo/:upload", method: method, use: receive)
  }
  @Sendable func show(_ request: Request, _ context: ShelterContext) async throws -> Response {
    try await pictures.respond(
      to: request.head, showing: context.pet(),
      fitting: request.uri.queryParameters.get("size", as: Int.self), on: context.channel)
  }
  router.get("pets/:pet/photo", use: show)
  router.head("pets/:pet/photo", use: show)
  router.delete("pets/:pet/photo") { _, context in
    try await photos.remove(context.pet())
    return Response(status: .noContent)
  }
}

/// A request with its connection and the account that sent it.
struct ShelterContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  var account = ""

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// The pet whose photo is meant, which only its account may change.
  func pet() throws -> AttachmentKey {
    AttachmentKey(account + "/" + (try parameters.require("pet")))
  }
}

/// Your own authorization. This one accepts every account without a password.
struct Accounts: RouterMiddleware {
  func handle(
    _ request: Request, context: ShelterContext,
    next: (Request, ShelterContext) async throws -> Response
  ) async throws -> Response {
    guard let account = request.headers[.authorization] else { throw HTTPError(.unauthorized) }
    var context = context
    context.account = account
    return try await next(request, context)
  }
}
