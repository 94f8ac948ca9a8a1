package import Foundation
package import GRDB
package import PhotoIngestion

extension PhotoAttachmentCache {
  /// Runs `work`, which says whose photos its tables no longer refer to; in the same transaction the
  /// records of those go that nobody else refers to, and their files after the commit.
  ///
  /// - Throws: catalog errors; nothing has changed then.
  package func releasing(
    _ work: @escaping @Sendable (Database) throws -> [UUID]
  ) async throws(PhotoError) {
    let gone = try await catalog.writeAsync { db in
      try work(db).flatMap { try PhotoRow.deleteUnreferenced(db, id: $0) }
    }
    await release(gone)
  }
}
