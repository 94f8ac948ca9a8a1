import PhotoIngestion

/// Tables that are created and upgraded together. A program passes the groups that it uses besides the tables of photos
/// when it opens a store. Missing tables are created. Groups that aren't passed stay as they are.
public struct TableGroup: Sendable {
  /// The name in `store.schema`. It is empty in a database with a single group.
  let name: String
  /// The SQL that upgrades the tables of an earlier version, by the digest of that version. It is empty if that version
  /// had the same tables.
  let changes: [String: String]
  /// Returns the SQL that creates the tables.
  let sql: @Sendable (Dialect) -> String

  package init(
    _ name: String, changes: [String: String] = [:], sql: @escaping @Sendable (Dialect) -> String
  ) {
    self.name = name
    self.changes = changes
    self.sql = sql
  }
}

/// The versions of a database's tables, as `store.schema` records them: `photos:DIGEST reports:DIGEST`. Earlier
/// versions of this program recorded one digest for all tables. It has the empty name and counts for groups that aren't
/// named.
package struct SchemaVersions: Sendable {
  private var digests: [String: String]
  /// `true` if the database was empty.
  package let isNew: Bool
  /// The SQL that still has to be run. It is empty if the tables are up to date.
  package private(set) var missing = ""

  /// The value of `store.schema` after `missing` was run.
  package var text: String {
    digests.sorted { $0.key < $1.key }.map { $0.key.isEmpty ? $0.value : "\($0.key):\($0.value)" }
      .joined(separator: " ")
  }

  /// Compares the recorded versions with a program's groups. Returns `nil` if another version of the program created
  /// the tables.
  ///
  /// - Parameters:
  ///   - recorded: the value of `store.schema`; `nil` for an empty database.
  ///   - groups: the groups that the program uses. Each database has the first one.
  package init?(recorded: String?, groups: [TableGroup], _ dialect: Dialect) {
    isNew = recorded == nil
    digests = (recorded ?? "").split(separator: " ").reduce(into: [:]) { digests, word in
      let parts = word.split(separator: ":").map(String.init)
      digests[parts.count == 2 ? parts[0] : ""] = parts.last
    }
    var wanted = digests
    for (index, group) in groups.enumerated() {
      let found = digests[group.name]
      let sql = group.sql(dialect)
      let digest = sha256(of: Array(sql.utf8))
      wanted[group.name] = digest
      if found == digest { continue }
      if let change = (found ?? digests[""]).flatMap({ group.changes[$0] }) {
        missing += change
      } else if found == nil, index > 0 || isNew {
        missing += sql
      } else {
        return nil
      }
    }
    if !missing.isEmpty { digests = wanted }
  }
}
