import CPostgres
package import PhotoAttachments

/// Where a database is, as libpq reads it: `postgresql://user@host:port/name?…`.
package struct PostgresAddress: Sendable, Equatable {
  /// What libpq is given; a password may be in it.
  let text: String
  /// Host, port and name, for errors and logs: nothing secret is in it.
  package let shown: String

  /// The database at an address; nothing is connected yet, but libpq is loaded.
  ///
  /// - Throws: `StoreError.database(.noAddress)` when libpq does not understand it, `.unreachable`
  ///   when there is no libpq on this machine.
  package init(_ text: String) throws(StoreError) {
    if let failure = petspot_pq_open() {
      throw .unreachable(
        service: "PostgreSQL", detail: "\(String(cString: failure)); install libpq5")
    }
    guard Self.isOne(text), !text.utf8.contains(0) else { throw .database(.noAddress, detail: "") }
    // libpq's own words would repeat the address with its password.
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

  /// Whether a text has the form of such an address. Does not load libpq.
  package static func isOne(_ text: String) -> Bool {
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
