import Glibc
import NIOCore

/// What counts as one client wherever something is counted by client: an IPv4 address or a /64 of
/// IPv6, of which one household has 2^64.
enum ClientNetwork: Hashable, Sendable {
  /// The 4 bytes of an address.
  case ipv4([UInt8])
  /// The first 8 bytes of an address.
  case ipv6([UInt8])
  /// A Unix socket or no address.
  case local

  /// The client at the other end of a connection.
  init(_ address: SocketAddress?) {
    self = address?.ipAddress.flatMap { Self($0) } ?? .local
  }

  /// The client at an address; nil for any other text. IPv4 in IPv6 (`::ffff:0:0/96`, RFC 4291
  /// 2.5.5.2) is IPv4.
  init?(_ address: String) {
    guard let bytes = Network.bytes(of: address) else { return nil }
    self = bytes.count == 4 ? .ipv4(bytes) : .ipv6(Array(bytes[..<8]))
  }

  /// The same client always has the same text, such as `192.0.2.7` or `2001:db8:0:1::/64`, by which
  /// tables keep it.
  var text: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch self {
    case .ipv4(let bytes): inet_ntop(AF_INET, bytes, &text, socklen_t(text.count))
    case .ipv6(let bytes):
      inet_ntop(AF_INET6, bytes + [UInt8](repeating: 0, count: 8), &text, socklen_t(text.count))
    case .local: return "local"
    }
    let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    if case .ipv6 = self { return address + "/64" }
    return address
  }
}
