public import Foundation
import HTTPClient
public import Logging

/// The source of the species list. It uses the bundled list or a newer one that was fetched before (seed 021, FR-014;
/// decision 19).
public actor TaxonomySource {
  /// The current list. It's never empty.
  package private(set) var taxonomy: SpeciesTaxonomy
  /// `true` if the last refresh failed. The interface then shows "Using offline list".
  package private(set) var isOffline = false

  private let copy: URL
  private let address: URL?
  private var lastRefresh: ContinuousClock.Instant?
  private let timeout: Duration
  private let logger: Logger

  /// Creates a source that caches fetched lists in the file `copy`. Ignores a cached list that is damaged or older than
  /// the bundled one.
  ///
  /// - Parameters:
  ///   - copy: the file for the fetched list.
  ///   - address: the file or web address of the newest list, or `nil` to never refresh.
  ///   - timeout: the time limit of a refresh. The current list stays in use after it.
  ///   - logger: receives failed refreshes.
  public init(
    copy: URL, address: URL? = nil, timeout: Duration = .seconds(3), logger: Logger
  ) {
    self.copy = copy
    self.address = address
    self.logger = logger
    self.timeout = timeout
    let kept = (try? Data(contentsOf: copy)).flatMap { try? SpeciesTaxonomy($0) }
    taxonomy = [kept, .bundled].compactMap { $0 }.max { $0.version < $1.version } ?? .bundled
  }

  /// Creates a source from the path or web address of the newest list. A `nil` or empty name disables refreshing.
  public init(named name: String?, copy: URL, logger: Logger) {
    let isAddress = name?.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\/.*/) != nil
    let address = name.flatMap {
      $0.isEmpty ? nil : isAddress ? URL(string: $0) : URL(filePath: $0)
    }
    self.init(copy: copy, address: address, logger: logger)
  }

  /// Fetches the list from its address with `refresh(from:)`. Returns immediately if there is no address.
  ///
  /// - Parameter pause: the minimum time since the last refresh began. Without it, clients could make this server send
  ///   requests as often as they like.
  package func refresh(after pause: Duration = .zero) async {
    guard let address, lastRefresh.map({ .now - $0 >= pause }) ?? true else { return }
    lastRefresh = .now
    await refresh(from: address)
  }

  /// Fetches a list from a file or web address and adopts it if it's newer. Never throws. On failure, keeps the current
  /// list and logs the reason (no analytics event, seed 021).
  package func refresh(from address: URL) async {
    do {
      let data = try await readContents(address)
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

  /// Returns the contents of `address`. Throws if a web address takes longer than `timeout`.
  private func readContents(_ address: URL) async throws -> Data {
    if address.isFileURL { return try Self.file(address.path) }
    var request = HTTPRequest(
      url: address.absoluteString, maxAnswerBytes: SpeciesTaxonomy.maxFileBytes)
    request.followsRedirects = true
    request.milliseconds = max(1, Int(timeout / .milliseconds(1)))
    do {
      let answer = try await HTTPConnection().send(request)
      guard answer.status == 200 else { throw TaxonomyError.unreadable }
      return Data(answer.body)
    } catch let failure as HTTPTransportError {
      throw failure.kind == .time ? TaxonomyError.tooSlow : .unreadable
    }
  }

  /// Reads a regular file, up to one byte more than the size limit. Rejects pipes, because reading one could block.
  private static func file(_ path: String) throws -> Data {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw TaxonomyError.unreadable }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw TaxonomyError.unreadable
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: false)
    return try handle.read(upToCount: SpeciesTaxonomy.maxFileBytes + 1) ?? Data()
  }
}
