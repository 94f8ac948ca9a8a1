package import Foundation
import Hashing

/// The secret of an announcement: random, shown once, stored as a salted hash. A fast one: slow hashes
/// protect passwords that people choose, and this has 79 random bits (decision 65).
package enum ManagementPassword {
  /// Letters and digits that are not mistaken for each other when read aloud or copied by hand.
  private static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ")

  /// A new password as `K7QM-2XWD-9RTA-HB4E`.
  package static func random() -> String { grouped(letters(16)) }

  /// So many letters that nobody can guess.
  private static func letters(_ count: Int) -> [Character] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "2" }
  }

  /// What a new announcement's short address ends with: no secret, in the letters of passwords.
  static func shortCode() -> String { String(letters(5)) }

  /// What `shortCode` gives, in any case; nil for any other text.
  static func shortCode(_ text: String) -> String? {
    let code = text.uppercased()
    return code.count == 5 && code.allSatisfy(alphabet.contains) ? code : nil
  }

  /// The password that follows from a secret of 32 random bytes and the text of a key, in the same form.
  /// It takes both to find it, and a store keeps only the first: what it has on record of a key
  /// (`UUID.init(idempotencyKey:)`) doesn't give the text back.
  package static func derived(from secret: Data, for key: String) -> String {
    var letters: [Character] = []
    var round: UInt8 = 0
    while letters.count < 16 {
      let message = Array("password:\(key)".utf8) + [round]
      let code = hmac(message, key: Array(secret))
      // What is left of a byte's range beyond whole alphabets would make its first letters likelier.
      letters += code.map(Int.init).filter { $0 < 256 / alphabet.count * alphabet.count }
        .map { alphabet[$0 % alphabet.count] }
      round += 1
    }
    return grouped(letters)
  }

  private static func grouped(_ letters: [Character]) -> String {
    stride(from: 0, to: 16, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  /// Case, dashes and spaces do not matter when a person types it.
  static func normalized(_ password: String) -> [UInt8] {
    Array(password.uppercased().filter { $0.isLetter || $0.isNumber }.utf8)
  }

  /// Hashes the password of the announcement with this id.
  ///
  /// - Returns: `sha256$SALT$DIGEST`, both in base64, with a new salt of 16 bytes.
  package static func hash(_ password: String, of id: String) -> String {
    let salt = randomBytes(16)
    return ["sha256", Data(salt).base64EncodedString(), digest(password, id, salt)]
      .joined(separator: "$")
  }

  /// Whether `hash` is of this password and announcement, compared in constant time.
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
