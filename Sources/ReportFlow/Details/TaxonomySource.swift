public import Foundation
import HTTPClient
public import Logging

/// Keeps the list of species: the bundled one, or a newer one that was fetched before (seed 021,
/// FR-014; decision 19).
public actor TaxonomySource {
  /// The list to choose from; never empty.
  public private(set) var taxonomy: SpeciesTaxonomy
  /// Whether the last refresh failed, so that "Using offline list" is shown.
  public private(set) var isOffline = false

  private let copy: URL
  private let address: URL?
  private var lastRefresh: ContinuousClock.Instant?
  private let timeout: Duration
  private let logger: Logger

  /// A source that keeps a fetched list in the file `copy`. A damaged or older copy is passed over.
  ///
  /// - Parameters:
  ///   - copy: the file that a fetched list is kept in.
  ///   - address: the file or web address of the newest list; nil when there is none to ask for.
  ///   - timeout: how long a refresh may take before the list at hand goes on serving.
  ///   - logger: gets refreshes that failed.
  public init(
    copy: URL, address: URL? = nil, timeout: Duration = .seconds(3), logger: Logger
  ) {
    (self.copy, self.address, self.logger) = (copy, address, logger)
    self.timeout = timeout
    let kept = (try? Data(contentsOf: copy)).flatMap { try? SpeciesTaxonomy($0) }
    taxonomy = [kept, .bundled].compactMap { $0 }.max { $0.version < $1.version } ?? .bundled
  }

  /// A source whose newest list lies in a file or at a web address; nil or an empty name for one that
  /// has nothing to ask.
  public init(named name: String?, copy: URL, logger: Logger) {
    let isAddress = name?.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\/.*/) != nil
    let address = name.flatMap {
      $0.isEmpty ? nil : isAddress ? URL(string: $0) : URL(filePath: $0)
    }
    self.init(copy: copy, address: address, logger: logger)
  }

  /// Fetches the list from its address, if it has one, as `refresh(from:)` does.
  ///
  /// - Parameter pause: does nothing when the last refresh began less than this ago, so that
  ///   strangers who ask for it do not make us ask others as often.
  public func refresh(after pause: Duration = .zero) async {
    guard let address, lastRefresh.map({ .now - $0 >= pause }) ?? true else { return }
    lastRefresh = .now
    await refresh(from: address)
  }

  /// Fetches a list from a file or web address and takes it when it is newer. Never throws: the
  /// list at hand goes on serving, the log says why (no analytics event, seed 021).
  public func refresh(from address: URL) async {
    do {
      let data = try await read(address)
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

  /// What `address` has to say within our timeout.
  private func read(_ address: URL) async throws -> Data {
    if address.isFileURL { return try Self.file(address.path) }
    var request = HTTPRequest(
      url: address.absoluteString, maxAnswerBytes: SpeciesTaxonomy.maxFileBytes)
    request.followsRedirects = true
    request.milliseconds = max(1, Int(timeout / .milliseconds(1)))
    do {
      let answer = try await HTTPConnection().send(request)
      guard answer.status == 200 else { throw TaxonomyError.unreadable }
      return Data(answer.body)
    } catch let failure as HTTPFailure {
      throw failure.kind == .time ? TaxonomyError.tooSlow : .unreadable
    }
  }

  /// A regular file, never more of it than a list may have: a pipe would keep us waiting.
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
