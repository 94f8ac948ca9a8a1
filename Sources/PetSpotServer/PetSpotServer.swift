import Foundation
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOPosix
import NIOSSL
public import PhotoAttachments
public import ReportFlow
import ServiceLifecycle
import UnixSignals

/// Serves photos, reports and announcements over HTTP/1.1.
public struct PetSpotServer: Sendable {
  private let site: Site
  private let configuration: ServerConfiguration
  private let metrics: ServerMetrics?
  private let mailer: Mailer?
  private let logger: Logger

  /// A server over these stores, which keeps resumable uploads in the cache folder; nothing listens
  /// yet.
  public init(
    photos: PhotoAttachmentCache, drafts: DraftStore,
    announcements: AnnouncementStore, species: TaxonomySource,
    configuration: ServerConfiguration, logger: Logger
  ) {
    self.init(
      photos: photos, drafts: drafts, announcements: announcements, species: species,
      uploads: nil, configuration: configuration, metrics: nil, logger: logger)
  }

  /// The same, with resumable uploads where other servers find them, too, and with metrics to serve.
  package init(
    photos: PhotoAttachmentCache, drafts: DraftStore,
    announcements: AnnouncementStore, species: TaxonomySource,
    uploads: (any UploadStorage)?, configuration: ServerConfiguration,
    metrics: PrometheusMetrics?, mailer: Mailer? = nil, version: String = "", logger: Logger
  ) {
    self.mailer = mailer
    self.configuration = configuration
    self.logger = logger
    site = Site(
      photos: photos, drafts: drafts, announcements: announcements.keepingEmail(mailer != nil),
      species: species, uploads: uploads, configuration: configuration, logger: logger)
    self.metrics = metrics.map { [site] in ServerMetrics(site, $0, version: version) }
  }

  /// Serves until the process gets SIGTERM or SIGINT, or the task is cancelled. Requests under way
  /// have `graceSeconds` to end.
  ///
  /// - Parameter listening: called once with the address that the server listens on.
  /// - Throws: `ServerError`.
  public func run(listening: @escaping @Sendable (String) -> Void) async throws {
    BundledFiles.read()
    let certificates = try certificates()
    let server = try channels(certificates).service(
      host: configuration.host, port: configuration.port, logger: logger,
      listening: { [site, configuration] channel in
        site.address.note(channel.localAddress, configuration)
        listening(site.address.own)
      }, respond: ServerResponder(site).respond)
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
      .init(service: server), .init(service: MemoryTrimming(photos: site.photos)),
      .init(service: SizesEnding(sizes: site.sizes)), .init(service: site.watch),
    ]
    if configuration.librarySecret == nil {
      services += [
        .init(service: UploadSweeping(site: site)),
        .init(service: SpeciesRefreshing(source: site.species)),
      ]
    }
    if let mailer {
      services.append(
        .init(service: MailSending(mailer, MailQueue(site.photos), logger: logger)))
    }
    if let certificates {
      let renewing = CertificateRenewing(certificates: certificates, logger: logger)
      services.append(.init(service: renewing))
    }
    if let port = configuration.metricsPort, let metrics {
      let server = try HTTPServerBuilder.http1().service(
        host: configuration.host, port: port, logger: logger
      ) { request, _ in await metrics.respond(to: request) }
      services.append(.init(service: server))
    }
    var group = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger)
    group.maximumGracefulShutdownDuration = .seconds(configuration.graceSeconds)
    group.maximumCancellationDuration = .seconds(configuration.cancellationSeconds)
    do {
      try await ServiceGroup(configuration: group).run()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw ServerError.portTaken(host: configuration.host, port: configuration.port)
    } catch let error as IOError {
      throw ServerError.listening(host: configuration.host, errno: error.errnoCode)
    }
  }

  private func channels(_ certificates: Certificates?) throws -> HTTPServerBuilder {
    let clients = ClientConnections(
      perClient: configuration.shares.connections, proxies: configuration.trustedProxies)
    let (security, bodies) = (site.security, site.bodies)
    let plain = HTTPServerBuilder { responder in
      HTTP1Channel(
        responder: responder,
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [
            ProtocolErrorHandler(security: security),
            ConnectionGuard(
              clients: clients, isTLS: certificates != nil, onSlowBody: bodies.endSlow),
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

/// Why a server could not start.
public enum ServerError: Error, Sendable, Equatable {
  /// Another program listens on this port.
  case portTaken(host: String, port: Int)
  /// The address cannot be listened on.
  case listening(host: String, errno: Int32)
  /// The certificate or its key cannot be used.
  case certificate(CertificateProblem)
}

/// This module's files that answers are made of.
enum BundledFiles {
  /// Reads all of them. At their first use there may be no descriptor or memory left to open one, and
  /// what cannot be read then is missing until the server ends, or ends it at once.
  static func read() {
    Words.load()
    _ = SpeciesTaxonomy.bundled
    Templates.load()
    Assets.load()
    OpenAPIResource.load()
  }
}
