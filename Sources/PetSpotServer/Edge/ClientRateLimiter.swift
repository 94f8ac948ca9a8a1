import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Finds out which client sent a request, and limits how often each may act.
final class ClientRateLimiter: Sendable {
  private let configuration: ServerConfiguration
  private let buckets = Mutex<[Key: TokenBucket]>([:])

  private struct Key: Hashable {
    let act: ClientAct
    let client: ClientNetwork
  }

  init(_ configuration: ServerConfiguration) { self.configuration = configuration }

  private static let forwardedFor = HTTPField.Name("X-Forwarded-For")
  private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")

  /// Which client sent a request, and whether it came over TLS.
  func origin(
    of request: Request, from peer: SocketAddress?
  ) -> (client: ClientNetwork, isSecure: Bool) {
    let isTLS = configuration.tls != nil
    guard let address = peer?.ipAddress, isTrusted(address) else {
      return (ClientNetwork(peer), isTLS)
    }
    // The nearest address that isn't a proxy's; what stands before it, or before nothing, is a claim of
    // the client.
    let chain = (Self.forwardedFor.flatMap { request.headers[$0] } ?? "")
      .split(separator: ",", omittingEmptySubsequences: false)
      .map { Self.host(of: $0.trimmingCharacters(in: .whitespaces)) }
    let client = chain.last { !isTrusted($0) }.flatMap { ClientNetwork($0) }
    let scheme = Self.forwardedProto.flatMap { request.headers[$0] }
    return (client ?? ClientNetwork(peer), scheme.map { $0.lowercased() == "https" } ?? isTLS)
  }

  /// Whether interim answers may be sent to a peer: a proxy such as nginx takes them for the final answer.
  func takesInterim(_ peer: SocketAddress?) -> Bool {
    configuration.interimResponses || !(peer?.ipAddress.map(isTrusted) ?? false)
  }

  private func isTrusted(_ address: String) -> Bool {
    configuration.trustedProxies.contains { $0.contains(address) }
  }

  /// An address without the port that some proxies write behind it: `192.0.2.7:80`,
  /// `[2001:db8::1]:80`.
  private static func host(of entry: String) -> String {
    if entry.hasPrefix("[") { return String(entry.dropFirst().prefix { $0 != "]" }) }
    let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[0]) : entry
  }

  /// Counts an act that costs the server something.
  ///
  /// - Throws: 429 above as many as the act allows.
  func count(_ act: ClientAct, of client: ClientNetwork) throws(ErrorResponse) {
    guard configuration.limitsClients else { return }
    let now = ContinuousClock.now
    let wait = buckets.withLock { buckets in
      if buckets.count > 10_000 { buckets = buckets.filter { !$0.value.isFull(at: now) } }
      return buckets[Key(act: act, client: client), default: TokenBucket(at: now)]
        .take(for: act, at: now)
    }
    if let wait { throw .throttled(seconds: wait) }
  }

  /// Takes back what `count` has counted.
  func giveBack(_ act: ClientAct, of client: ClientNetwork) {
    buckets.withLock { $0[Key(act: act, client: client)]?.giveBack(for: act) }
  }
}

/// Lets so many pass at once, and so many more each second.
struct TokenBucket: Sendable {
  /// When all that were taken are back.
  private var full: ContinuousClock.Instant

  /// A bucket from which nothing was taken.
  init(at now: ContinuousClock.Instant) { full = now }

  /// Takes one.
  ///
  /// - Returns: nil, or the seconds until there is one.
  mutating func take(for act: ClientAct, at now: ContinuousClock.Instant) -> Int? {
    let next = max(full, now) + act.interval
    let missing = next - now - act.interval * act.most
    guard missing <= .zero else { return Int((missing / .seconds(1)).rounded(.up)) }
    full = next
    return nil
  }

  /// Puts one back.
  mutating func giveBack(for act: ClientAct) { full -= act.interval }

  /// Whether it says nothing that a new one would not.
  func isFull(at now: ContinuousClock.Instant) -> Bool { full <= now }
}
