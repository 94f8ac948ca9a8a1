import CCrypto

/// The version of the system's libcrypto.
package var cryptoLibraryVersion: String {
  String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
}

/// Returns the HMAC-SHA-256 of a message (RFC 2104), 32 bytes. It can only be computed with the key. Cookies,
/// management passwords and requests to object stores use it.
package func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
  var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
  let isMade = HMAC(
    EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
  precondition(isMade != nil, "libcrypto makes no HMAC")
  return code
}

/// Returns `count` unpredictable bytes.
package func randomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}

/// Compares two values in constant time, so that the duration doesn't reveal where they differ.
package func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}

/// Returns the MD5 of some bytes (RFC 1321), 16 bytes. Object stores use it to detect transmission errors. It doesn't
/// protect against forgery.
package func md5(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: Int(MD5_DIGEST_LENGTH))
  let isMade = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil)
  precondition(isMade == 1, "libcrypto makes no MD5")
  return digest
}
