import Dispatch
package import Foundation
package import PhotoAttachments

/// The tables of drafts and announcements, in the database that photos are recorded in. Where a database
/// makes them with the first act that needs them, a cache that only keeps photos has none.
package struct Reports: Sendable {
  package let photos: PhotoAttachmentCache

  package init(_ photos: PhotoAttachmentCache) { self.photos = photos }

  /// The records of the photos.
  package var catalog: any RecordsCatalog {
    get throws(StoreError) {
      guard let catalog = photos.catalog as? any RecordsCatalog else {
        throw .fault(what: "no-records")
      }
      return catalog
    }
  }

  /// The database, with our tables in it.
  var database: any RecordsDatabase {
    get throws(StoreError) {
      let catalog = try catalog
      try catalog.prepareReports()
      return catalog.database
    }
  }

  /// Makes the tables where they are not, never on Swift's own threads.
  func prepare() async throws(StoreError) {
    let catalog = try catalog
    guard !catalog.areReportsReady else { return }
    try await Self.slow.act { () throws(StoreError) in try catalog.prepareReports() }
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
