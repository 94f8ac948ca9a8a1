/// The options of `petspot serve`, on their way to the server's own program.
public struct ServerSettings: Codable, Sendable {
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port; 0 takes a free one.
  public var port = 8080
  /// What addresses in answers begin with.
  public var baseURL: String?
  /// A PEM file with the certificate and those above it.
  public var tlsCertificate: String?
  /// A PEM file with its key.
  public var tlsKey: String?
  /// The largest photo in bytes; nil for the server's own limit.
  public var uploadLimit: Int?
  /// Bytes of all web drafts; nil for the server's own limit.
  public var draftSpace: Int?
  /// Bytes of announced pictures; nil for the server's own limit.
  public var photoSpace: Int?
  /// Bytes of the disk that are kept free; nil for the server's own choice.
  public var keepFree: Int?
  /// Bytes of sizes of photos; nil for the server's own limit.
  public var sizeSpace: Int?
  /// Networks of proxies whose word counts.
  public var trustProxy: [String] = []
  /// Whether what one client may do is bounded.
  public var limitsClients = true
  /// Who runs the server, and where to complain; nil when that's not said.
  public var operatorName, operatorContact: String?
  /// The port of metrics; nil for none.
  public var metricsPort: Int?
  /// The cache folder.
  public var cache = ""
  /// Whether the server speaks JSON on standard output.
  public var json = false
  /// Whether it logs more.
  public var verbose = false
  /// The program whose processes decode: `petspot`, which loads nothing of a server.
  public var decoder = ""
  /// Its arguments, to be run once more where the stores cannot be opened: it says why in any language.
  public var arguments: [String] = []
  /// The variable that says so.
  public static let checkVariable = "PETSPOT_SERVE_CHECK"
  /// Whether photos are decoded although this kernel cannot sandbox decoders.
  public var allowWeakSandbox = false

  /// The defaults.
  public init() {}
}
