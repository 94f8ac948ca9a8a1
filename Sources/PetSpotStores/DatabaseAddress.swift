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
}

/// What the server of a database says of itself, and what we may do there.
package struct DatabaseFacts: Sendable {
  /// The database's address without secrets.
  package let address: String
  /// Such as `15.18`.
  package let version: String
  /// How far this machine's clock is ahead of the server's, in milliseconds; negative when it is
  /// behind.
  package let clockDifference: Int
  /// Whether the connection is encrypted.
  package let isEncrypted: Bool
  /// Whether what was committed survives the server's end, by its settings.
  package let isDurable: Bool
  /// Whether our tables are there.
  package let hasTables: Bool
  /// Whether we may use them, or make them where there are none.
  package let mayWrite: Bool

  /// Asks the server of a database; makes nothing.
  ///
  /// - Throws: `StoreError.unreachable`, `.busy`, `.database`.
  package init(of database: String) throws(StoreError) {
    let report = try PostgresReport(PostgresAddress(database))
    address = report.address
    version = report.version
    clockDifference = report.clockDifference
    isEncrypted = report.isEncrypted
    isDurable = report.isDurable
    hasTables = report.hasTables
    mayWrite = report.mayWrite
  }
}
