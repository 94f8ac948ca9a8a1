/// What `petspot serve` gives the server's program beside the server's settings.
package struct ServerLaunch: Codable, Sendable {
  /// The cache folder.
  package var cache: String
  /// Whether the server writes JSON to standard output.
  package var json: Bool
  /// Whether it logs more.
  package var verbose: Bool
  /// What is said to people once it listens, with a place for the address.
  package var listening: String
  /// Whether the photo library is served, to this machine alone.
  package var isLibrary: Bool
  /// Whether photos are decoded although this kernel cannot sandbox decoders.
  package var allowWeakSandbox: Bool
  /// The program whose processes decode: `petspot`, which loads nothing of a server.
  package var decoder: String
  /// The version of both programs.
  package var version: String
  /// Its arguments, to be run once more where the stores cannot be opened: it says why in any language; none
  /// where it was run for that.
  package var arguments: [String]
  /// The variable by which it is run for that.
  package static let checkVariable = "PETSPOT_SERVE_CHECK"

  /// What the server's program starts with.
  package init(
    cache: String, json: Bool, verbose: Bool, listening: String, isLibrary: Bool,
    allowWeakSandbox: Bool, decoder: String, version: String, arguments: [String]
  ) {
    self.listening = listening
    self.isLibrary = isLibrary
    self.cache = cache
    self.json = json
    self.verbose = verbose
    self.allowWeakSandbox = allowWeakSandbox
    self.decoder = decoder
    self.version = version
    self.arguments = arguments
  }
}
