import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Tells who asks, and how often each may.
final class ClientWatch: Sendable {
  private let configuration: ServerConfiguration
  private let buckets = Mutex<[String: TokenBucket]>([:])

  init(_ configuration: ServerConfiguration) { self.configuration = configuration }

  private static let forwardedFor = HTTPField.Name("X-Forwarded-For")
  private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")

  /// Who sent a request, and whether it came over TLS.
  func origin(of request: Request, from peer: String) -> (client: String, isSecure: Bool) {
    let isTrusted = configuration.trustedProxies.contains { $0.contains(peer) }
    guard isTrusted else { return (peer, configuration.tls != nil) }
    // The last address that no proxy of ours wrote down for another one.
    let chain = (Self.forwardedFor.flatMap { request.headers[$0] } ?? "").split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let client = chain.last { address in
      !configuration.trustedProxies.contains { $0.contains(address) }
    }
    let scheme = Self.forwardedProto.flatMap { request.headers[$0] }
    return (client ?? peer, scheme.map { $0.lowercased() == "https" } ?? (configuration.tls != nil))
  }

  /// Counts an act that costs us something.
  ///
  /// - Throws: 429 above 60 at once and one more each second.
  func count(_ act: String, of client: String) throws(ErrorAnswer) {
    guard configuration.limitsClients else { return }
    let now = ContinuousClock.now
    let wait = buckets.withLock { buckets in
      if buckets.count > 10_000 { buckets = buckets.filter { !$0.value.isFull(at: now) } }
      return buckets["\(act) \(client)", default: TokenBucket(at: now)].take(at: now)
    }
    if let wait { throw .throttled(seconds: wait) }
  }
}

/// Lets so many pass at once, and so many more each second.
struct TokenBucket: Sendable {
  private var tokens = Self.most
  private var last: ContinuousClock.Instant
  private static let (most, perSecond) = (60.0, 1.0)

  init(at now: ContinuousClock.Instant) { last = now }

  private mutating func fill(at now: ContinuousClock.Instant) {
    let seconds = (now - last) / .seconds(1)
    tokens = min(Self.most, tokens + seconds * Self.perSecond)
    last = now
  }

  /// Takes one.
  ///
  /// - Returns: nil, or the seconds until there is one.
  mutating func take(at now: ContinuousClock.Instant) -> Int? {
    fill(at: now)
    guard tokens >= 1 else { return Int(((1 - tokens) / Self.perSecond).rounded(.up)) }
    tokens -= 1
    return nil
  }

  /// Whether it says nothing that a new one would not.
  func isFull(at now: ContinuousClock.Instant) -> Bool {
    var copy = self
    copy.fill(at: now)
    return copy.tokens >= Self.most
  }
}
