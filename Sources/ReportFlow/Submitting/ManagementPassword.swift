package import Foundation
import Glibc
import Hashing
import PhotoAttachments
import PhotoIngestion

/// The secret of an announcement: random, shown once, kept as a slow hash.
package enum ManagementPassword {
  /// Letters and digits that are not mistaken for each other when read aloud or copied by hand.
  private static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ")

  /// A new password as `K7QM-2XWD-9RTA`: 12 characters, more than 59 bits. The shipped server's six
  /// digits could be guessed.
  package static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<3).map { _ in
      String((0..<4).map { _ in alphabet.randomElement(using: &generator) ?? "2" })
    }.joined(separator: "-")
  }

  /// The password that follows from a secret of 32 random bytes and the text of a key, in the same form.
  /// It takes both to find it, and a store keeps only the first: what it has on record of a key
  /// (`UUID.init(idempotencyKey:)`) doesn't give the text back.
  package static func derived(from secret: Data, for key: String) -> String {
    var letters: [Character] = []
    var round: UInt8 = 0
    while letters.count < 12 {
      let message = Array("password:\(key)".utf8) + [round]
      let code = hmac(message, key: Array(secret))
      // What is left of a byte's range beyond whole alphabets would make its first letters likelier.
      letters += code.map(Int.init).filter { $0 < 256 / alphabet.count * alphabet.count }
        .map { alphabet[$0 % alphabet.count] }
      round += 1
    }
    return stride(from: 0, to: 12, by: 4).map { String(letters[$0..<$0 + 4]) }
      .joined(separator: "-")
  }

  /// Case, dashes and spaces do not matter when a person types it.
  static func normalized(_ password: String) -> [UInt8] {
    Array(password.uppercased().filter { $0.isLetter || $0.isNumber }.utf8)
  }

  /// scrypt's N as a power of two: with r 8 and p 1, 15 takes 32 MiB of memory.
  package static let cost = 15

  /// The scrypt hash with its cost and salt beside it.
  package static func hash(_ password: String, cost: Int = cost) throws -> String {
    let salt = randomBytes(16)
    let key = try derive(password, salt: salt, rounds: 1 << cost)
    return ["scrypt", "\(cost)", Data(salt).base64EncodedString(), Data(key).base64EncodedString()]
      .joined(separator: "$")
  }

  /// Whether `password` is the one of `hash`, compared in constant time.
  package static func verify(_ password: String, against hash: String) throws -> Bool {
    let parts = hash.split(separator: "$")
    guard parts.count == 4, parts[0] == "scrypt", let power = Int(parts[1]),
      (10...20).contains(power), let salt = Data(base64Encoded: String(parts[2])),
      let expected = Data(base64Encoded: String(parts[3]))
    else { return false }
    return isSame(
      try derive(password, salt: Array(salt), rounds: 1 << power), Array(expected))
  }

  private static func derive(_ password: String, salt: [UInt8], rounds: Int) throws -> [UInt8] {
    guard let key = scrypt(normalized(password), salt: salt, rounds: rounds) else {
      throw StoreError.photo(.shortage(errno: ENOMEM))
    }
    return key
  }
}
