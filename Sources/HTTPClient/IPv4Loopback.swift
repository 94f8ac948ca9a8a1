/// The addresses of this machine, 127.0.0.0/8 (RFC 1122, 3.2.1.3).
package enum IPv4Loopback {
  /// Returns `true` if `host` is such an address in dotted form. A name such as `127.example.org` isn't, because it can
  /// lead anywhere.
  package static func contains(_ host: String) -> Bool {
    host.hasPrefix("127.") && host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
  }
}
