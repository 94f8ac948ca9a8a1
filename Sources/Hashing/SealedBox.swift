import CCrypto

/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D): only the holder of the key can read or change the
/// contents. A box consists of a 12-byte nonce, the encrypted bytes and a 16-byte tag. The mail queue stores its mails
/// in such boxes.
package enum SealedBox {
  private static let nonceBytes = 12
  private static let tagBytes: Int32 = 16

  /// Encrypts bytes. Returns `nil` if the nonce or the key has the wrong size.
  ///
  /// - Parameters:
  ///   - nonce: 12 random bytes.
  ///   - key: 32 bytes.
  package static func seal(_ bytes: [UInt8], nonce: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard key.count == 32, nonce.count == nonceBytes, let cipher = EVP_CIPHER_CTX_new() else {
      return nil
    }
    defer { EVP_CIPHER_CTX_free(cipher) }
    var sealed = [UInt8](repeating: 0, count: bytes.count)
    var tag = [UInt8](repeating: 0, count: Int(tagBytes))
    var count: Int32 = 0
    guard EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
      EVP_EncryptUpdate(cipher, &sealed, &count, bytes, Int32(bytes.count)) == 1,
      EVP_EncryptFinal_ex(cipher, &tag, &count) == 1,
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, tagBytes, &tag) == 1
    else { return nil }
    return nonce + sealed + tag
  }

  /// Decrypts a box. Returns `nil` if it was changed or encrypted with another key.
  package static func open(_ box: [UInt8], key: [UInt8]) -> [UInt8]? {
    let size = box.count - nonceBytes - Int(tagBytes)
    guard key.count == 32, size >= 0, let cipher = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(cipher) }
    let nonce = Array(box.prefix(nonceBytes))
    let sealed = Array(box[nonceBytes..<nonceBytes + size])
    var tag = Array(box.suffix(Int(tagBytes)))
    var bytes = [UInt8](repeating: 0, count: size)
    var rest = [UInt8](repeating: 0, count: 16)
    var count: Int32 = 0
    guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
      EVP_DecryptUpdate(cipher, &bytes, &count, sealed, Int32(size)) == 1,
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, tagBytes, &tag) == 1,
      EVP_DecryptFinal_ex(cipher, &rest, &count) == 1
    else { return nil }
    return bytes
  }
}
