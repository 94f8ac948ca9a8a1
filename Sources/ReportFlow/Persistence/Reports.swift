import Dispatch
package import Foundation
package import PhotoAttachments
import Synchronization

/// The tables of drafts and announcements, in the database that photos are recorded in. Where a database
/// makes them with the first act that needs them, a cache that only keeps photos has none.
package final class Reports: Sendable {
  package let photos: PhotoAttachmentCache
  private let isReady = Atomic(false)

  package init(_ photos: PhotoAttachmentCache) { self.photos = photos }

  /// The records of the photos.
  package var catalog: Catalog { photos.catalog }

  /// The database, with our tables in it.
  var database: any RecordsDatabase {
    get throws(StoreError) {
      _ = try catalog.store.hasReports(making: true)
      return catalog.database
    }
  }

  /// Makes the tables where they are not, never on Swift's own threads.
  func prepare() async throws(StoreError) {
    if isReady.load(ordering: .acquiring) { return }
    _ = try await Self.slow.act { [catalog] () throws(StoreError) in
      try catalog.store.hasReports(making: true)
    }
    isReady.store(true, ordering: .releasing)
  }

  private static let slow = DispatchQueue(label: "petspot.report-tables")
}

extension Transaction {
  /// The secret that passwords and cookies follow from.
  package func storeSecret() throws -> Data {
    guard let secret = try rows("SELECT secret FROM \(dialect.secretTable)").first?.data(0) else {
      // It was made with the table.
      throw StoreError.database(what: "damaged", detail: "no secret")
    }
    return secret
  }
}
