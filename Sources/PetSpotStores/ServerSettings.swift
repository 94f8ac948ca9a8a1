/// The options of `petspot serve`, on their way to the server's own program.
package struct ServerSettings: Codable, Sendable {
  /// The address to listen on.
  package var host = "127.0.0.1"
  /// The port; 0 takes a free one.
  package var port = 8080
  /// What addresses in answers begin with.
  package var baseURL: String?
  /// A PEM file with the certificate and those above it.
  package var tlsCertificate: String?
  /// A PEM file with its key.
  package var tlsKey: String?
  /// The largest photo in bytes; nil for the server's own limit.
  package var uploadLimit: Int?
  /// Bytes of all web drafts; nil for the server's own limit.
  package var draftSpace: Int?
  /// Bytes of announced pictures; nil for the server's own limit.
  package var photoSpace: Int?
  /// Bytes of the disk that are kept free; nil for the server's own choice.
  package var keepFree: Int?
  /// Bytes of sizes of photos; nil for the server's own limit.
  package var sizeSpace: Int?
  /// Networks of proxies whose word counts.
  package var trustProxy: [String] = []
  /// Whether what one client may do is bounded.
  package var limitsClients = true
  /// Who runs the server, and where to complain; nil when that's not said.
  package var operatorName, operatorContact: String?
  /// The port of metrics; nil for none.
  package var metricsPort: Int?
  /// The cache folder.
  package var cache = ""
  /// Whether the server speaks JSON on standard output.
  package var json = false
  /// Whether it logs more.
  package var verbose = false
  /// The program whose processes decode: `petspot`, which loads nothing of a server.
  package var decoder = ""
  /// Its arguments, to be run once more where the stores cannot be opened: it says why in any language.
  package var arguments: [String] = []
  /// The variable that says so.
  package static let checkVariable = "PETSPOT_SERVE_CHECK"
  /// Whether photos are decoded although this kernel cannot sandbox decoders.
  package var allowWeakSandbox = false

  /// The defaults.
  package init() {}
}
