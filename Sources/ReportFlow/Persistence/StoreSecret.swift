package import Foundation
package import PhotoAttachments

extension Transaction {
  /// The secret that passwords and cookies follow from.
  package func storeSecret() throws -> Data {
    guard let secret = try rows("SELECT secret FROM store").first?.data(0) else {
      // It was made with the table.
      throw StoreError.database(what: "damaged", detail: "no secret")
    }
    return secret
  }
}
