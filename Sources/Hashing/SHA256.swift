import CCrypto

/// An incremental SHA-256 (FIPS 180-4), computed by the system's libcrypto.
package struct SHA256: Sendable {
  private var state = State()

  /// Creates a hash of no bytes.
  package init() {}

  /// Adds the next bytes.
  package mutating func add(_ bytes: [UInt8]) {
    if !isKnownUniquelyReferenced(&state) { state = State(copy: state) }
    let isAdded = withExtendedLifetime(state) { state in
      bytes.withUnsafeBytes { EVP_DigestUpdate(state.context, $0.baseAddress, $0.count) }
    }
    precondition(isAdded == 1, "libcrypto hashes nothing")
  }

  /// The digest of all bytes so far, 32 bytes. More bytes may be added afterwards.
  package var digest: [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    // Works on a copy, because finishing a context makes it unusable.
    let isMade = withExtendedLifetime(State(copy: state)) {
      EVP_DigestFinal_ex($0.context, &digest, nil)
    }
    precondition(isMade == 1, "libcrypto makes no digest")
    return digest
  }

  /// Returns the digest of some bytes, 32 bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    let isMade = EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil)
    precondition(isMade == 1, "libcrypto makes no digest")
    return digest
  }

  /// Fetched once because libcrypto searches for an algorithm on each use by name. It is never changed.
  nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

  /// The libcrypto context of a hash. It is shared by copies of a value and copied before it changes.
  ///
  /// `@unchecked` because only a value that doesn't share the context changes it.
  private final class State: @unchecked Sendable {
    let context = EVP_MD_CTX_new()

    init() {
      precondition(
        EVP_DigestInit_ex(context, SHA256.algorithm, nil) == 1, "libcrypto has no SHA-256")
    }

    init(copy state: State) {
      let isCopied = withExtendedLifetime(state) { EVP_MD_CTX_copy_ex(context, $0.context) }
      precondition(isCopied == 1, "libcrypto copies no hash")
    }

    deinit { EVP_MD_CTX_free(context) }
  }
}

extension [UInt8] {
  /// Decodes pairs of hexadecimal digits in lower case. Other characters aren't rejected and give wrong bytes.
  package init(hexadecimal digits: some Collection<UInt8>) {
    func value(_ digit: UInt8) -> UInt8 { digit <= 57 ? digit - 48 : digit - 87 }
    self = []
    reserveCapacity(digits.count / 2)
    var high = UInt8?.none
    for digit in digits {
      if let first = high { append(first << 4 | value(digit)) }
      high = high == nil ? value(digit) : nil
    }
  }

  /// The bytes as hexadecimal digits in lower case.
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
