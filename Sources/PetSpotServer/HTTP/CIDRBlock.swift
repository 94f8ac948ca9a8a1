import Glibc

/// A range of IP addresses, such as `10.0.0.0/8` or `fd00::/8`. Without a length it is a single address.
public struct CIDRBlock: Sendable, Equatable {
  private let bytes: [UInt8]
  private let bits: Int

  /// Parses a network. `nil` if the text isn't valid.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = Self.bytes(of: String(parts[0])) else { return nil }
    var bits = bytes.count * 8
    if parts.count > 1 {
      guard let given = Int(parts[1]), (0...bits).contains(given), parts[1].allSatisfy(\.isASCII)
      else { return nil }
      bits = given
    }
    self.bytes = bytes
    self.bits = bits
  }

  /// Returns `true` if the network contains an address.
  func contains(_ address: String) -> Bool {
    guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
    return (0..<bits).allSatisfy { bit in
      (bytes[bit / 8] ^ other[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
    }
  }

  /// Returns the 4 or 16 bytes of an address, or the 4 bytes of an IPv4 address within IPv6.
  static func bytes(of address: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, address, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
    var six = in6_addr()
    guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: &six) { Array($0) }
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    return Array(bytes.prefix(12)) == mapped ? Array(bytes.suffix(4)) : bytes
  }
}
