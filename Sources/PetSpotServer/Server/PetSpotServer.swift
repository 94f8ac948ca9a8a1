import Foundation
import HTTPTypes
public import HummingbirdCore
import HummingbirdTLS
public import Logging
public import NIOCore
import NIOPosix
import NIOSSL
public import PhotoAttachments
public import ReportFlow
public import ServiceLifecycle
import UnixSignals

/// A server of photos, reports and announcements over HTTP/1.1. It runs alone (`run(listening:)`), in a group of
/// services (`run()`), or as a part of another server (`respond(to:on:)`).
public struct PetSpotServer: Service {
  private let parts: ServerParts
  private let responder: ServerResponder
  private let metrics: ServerMetrics?
  private let mailer: Mailer?

  /// Creates a server with these stores. It keeps resumable uploads in the cache folder. It doesn't listen yet.
  public init(
    photos: PhotoAttachmentCache, drafts: DraftStore,
    announcements: AnnouncementStore, species: TaxonomySource,
    configuration: ServerConfiguration, logger: Logger
  ) {
    self.init(
      photos: photos, drafts: drafts, announcements: announcements, species: species,
      uploads: nil, configuration: configuration, metrics: nil, logger: logger)
  }

  /// Creates a server that can share resumable uploads with other servers, send mail, and serve metrics.
  package init(
    photos: PhotoAttachmentCache, drafts: DraftStore,
    announcements: AnnouncementStore, species: TaxonomySource,
    uploads: (any UploadStorage)?, configuration: ServerConfiguration,
    metrics: PrometheusMetrics?, mailer: Mailer? = nil, version: String = "", logger: Logger
  ) {
    self.mailer = mailer
    let stores = Stores(
      photos: photos, drafts: drafts, announcements: announcements.keepingEmail(mailer != nil),
      species: species, sendsMail: configuration.mail != nil,
      photoBytesPerClient: configuration.shares.photoBytes)
    let parts = ServerParts(stores, uploads: uploads, configuration, logger: logger)
    let routes = parts.makeRoutes()
    self.parts = parts
    responder = ServerResponder(parts, routes)
    self.metrics = metrics.map { ServerMetrics(parts, routes, $0, version: version) }
  }

  private var configuration: ServerConfiguration { parts.configuration }
  private var logger: Logger { parts.logger }

  /// Serves until the process receives SIGTERM or SIGINT, or the task is canceled. Running requests then have
  /// `graceSeconds` to finish.
  ///
  /// - Parameter listening: a function that is called once with the address that the server listens on.
  /// - Throws: `ServerError`.
  public func run(listening: @escaping @Sendable (String) -> Void) async throws {
    try await serve(endingAt: [.sigterm, .sigint], listening)
  }

  /// Serves until the service group shuts down. The group handles signals.
  public func run() async throws { try await serve(endingAt: [], { _ in }) }

  /// Responds to a request for a server of the caller.
  ///
  /// The caller's server listens, and handles paths that this server doesn't have. `configuration.baseURL` must be the
  /// address that browsers use. The caller's server enforces limits on connections, such as the minimum speed of a
  /// body.
  ///
  /// - Parameters:
  ///   - request: the head and the body of the request.
  ///   - channel: the connection of the request.
  /// - Throws: `HTTPParserError` if the body is malformed.
  public func respond(
    to request: Request, on channel: any Channel
  ) async throws -> Response {
    try await responder.respond(to: request, on: channel)
  }

  /// The service that must run in addition to `respond(to:on:)`. It deletes abandoned uploads, refreshes the list of
  /// species, updates the words of searches after an upgrade, and releases memory. Once a day, it deletes reports that
  /// were not finished in a week and the contents of closed announcements.
  public var upkeep: any Service {
    BundledFiles.preload()
    return ServiceGroup(
      services: background + [RepeatedWork.sweepingReports(of: parts.stores, logger)],
      logger: logger)
  }

