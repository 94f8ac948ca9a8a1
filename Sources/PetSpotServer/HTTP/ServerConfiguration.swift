public import Foundation
import NIOCore
import PhotoAttachments
package import PhotoIngestion
package import PhotoModel
import ReportFlow
import Synchronization

/// The settings of a server. `petspot serve` has options of the same names.
public struct ServerConfiguration: Sendable {
  /// One decoder per core (at least two), and another for light photos only.
  package static let decoders = max(2, ProcessInfo.processInfo.activeProcessorCount) + 1

  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on. 0 takes a free one.
  public var port = 8080
  /// The start of URLs in responses. `nil` uses the address that the server listens on.
  public var baseURL: URL?
  /// A PEM file with the certificate and its chain. `nil` serves without TLS.
  public var tlsCertificate: String?
  /// A PEM file with the certificate's key.
  public var tlsKey: String?
  /// The size limit of a photo in bytes (decision 9).
  public var uploadLimit = Self.standardUploadLimit
  /// Bytes of all web drafts, see `DraftSpace`.
  public var draftSpace = DraftSpace.standardBytes
  /// A client may add a twentieth of these bytes to the announced pictures in 30 days. The total is unlimited.
  public var photoSpace = 50_000_000_000
  /// Bytes of the cache folder's file system to keep free. `nil` means the smaller of 1 GB and 2 %.
  public var keepFree: Int?
  /// Bytes for sizes of photos, which can be made again.
  public var sizeSpace = PhotoAttachmentCache.sizeSpace
  /// Networks of proxies whose fields for the client's address and scheme are trusted.
  public var trustedProxies: [CIDRBlock] = []
  /// `true` if those proxies forward the interim response 104. nginx does not.
  public var interimResponses = false
  /// `true` to limit each client, and not only the sum of all. Otherwise one client may use as much as all may.
  public var limitsClients = true
  /// The operator's name, and an email or web address for complaints. `nil` doesn't show them.
  public var operatorName, operatorContact: String?
  /// The language for clients that prefer no language of ours.
  package var language = Language.en
  /// The port of metrics. `nil` serves none.
  public var metricsPort: Int?
  /// The address to serve metrics on.
  public var metricsHost = "127.0.0.1"
  /// The first component of all paths of a server for browsing the photo library. `nil` serves reports and
  /// announcements.
  package var librarySecret: String?
  /// The server that sends mail, see `Mailer`. `nil` sends none, and forms don't ask for an email address.
  package var mail: String?
  /// A file with that server's password.
  package var mailPasswordFile: String?
  package var logFormat = LogFormat.text
  /// Photos that may wait for a decoder. If more arrive, they are refused before their bodies are read, except for each
  /// client's share.
  public var waitingUploads = 64
  /// Seconds that requests have to end after a signal. At most 20 together with `cancellationSeconds`.
  public var graceSeconds = 16
  /// Seconds that canceled requests have to end after that.
  var cancellationSeconds = 4

  /// 20 MiB (decision 9).
  public static let standardUploadLimit = 20 << 20

  /// The default configuration.
  public init() {}

  var siteOperator: SiteOperator {
    SiteOperator(name: operatorName, contact: operatorContact, language: language)
  }

  var tls: (certificate: String, key: String)? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return (tlsCertificate, tlsKey)
  }

  /// `true` if only this machine can reach the server.
  var isLoopback: Bool {
    ["::1", "localhost"].contains(host) || CIDRBlock("127.0.0.0/8")?.contains(host) == true
  }
}

/// The operator of a server, and the contact for complaints, if configured.
struct SiteOperator: Sendable {
  var name, contact: String?
  /// The language for clients that prefer no language of ours.
  var language = Language.en
}

/// The address of the server, which is known once it listens.
final class ListeningAddress: Sendable {
  private let texts = Mutex((base: "", own: ""))

  /// The start of URLs in responses, without a slash at the end.
  var base: String { texts.withLock { $0.base } }

  /// The address that the server listens on, even if URLs begin differently.
  var own: String { texts.withLock { $0.own } }

  /// Records the port that the server listens on.
  func setAddress(_ address: SocketAddress?, _ configuration: ServerConfiguration) {
    let scheme = configuration.tls == nil ? "http" : "https"
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    let own = "\(scheme)://\(host):\(address?.port ?? configuration.port)"
    var base = configuration.baseURL?.absoluteString ?? own
    while base.hasSuffix("/") { base.removeLast() }
    texts.withLock { [base] in $0 = (base, own) }
  }
}
