/// A column that refers to photos in a table of another module or program, such as `announcement.photo_id`. A photo
/// that it refers to must stay.
package struct PhotoReference: Sendable {
  /// The table, as SQL.
  let table: String
  /// The column and its table, as SQL.
  let column: String

  /// Returns all of them. They are read from the database, because it may have tables that weren't passed when it was
  /// opened, and because other processes may add some.
  static func all(_ t: Transaction) -> Query<[PhotoReference]> {
    if let known = t.photoReferences { return Query(known: known) }
    return Query(t.dialect.photoReferences) { answer in
      let found = answer.rows.compactMap { row in
        row.text(0).map { PhotoReference(table: $0, column: "\($0).\(row.text(1) ?? "")") }
      }
      t.photoReferences = found
      return found
    }
  }
}
