import Glibc
import NIOCore

/// What counts as one client: an IPv4 address or a /64 of IPv6, of which one household has 2^64.
enum ClientNetwork: Hashable, Sendable {
  /// The 4 bytes of an address.
  case ipv4([UInt8])
  /// The first 8 bytes of an address.
  case ipv6([UInt8])
  /// A Unix socket or no address.
  case local

  /// The client at an address; IPv4 in IPv6 (`::ffff:0:0/96`, RFC 4291 2.5.5.2) is IPv4.
  init(_ address: SocketAddress?) {
    guard let text = address?.ipAddress else {
      self = .local
      return
    }
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self = .ipv4(Array(bytes[..<4]))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      let isIPv4 = bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
      self = isIPv4 ? .ipv4(Array(bytes[12...])) : .ipv6(Array(bytes[..<8]))
    } else {
      self = .local
    }
  }
}
