import CPostgres
package import PhotoAttachments

/// The address of a database as libpq accepts it: `postgresql://user@host:port/name?…`.
package struct PostgresAddress: Sendable, Equatable {
  /// The text for libpq. It may contain a password.
  let text: String
  /// The host, port and database name for errors and logs, without secrets.
  package let shown: String

  /// Parses an address. This loads libpq but doesn't connect.
  ///
  /// - Throws: `StoreError.database(.noAddress)` if libpq rejects it, `.unreachable` if this machine has no libpq.
  package init(_ text: String) throws(StoreError) {
    if let failure = petspot_pq_open() {
      throw .unreachable(
        service: "PostgreSQL", detail: "\(String(cString: failure)); install libpq5")
    }
    guard Self.isPostgresURL(text), !text.utf8.contains(0) else {
      throw .database(.noAddress, detail: "")
    }
    // libpq's message isn't used because it repeats the address with its password.
    guard let settings = petspot_pq_parse(text, nil) else {
      throw .database(.noAddress, detail: "")
    }
    defer { petspot_pq_free_settings(settings) }
    var values: [String: String] = [:]
    if let defaults = petspot_pq_defaults() {
      values = Self.values(defaults)
      petspot_pq_free_settings(defaults)
    }
    values.merge(Self.values(settings)) { $1 }
    self.text = text
    let host = values["host"] ?? values["hostaddr"] ?? "localhost"
    let name = values["dbname"] ?? values["user"] ?? ""
    shown = "\(host):\(values["port"] ?? "5432")/\(name)"
  }

  /// Returns `true` if a text has the form of such an address. This doesn't load libpq.
  package static func isPostgresURL(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  private static func values(_ settings: UnsafePointer<petspot_pq_setting>) -> [String: String] {
    var values = [String: String]()
    var next = settings
    while let keyword = next.pointee.keyword {
      if let value = next.pointee.value {
        values[String(cString: keyword)] = String(cString: value)
      }
      next += 1
    }
    return values
  }
}
