package import Foundation
import Hashing

/// The secret of an announcement. It's random, shown once and stored as a salted hash. The hash is fast, because slow
/// hashes protect passwords that people choose, and this one has 79 random bits (decision 65).
package enum ManagementPassword {
  /// Letters and digits that are hard to confuse when they are read aloud or copied by hand.
  private static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ")

  /// Returns a new password such as `K7QM-2XWD-9RTA-HB4E`.
  package static func random() -> String { grouped(letters(16)) }

  /// Returns `count` random letters. 16 are enough for a secret.
  private static func letters(_ count: Int) -> [Character] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "2" }
  }

  /// Returns the suffix of a new announcement's short URL. It uses the same letters but isn't secret.
  static func shortCode() -> String { String(letters(5)) }

  /// Returns `text` in uppercase if it has the form of a short code, in any letter case. Otherwise returns `nil`.
  static func shortCode(_ text: String) -> String? {
    let code = text.uppercased()
    return code.count == 5 && code.allSatisfy(alphabet.contains) ? code : nil
  }

  /// Derives a password, in the same format, from a secret of 32 random bytes and the text of a key.
  ///
  /// Deriving it requires both. A store contains only the secret, because the recorded form of a key
  /// (`UUID.init(idempotencyKey:)`) doesn't reveal the text.
  package static func derived(from secret: Data, for key: String) -> String {
    var letters: [Character] = []
    var round: UInt8 = 0
    while letters.count < 16 {
      let message = Array("password:\(key)".utf8) + [round]
      let code = hmac(message, key: Array(secret))
      // Skip the bytes beyond the last whole multiple of the alphabet's size, which would make its first letters more
      // likely.
      letters += code.map(Int.init).filter { $0 < 256 / alphabet.count * alphabet.count }
        .map { alphabet[$0 % alphabet.count] }
      round += 1
    }
    return grouped(letters)
  }

  private static func grouped(_ letters: [Character]) -> String {
    stride(from: 0, to: 16, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  /// Normalizes a typed password. Letter case, dashes and spaces don't matter.
  static func normalized(_ password: String) -> [UInt8] {
    Array(password.uppercased().filter { $0.isLetter || $0.isNumber }.utf8)
  }

  /// Returns why a typed text can't be a password, or `nil` if it has the form of one.
  package static func mistake(in typed: String, _ words: Words) -> String? {
    let letters = typed.uppercased().filter { $0.isLetter || $0.isNumber }
    if let other = letters.first(where: { !alphabet.contains($0) }) {
      return words("code.letter", ["letter": String(other)])
    }
    return letters.count == 16 ? nil : words("code.length", ["count": String(letters.count)])
  }

  /// Hashes the password of the announcement with this id.
  ///
  /// - Returns: `sha256$SALT$DIGEST` with a new salt of 16 bytes. Salt and digest are in base64.
  package static func hash(_ password: String, of id: String) -> String {
    let salt = randomBytes(16)
    return ["sha256", Data(salt).base64EncodedString(), digest(password, id, salt)]
      .joined(separator: "$")
  }

  /// Returns `true` if `hash` belongs to this password and announcement. Compares in constant time.
  package static func verify(_ password: String, of id: String, against hash: String) -> Bool {
    let parts = hash.split(separator: "$")
    guard parts.count == 3, parts[0] == "sha256", let salt = Data(base64Encoded: String(parts[1]))
    else { return false }
    return isSame(Array(digest(password, id, Array(salt)).utf8), Array(parts[2].utf8))
  }

  private static func digest(_ password: String, _ id: String, _ salt: [UInt8]) -> String {
    let message =
      Array("petspot owner\0".utf8) + salt + Array("\(id)\0".utf8) + normalized(password)
    return Data(SHA256.digest(of: message)).base64EncodedString()
  }
}