  private var background: [any Service] {
    var services: [any Service] = [
      RepeatedWork.trimmingMemory(of: parts.stores.photos), SizesEnding(sizes: parts.sizes),
      parts.watch,
      RepeatedWork.summarizing(parts.accessLog), parts.streams,
    ]
    if configuration.librarySecret == nil {
      services += [
        RepeatedWork.sweepingUploads(of: parts), RepeatedWork.refreshing(parts.stores.species),
      ]
    }
    if let mailer {
      services.append(MailSending(mailer, MailQueue(parts.stores.photos), logger: logger).service)
    }
    return services
  }

  private func serve(
    endingAt signals: [UnixSignal], _ listening: @escaping @Sendable (String) -> Void
  ) async throws {
    BundledFiles.preload()
    let certificates = try certificates()
    let shares = DescriptorShares()
    if shares.areFew {
      logger.warning(
        "few connections possible",
        metadata: [
          "connections": "\(shares.connections)",
          "action": "raise the limit of open files: LimitNOFILE= of the unit, or ulimit -Hn",
        ])
    }
    let clients = ClientConnections(
      perClient: configuration.shares.connections, total: shares.connections,
      proxies: configuration.trustedProxies)
    let server = try channels(clients, certificates, onSlowBody: parts.limits.bodies.endSlow)
      .service(
        host: configuration.host, port: configuration.port, clients: clients, logger: logger,
        listening: { [parts, configuration] channel in
          parts.address.setAddress(channel.localAddress, configuration)
          listening(parts.address.own)
        }, respond: responder.respond)
    var services: [any Service] =
      [Listening(server, on: configuration.host, configuration.port, "port")] + background
    if let certificates {
      services.append(RepeatedWork.renewing(certificates, logger: logger))
    }
    if let metrics = try metricsServer() { services.append(metrics) }
    var group = ServiceGroupConfiguration(
      services: services.map { .init(service: $0) }, gracefulShutdownSignals: signals,
      logger: logger)
    group.maximumGracefulShutdownDuration = .seconds(configuration.graceSeconds)
    // Cancellation beyond this limit would end the process, which belongs to the host unless signals are handled here.
    if !signals.isEmpty {
      group.maximumCancellationDuration = .seconds(configuration.cancellationSeconds)
    }
    try await ServiceGroup(configuration: group).run()
  }

  private func metricsServer() throws -> (any Service)? {
    guard let port = configuration.metricsPort, let metrics else { return nil }
    let host = configuration.metricsHost
    let clients = ClientConnections(perClient: nil, total: DescriptorShares.metricsConnections)
    let server = try channels(clients).service(
      host: host, port: port, clients: clients, logger: logger
    ) { request, _ in await metrics.respond(to: request) }
    return Listening(server, on: host, port, "metrics-port")
  }

  /// Creates the connection handlers that precede every request. They enforce limits on connections, heads and time.
  private func channels(
    _ clients: ClientConnections, _ certificates: Certificates? = nil,
    onSlowBody: @escaping @Sendable (any Channel) -> Bool = { _ in false }
  ) throws -> HTTPServerBuilder {
    let security = parts.security
    let plain = HTTPServerBuilder { responder in
      HTTP1Channel(
        responder: responder,
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [
            ProtocolErrorHandler(security: security),
            ConnectionGuard(
              clients: clients, isTLS: certificates != nil, onSlowBody: onSlowBody),
            PipelinedRequests(turns: parts.gates.pipelined),
          ],
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
    }
    guard let certificates else { return plain }
    return try .tls(plain, tlsConfiguration: certificates.configuration())
  }

  private func certificates() throws(ServerError) -> Certificates? {
    guard let files = configuration.tls else { return nil }
    do throws(CertificateProblem) { return try Certificates(files) } catch {
      throw .certificate(error)
    }
  }
}

/// The files of this module that responses are made of.
enum BundledFiles {
  /// Reads all files in advance. At their first use, there may be no file descriptor or memory left. A file that can't
  /// be read then is missing until the server ends, or ends it at once.
  static func preload() {
    Words.load()
    _ = SpeciesTaxonomy.bundled
    Templates.load()
    Assets.load()
    OpenAPIResource.load()
  }
}
