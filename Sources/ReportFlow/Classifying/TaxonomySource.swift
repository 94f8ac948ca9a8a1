public import Foundation
public import Logging

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Keeps the list of species: the bundled one, or a newer one that was fetched before (seed 021,
/// FR-014; decision 19).
public actor TaxonomySource {
  /// The list to choose from; never empty.
  public private(set) var taxonomy: SpeciesTaxonomy
  /// Whether the last refresh failed, so that "Using offline list" is shown.
  public private(set) var isOffline = false

  private let copy: URL
  private let logger: Logger

  /// A source that keeps a fetched list in the file `copy`. A damaged or older copy is passed over.
  public init(copy: URL, logger: Logger) {
    (self.copy, self.logger) = (copy, logger)
    let kept = (try? Data(contentsOf: copy)).flatMap { try? SpeciesTaxonomy($0) }
    taxonomy = [kept, .bundled].compactMap { $0 }.max { $0.version < $1.version } ?? .bundled
  }

  /// Fetches a list from a file or web address and takes it when it is newer. Never throws: the
  /// list at hand goes on serving, the log tells why (no analytics event, seed 021).
  public func refresh(from address: URL) async {
    do {
      let data = try await Self.read(address)
      let fetched = try SpeciesTaxonomy(data)
      isOffline = false
      guard fetched.version > taxonomy.version else { return }
      taxonomy = fetched
      do {
        try data.write(to: copy, options: .atomic)
      } catch {
        logger.warning("species list not kept", metadata: ["error": "\(error)"])
      }
    } catch {
      isOffline = true
      logger.notice("species list not refreshed", metadata: ["error": "\(error)"])
    }
  }

  private static func read(_ address: URL) async throws -> Data {
    if address.isFileURL { return try Data(contentsOf: address) }
    let (data, response) = try await URLSession.shared.data(from: address)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw TaxonomyError.unreadable }
    return data
  }
}
