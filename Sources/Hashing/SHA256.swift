import CCrypto

/// SHA-256 (FIPS 180-4) of bytes that come in pieces, by the system's libcrypto.
package struct SHA256: Sendable {
  private var state = SHA256_CTX()

  /// That of no bytes.
  package init() { SHA256_Init(&state) }

  /// Takes the next piece.
  package mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { _ = SHA256_Update(&state, $0.baseAddress, $0.count) }
  }

  /// The digest of all pieces so far, 32 bytes; more may follow.
  package var digest: [UInt8] {
    var (state, digest) = (state, [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH)))
    SHA256_Final(&digest, &state)
    return digest
  }

  /// The digest of some bytes, 32 bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var hash = Self()
    hash.add(bytes)
    return hash.digest
  }
}

extension [UInt8] {
  /// As digits, lower case.
  package var hexadecimal: String {
    let digits = Array<UInt8>("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * count)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
