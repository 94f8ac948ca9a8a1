package import Foundation
import Hashing

/// The secret that a store's passwords and cookies follow from.
package enum StoreSecret {
  /// A new one: 32 bytes that nobody can guess.
  package static func new() -> Data { Data(randomBytes(32)) }
}
