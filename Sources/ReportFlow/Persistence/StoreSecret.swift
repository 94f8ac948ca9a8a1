package import Foundation
package import PhotoAttachments
import Synchronization

/// The secret of a store, read once: it never changes.
final class StoreSecret: Sendable {
  private let known = Mutex<Data?>(nil)

  /// The secret, read by `read` if it is the first time.
  func value<Failure: Error>(
    _ read: () async throws(Failure) -> Data
  ) async throws(Failure) -> Data {
    if let known = known.withLock({ $0 }) { return known }
    let secret = try await read()
    known.withLock { $0 = secret }
    return secret
  }
}

extension Transaction {
  /// The secret that passwords and cookies follow from.
  package func storeSecret() throws -> Data {
    guard let secret = try rows("SELECT secret FROM store").first?.data(0) else {
      // It was made with the table.
      throw StoreError.database(.damaged, detail: "no secret")
    }
    return secret
  }
}
