package import Foundation
package import PhotoAttachments
import Synchronization

/// The cached secret of a store, from which passwords and cookies are derived. It's read once, because only a move or
/// restore into a store without drafts and announcements changes it.
final class StoreSecret: Sendable {
  private let known = Mutex<Data?>(nil)

  /// Returns the secret. The first call reads it with `read`.
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
  /// Returns the secret that passwords and cookies are derived from.
  package func storeSecret() throws -> Data {
    guard let secret = try rows("SELECT secret FROM store").first?.data(0) else {
      // The row is created with the table.
      throw StoreError.database(.damaged, detail: "no secret")
    }
    return secret
  }
}
