package import Foundation
import Hashing

/// The secret that a store's passwords and cookies follow from.
package enum StoreSecret {
  /// A new one: 32 bytes that can't be guessed.
  package static func new() -> Data { Data(randomBytes(32)) }
}
