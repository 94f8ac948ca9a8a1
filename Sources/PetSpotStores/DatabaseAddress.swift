import BlobStoreS3
import Glibc
package import PhotoAttachments
import PhotoStorePostgres

extension Stores {
  /// The environment variable with the address of a database. Servers get the address only in this way, so that the
  /// arguments of a program contain no password.
  package static let databaseVariable = "PETSPOT_DATABASE"

  /// Returns the address of the database: `given`, else `PETSPOT_DATABASE`. `nil` means the catalog in the cache
  /// folder.
  package static func databaseAddress(given: String? = nil) -> String? {
    given ?? named(by: databaseVariable)
  }

  /// Returns the address of the servers' database without secrets. `nil` means the cache folder.
  package static func shownDatabase() -> String? {
    databaseAddress().map { (try? PostgresAddress($0))?.shown ?? "PostgreSQL" }
  }

  /// Returns the address of the servers' pictures without secrets. `nil` means the cache folder.
  package static func shownBlobs() -> String? {
    blobsAddress().map { (try? S3Client(at: $0))?.address.shown ?? "S3" }
  }

  /// Returns the value of an environment variable, or `nil` if it is missing or empty.
  static func named(by variable: String) -> String? {
    getenv(variable).flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
  }

  /// Returns `true` if a text has the form of a database's address: `postgresql://USER@HOST:PORT/NAME`.
  package static func isDatabaseAddress(_ text: String) -> Bool {
    PostgresAddress.isPostgresURL(text)
  }

  /// Queries the server of a database. Creates nothing.
  ///
  /// - Throws: `StoreError.unreachable`, `.busy`, `.database`.
  package static func facts(ofDatabase text: String) throws(StoreError) -> DatabaseFacts {
    try DatabaseFacts(PostgresAddress(text))
  }
}
