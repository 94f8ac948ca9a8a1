/// A column that refers to photos in a table of another module or program, such as `announcement.photo_id`. A photo
/// that it refers to must stay.
package struct PhotoReference: Sendable {
  /// The table, as SQL.
  let table: String
  /// The column and its table, as SQL.
  let column: String
  /// The column of photos that it refers to: their ID, or their primary key if the host's table names none.
  let target: Target

  enum Target: String, Sendable {
    case id, sequence
  }

  /// SQL that selects the IDs of the photos that the table refers to.
  var ids: String {
    """
    SELECT shown."id" FROM photo AS shown JOIN \(table) ON \(column) = shown."\(target.rawValue)"
    """
  }

  /// Returns all of them. They are read from the database, because it may have tables that weren't passed when it was
  /// opened, and because other processes may add some.
  static func all(_ t: Transaction) -> Query<[PhotoReference]> {
    if let known = t.photoReferences { return Query(known: known) }
    return Query(t.dialect.photoReferences) { answer in
      let found = answer.rows.compactMap { row in
        row.text(0).map { table in
          PhotoReference(
            table: table, column: "\(table).\(row.text(1) ?? "")",
            target: row.text(2).flatMap(Target.init) ?? .id)
        }
      }
      t.photoReferences = found
      return found
    }
  }
}
