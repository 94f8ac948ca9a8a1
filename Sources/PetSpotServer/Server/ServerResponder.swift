import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import PhotoUploads

/// The first and last step of every request. Everything that applies to all requests and responses happens here.
struct ServerResponder: Sendable {
  private let parts: ServerParts
  private let guards: RequestGuards
  private let table: RouteTable

  init(_ parts: ServerParts, _ routes: [Route]) {
    self.parts = parts
    guards = RequestGuards(parts.configuration)
    table = RouteTable(routes)
  }

  /// Answers a request, and logs the response when it was sent.
  ///
  /// - Throws: `HTTPParserError` if the body isn't valid HTTP.
  @Sendable func respond(to request: Request, on channel: any Channel) async throws -> Response {
    let begin = ContinuousClock.now
    let id = RequestID.make()
    var logger = parts.logger
    var noted = Noted(client: ClientNetwork(channel.remoteAddress))
    logger[metadataKey: "request-id"] = "\(id)"
    var response: Response
    var hasLeft = false
    do {
      response = try await answer(request, channel, id, logger, &noted)
    } catch let error as HTTPParserError {
      throw error  // HummingbirdCore responds with 400 itself, and closes.
    } catch let error where error is CancellationError || error is IOError {
      // A client that has left gets no page, and its request isn't a failure of the server.
      hasLeft = true
      response = ErrorResponse.busy().response(requestID: id)
    } catch {
      let failure = ErrorResponse(cause: error)
      let known = failure?.cause == .failed ? nil : failure
      let origin = failure?.origin ?? error
      if !parts.problemLog.record(origin, logger), known == nil {
        logger.error("request failed", metadata: ["error": "\(origin)"])
      }
      let answer = known ?? .internalError
      if parts.configuration.librarySecret != nil, request.acceptsPages {
        response = LibraryErrorView.response(answer, request)
      } else {
        response =
          table.showsErrorPage(for: request)
          ? errorPage.response(answer, to: error, request, id: id)
          : answer.response(requestID: id)
      }
    }
    parts.security.apply(to: &response, id: id)
    let log = parts.accessLog
    let own = logger
    let known = noted
    let status = hasLeft ? 499 : response.status.code
    AnswerLog { sent, isWhole in
      log.record(
        .init(
          client: known.client, method: request.method, route: known.route, status: status,
          duration: ContinuousClock.now - begin, sent: sent, isWhole: isWhole), own)
    }.begin(on: channel)
    return request.method == .head ? response.createHeadResponse() : response
  }

  private var errorPage: ErrorPage {
    ErrorPage(
      photoBytes: parts.limits.photoBytes, siteOperator: parts.configuration.siteOperator)
  }

  /// A request's client and route, for the log.
  private struct Noted {
    /// The client. Until the request was checked, this is the client of the connection, which may be a proxy.
    var client: ClientNetwork
    /// The route's pattern, or `-` if there is no route.
    var route = "-"
  }

  private func answer(
    _ request: Request, _ channel: any Channel, _ id: String, _ logger: Logger,
    _ noted: inout Noted
  ) async throws -> Response {
    try guards.check(request)
    let origin = parts.limits.clients.origin(of: request, from: channel.remoteAddress)
    noted.client = origin.client
    guard let path = PathParts.decode(request.uri.path) else { throw ErrorResponse.notFound }
    // At the URLs of uploads, clients may name another method. Elsewhere that field is ignored.
    let request = path.suffix(2).contains("uploads") ? try Tus.meant(by: request) : request
    switch table.find(request.method, path) {
    case .none: throw ErrorResponse.notFound
    case .methods(let methods, of: let route):
      noted.route = route.pattern
      let allow = Set(methods.map(\.rawValue)).sorted().joined(separator: ", ")
      if request.method == .options { return .empty(.noContent, [.allow: allow]) }
      throw ErrorResponse(
        .methodNotAllowed, "This address accepts only \(allow).",
        headers: [.allow: allow])
    case .route(let route, let parameters):
      noted.route = route.pattern
      try RequestGuards.checkRouted(request)
      let hasBody =
        request.headers[.transferEncoding] != nil || request.headers[.contentLength] ?? "0" != "0"
      let body = hasBody ? try parts.limits.bodies.begin(of: origin.client, on: channel) : nil
      defer { if let body { parts.limits.bodies.finish(body) } }
      let context = RequestContext(
        request: request, parameters: parameters, id: id, client: origin.client,
        base: parts.address.base, incomingBody: body, isSecure: origin.isSecure,
        channel: channel, takesInterim: parts.limits.clients.takesInterim(channel.remoteAddress),
        siteOperator: parts.configuration.siteOperator,
        logger: logger)
      return try await parts.watch.endingIfUnreachable(route.needs) {
        guard route.takesTurn else { return try await route.handler(context) }
        // Wait for a turn here, because otherwise all waiting pages would be ahead of other requests in the queue of
        // Swift's threads.
        return try await context.whileClientWaits {
          try await parts.gates.pages.pass(origin.client) { try await route.handler(context) }
        }
      }
    }
  }
}
