import Glibc
import NIOCore

/// A client, for all limits and counts: an IPv4 address or a /64 network of IPv6. One household has a whole /64.
enum ClientNetwork: Hashable, Sendable {
  /// The 4 bytes of an address.
  case ipv4([UInt8])
  /// The first 8 bytes of an address.
  case ipv6([UInt8])
  /// A Unix socket or no address.
  case local

  /// Creates the client at the other end of a connection.
  init(_ address: SocketAddress?) {
    self = address?.ipAddress.flatMap { Self($0) } ?? .local
  }

  /// Creates the client at an address, or `nil` if the text isn't an address. IPv4 in IPv6 (`::ffff:0:0/96`, RFC 4291
  /// 2.5.5.2) counts as IPv4.
  init?(_ address: String) {
    guard let bytes = CIDRBlock.bytes(of: address) else { return nil }
    self = bytes.count == 4 ? .ipv4(bytes) : .ipv6(Array(bytes[..<8]))
  }

  /// The client as text, such as `192.0.2.7` or `2001:db8:0:1::/64`. The text is unique, so tables use it as the
  /// client's key.
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
