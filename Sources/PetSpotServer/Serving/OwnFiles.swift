import ReportFlow

/// This module's files that answers are made of.
enum OwnFiles {
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
