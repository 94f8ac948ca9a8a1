package import PhotoAttachments

/// The check of the database's pages, indexes and references.
extension SQLiteDatabase {
  /// Runs SQLite's check of every page and index, and checks references. Invalid values in rows of the photos' tables
  /// are skipped, because `verify` reports them for each photo. In a host's database, rows of the host's tables are its
  /// own affair.
  ///
  /// - Throws: `StoreError.database(.damaged)` with the first finding.
  package func checkIntegrity() throws(StoreError) {
    let finding = try read { t -> String? in
      let findings = try t.rows("PRAGMA integrity_check(1000)", isRepeated: false).compactMap {
        $0.text(0)
      }
      if let finding = findings.first(where: { $0 != "ok" && !isAboutSkippedRow($0) }) {
        return finding
      }
      let references = try t.rows(
        """
        SELECT found."table", found.parent FROM sqlite_master, pragma_foreign_key_check(name) AS found
        WHERE type = 'table' AND substr(name, 1, length($1)) = $1
        """, [.text(names.name(""))])
      return references.first {
        !["photo", "library_photo"].map(names.name).contains($0.text(1) ?? "")
      }.map {
        "\($0.text(0) ?? "") refers to a missing row of \($0.text(1) ?? "")"
      }
    }
    if let finding { throw .database(.damaged, detail: finding) }
  }

  /// Returns `true` if SQLite reports a value that violates the schema in one of the photos' tables or of the host's:
  /// `CHECK constraint failed in photo`, `NULL value in photo.id`, `non-INTEGER value in photo.blobWidth`.
  private func isAboutSkippedRow(_ finding: String) -> Bool {
    let words = finding.split(separator: " ")
    guard finding.hasPrefix("CHECK constraint failed in ") || finding.contains(" value in "),
      let table = words.last?.split(separator: ".").first
    else { return false }
    return !table.hasPrefix(names.name(""))
      || ["photo", "library_photo", "library_copy", "source_file", "attachment"].map(names.name)
        .contains(
          String(table))
  }
}
