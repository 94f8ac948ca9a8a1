import Hummingbird
import NIOCore
import PetSpotServer

/// Passes requests that the application has no route for to PetSpot's pages.
struct PetSpotPages: RouterMiddleware {
  let server: PetSpotServer

  func handle(
    _ request: Request, context: ChannelContext,
    next: (Request, ChannelContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError
      // Hummingbird's router gives a request without a route this path before it throws.
      where error.status == .notFound && context.endpointPath == "NotFound"
    {
      return try await server.respond(to: request, on: context.channel)
    }
  }
}

/// A context that keeps the connection of its request.
struct ChannelContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
