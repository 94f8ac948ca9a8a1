import Hummingbird
import NIOCore
import PetSpotServer

/// Answers with PetSpot's pages what the application has no route for.
struct PetSpotPages: RouterMiddleware {
  let server: PetSpotServer

  func handle(
    _ request: Request, context: ChannelContext,
    next: (Request, ChannelContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError
      where error.status == .notFound && context.endpointPath == nil
    {
      return try await server.respond(to: request, on: context.channel)
    }
  }
}

/// A context that knows its request's connection.
struct ChannelContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
