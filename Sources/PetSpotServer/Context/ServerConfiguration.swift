public import Foundation
import NIOCore
import PhotoAttachments
package import PhotoIngestion
import ReportFlow
import Synchronization

/// The settings of a server. `petspot serve` has an option of the same name for those that can be chosen.
public struct ServerConfiguration: Sendable {
  /// Decoders: one for each core, two at least, and one that is reserved for light photos.
  package static let decoders = max(2, ProcessInfo.processInfo.activeProcessorCount) + 1

  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 takes a free one.
  public var port = 8080
  /// What addresses in answers begin with; nil for where it listens.
  public var baseURL: URL?
  /// A PEM file with the certificate and those above it; nil serves without TLS.
  public var tlsCertificate: String?
  /// A PEM file with the certificate's key.
  public var tlsKey: String?
  /// The largest photo that is taken, in bytes (decision 9).
  public var uploadLimit = Self.standardUploadLimit
  /// Bytes of all web drafts, see `DraftSpace`.
  public var draftSpace = DraftSpace.standardBytes
  /// Bytes of announced pictures of which a client may add a twentieth in 30 days; there is no limit in all.
  public var photoSpace = 50_000_000_000
  /// Bytes of the cache folder's file system that are kept free; nil for the smaller of 1 GB and 2 %.
  public var keepFree: Int?
  /// Bytes that sizes of photos may take, which can be made again.
  public var sizeSpace = PhotoAttachmentCache.sizeSpace
  /// Networks of proxies whose word about a client's address and scheme counts.
  public var trustedProxies: [Network] = []
  /// Whether those proxies pass the interim answer 104 on; nginx does not.
  public var interimResponses = false
  /// Whether one client may use as much as all may.
  public var noClientLimits = false
  /// Who runs the server, and where to complain, an address of mail or of the web; nil when that's not
  /// said.
  public var operatorName, operatorContact: String?
  /// The port of metrics; nil for none.
  public var metricsPort: Int?
  /// The address to serve metrics on.
  public var metricsHost = "127.0.0.1"
  /// The secret part of the path under which the photo library is browsed, and nothing else is served; nil
  /// serves reports and announcements.
  package var librarySecret: String?
  /// The server that mails are sent by, see `Mailer`; nil sends none, and asks for no address.
  package var mail: String?
  /// A file with that server's password.
  package var mailPasswordFile: String?
  /// How the server's log is written.
  package var logFormat = LogFormat.text
  /// Photos that may wait for a decoder; more are turned away before their bodies are read, but each
  /// client has its share.
  public var waitingUploads = 64
  /// Seconds that requests have to end after a signal. With `cancellationSeconds` at most 20.
  public var graceSeconds = 16
  /// Seconds that they have to notice that they were cancelled then.
  var cancellationSeconds = 4

  /// 20 MiB (decision 9).
  public static let standardUploadLimit = 20 << 20

  /// The default configuration.
  public init() {}

  /// Whether what one client may use is bounded.
  var limitsClients: Bool { !noClientLimits }

  /// The certificate and its key; nil serves without TLS.
  var tls: (certificate: String, key: String)? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return (tlsCertificate, tlsKey)
  }

  /// Whether only this machine can reach it.
  var isLoopback: Bool {
    ["127.0.0.1", "::1", "localhost"].contains(host) || host.hasPrefix("127.")
  }
}

/// Where the server can be reached, known once it listens.
final class ListeningAddress: Sendable {
  private let text = Mutex("")
  private let listening = Mutex("")

  /// What addresses begin with, without a slash at the end.
  var base: String { text.withLock { $0 } }

  /// Where the server listens, whatever addresses begin with.
  var own: String { listening.withLock { $0 } }

  /// Notes where a server listens, unless it was said what addresses begin with.
  func note(_ address: SocketAddress?, _ configuration: ServerConfiguration) {
    let scheme = configuration.tls == nil ? "http" : "https"
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    let own = "\(scheme)://\(host):\(address?.port ?? configuration.port)"
    listening.withLock { $0 = own }
    var base = configuration.baseURL?.absoluteString ?? own
    while base.hasSuffix("/") { base.removeLast() }
    text.withLock { $0 = base }
  }
}
