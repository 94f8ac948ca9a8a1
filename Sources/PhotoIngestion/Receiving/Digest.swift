import Crypto

/// SHA-256 of bytes as 64 lower-case hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String {
  SHA256.hash(data: bytes).hexadecimal
}

/// A digest of bytes that come in pieces.
package struct StreamedDigest {
  private var hasher = SHA256()

  /// That of no bytes.
  package init() {}

  /// Takes the next piece.
  package mutating func add(_ bytes: [UInt8]) { hasher.update(data: bytes) }

  /// SHA-256 of all pieces so far, as `sha256(of:)` writes it.
  package var hexadecimal: String { hasher.finalize().hexadecimal }
}

extension SHA256.Digest {
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
