import Hashing

/// SHA-256 of bytes as 64 lower-case hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String { SHA256.digest(of: bytes).hexadecimal }
