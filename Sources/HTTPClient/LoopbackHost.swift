/// The hosts that are this machine: `localhost`, `::1`, and 127.0.0.0/8 (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3).
package enum LoopbackHost {
  /// Returns `true` for `localhost`, or a loopback address, in brackets or not. A name such as `127.example.org` can
  /// lead anywhere.
  package static func contains(_ host: String) -> Bool {
    ["localhost", "::1", "[::1]"].contains(host)
      || host.hasPrefix("127.") && host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
  }
}
