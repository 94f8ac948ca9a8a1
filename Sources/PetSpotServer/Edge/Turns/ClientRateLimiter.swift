import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Determines which client sent a request, and limits how often each client may act.
final class ClientRateLimiter: Sendable {
  private let configuration: ServerConfiguration
  private let buckets = Mutex(Buckets())

  private struct Key: Hashable {
    let act: ClientAct
    let client: ClientNetwork
  }

  private struct Buckets {
    var all: [Key: TokenBucket] = [:]
    /// The number of buckets above which full ones are deleted. It becomes twice the number that stays, so that only
    /// a few requests have to go through all buckets.
    var limit = 10_000

    mutating func removeFull(at now: ContinuousClock.Instant) {
      if all.count <= limit { return }
      all = all.filter { !$0.value.isFull(at: now) }
      limit = max(10_000, 2 * all.count)
    }
  }

  init(_ configuration: ServerConfiguration) { self.configuration = configuration }

  private static let forwardedFor = HTTPField.Name("X-Forwarded-For")
  private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")

  /// Returns the client that sent a request, and whether the request came over TLS.
  func origin(
    of request: Request, from peer: SocketAddress?
  ) -> (client: ClientNetwork, isSecure: Bool) {
    let isTLS = configuration.tls != nil
    guard let address = peer?.ipAddress, isTrusted(address) else {
      return (ClientNetwork(peer), isTLS)
    }
    // Take the nearest address that isn't a trusted proxy. The client can forge every entry before it.
    let chain = (Self.forwardedFor.flatMap { request.headers[$0] } ?? "")
      .split(separator: ",", omittingEmptySubsequences: false)
      .map { Self.host(of: $0.trimmingCharacters(in: .whitespaces)) }
    let client = chain.last { !isTrusted($0) }.flatMap { ClientNetwork($0) }
    let scheme = Self.forwardedProto.flatMap { request.headers[$0] }
    return (client ?? ClientNetwork(peer), scheme.map { $0.lowercased() == "https" } ?? isTLS)
  }

  /// Returns `true` if interim responses may be sent to a peer. A proxy such as nginx takes them for the final
  /// response.
  func takesInterim(_ peer: SocketAddress?) -> Bool {
    configuration.interimResponses || !(peer?.ipAddress.map(isTrusted) ?? false)
  }

  private func isTrusted(_ address: String) -> Bool {
    configuration.trustedProxies.contains { $0.contains(address) }
  }

  /// Removes the port that some proxies append: `192.0.2.7:80`, `[2001:db8::1]:80`.
  private static func host(of entry: String) -> String {
    if entry.hasPrefix("[") { return String(entry.dropFirst().prefix { $0 != "]" }) }
    let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[0]) : entry
  }

  /// Counts an act that costs the server work.
  ///
  /// - Throws: 429 if the client has acted too often.
  func count(_ act: ClientAct, of client: ClientNetwork) throws(ErrorResponse) {
    guard configuration.limitsClients else { return }
    let now = ContinuousClock.now
    let wait = buckets.withLock { buckets in
      buckets.removeFull(at: now)
      return buckets.all[Key(act: act, client: client), default: TokenBucket(at: now)]
        .takeToken(for: act, at: now)
    }
    if let wait { throw .throttled(seconds: wait) }
  }

  /// Runs a look-up, which counts as a miss until it ends, and afterward only if nothing was found.
  ///
  /// - Throws: 429 if the client has missed too often; the errors of `lookUp`.
  func countingMisses<Value>(
    of client: ClientNetwork, _ lookUp: () async throws -> Value
  ) async throws -> Value {
    try count(.miss, of: client)
    var isMiss = false
    defer {
      if !isMiss {
        buckets.withLock { $0.all[Key(act: .miss, client: client)]?.giveBack(for: .miss) }
      }
    }
    do { return try await lookUp() } catch {
      isMiss = ErrorResponse(cause: error)?.cause == .notFound
      throw error
    }
  }
}

/// A token bucket: allows a burst of acts, then one more per interval.
struct TokenBucket: Sendable {
  /// The time when the bucket is full again.
  private var full: ContinuousClock.Instant

  /// Creates a full bucket.
  init(at now: ContinuousClock.Instant) { full = now }

  /// Takes a token.
  ///
  /// - Returns: `nil`, or the seconds until a token is available.
  mutating func takeToken(for act: ClientAct, at now: ContinuousClock.Instant) -> Int? {
    let next = max(full, now) + act.interval
    let missing = next - now - act.interval * act.most
    guard missing <= .zero else { return Int((missing / .seconds(1)).rounded(.up)) }
    full = next
    return nil
  }

  /// Puts a token back.
  mutating func giveBack(for act: ClientAct) { full -= act.interval }

  /// Returns `true` if the bucket is full, so that it can be deleted.
  func isFull(at now: ContinuousClock.Instant) -> Bool { full <= now }
}
