import BlobStoreS3
import Glibc
package import PhotoAttachments
import PhotoStorePostgres

extension Stores {
  /// The variable that names a database; servers get theirs by it, so that no password stands among
  /// the arguments of a program.
  package static let databaseVariable = "PETSPOT_DATABASE"

  /// The database's address: `given`, else `PETSPOT_DATABASE`; nil for the catalog in the cache folder.
  package static func databaseAddress(given: String? = nil) -> String? {
    given ?? named(by: databaseVariable)
  }

  /// Where the database is that servers use, without secrets; nil for the cache folder.
  package static func shownDatabase() -> String? {
    databaseAddress().map { (try? PostgresAddress($0))?.shown ?? "PostgreSQL" }
  }

  /// Where the pictures are that servers use, without secrets; nil for the cache folder.
  package static func shownBlobs() -> String? {
    blobsAddress().map { (try? S3Client(at: $0))?.address.shown ?? "S3" }
  }

  /// What a variable of the environment names; nil when it says nothing.
  static func named(by variable: String) -> String? {
    getenv(variable).flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
  }

  /// Whether a text has the form of a database's address: `postgresql://USER@HOST:PORT/NAME`.
  package static func isDatabaseAddress(_ text: String) -> Bool { PostgresAddress.isOne(text) }

  /// Asks the server of a database; makes nothing.
  ///
  /// - Throws: `StoreError.unreachable`, `.busy`, `.database`.
  package static func facts(ofDatabase text: String) throws(StoreError) -> DatabaseFacts {
    try DatabaseFacts(PostgresAddress(text))
  }
}
