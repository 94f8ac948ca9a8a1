import Foundation
import GRDB
import PhotoAttachments

/// Entries that point at nothing, or that are not as they were written.
enum EntryDamages {
  static func all(_ db: Database) throws -> [EntryDamage] {
    try attachments(db) + libraryPhotos(db) + sourceFiles(db) + assets(db) + others(db)
  }

  /// What is wrong with an entry now, nil when nothing is.
  static func problem(of entry: CatalogEntry, _ db: Database) throws -> StoreProblem? {
    let damages =
      switch entry {
      case .attachment(let draft): try attachments(db, draft: draft)
      case .library(let photo): try libraryPhotos(db, photo: photo)
      case .source(let path): try sourceFiles(db, path: path)
      case .asset(let photo): try assets(db, photo: photo)
      case .other(let photo): try others(db).filter { $0.photo == photo }
      }
    return damages.first?.problem
  }

  private static func attachments(_ db: Database, draft: String? = nil) throws -> [EntryDamage] {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT * FROM attachment WHERE ?1 IS NULL OR draft = ?1", arguments: [draft])
    var damages: [EntryDamage] = []
    while let row = try rows.next() {
      let (draft, photo): (String, String?) = (row["draft"], row["photo"])
      let isDangling = try photo.map { try SealedRecord.fetch(db, id: $0) == nil } ?? false
      if !isDangling, (try? AttachmentRow(row: row).machine) != nil { continue }
      damages.append(EntryDamage(.attachment(draft: draft), photo: photo, isDangling: isDangling))
    }
    return damages
  }

  private static func libraryPhotos(_ db: Database, photo: String? = nil) throws -> [EntryDamage] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT libraryPhoto.photo, perceptualHash, libraryPhoto.seal, photo.id IS NULL
        FROM libraryPhoto LEFT JOIN photo ON photo.id = libraryPhoto.photo
        WHERE ?1 IS NULL OR libraryPhoto.photo = ?1
        """, arguments: [photo])
    var damages: [EntryDamage] = []
    while let row = try rows.next() {
      let id: String = row[0]
      let isSealed = row[2] == Seal.library(photo: id, perceptualHash: row[1])
      if row[3] || !isSealed {
        damages.append(EntryDamage(.library(photo: id), photo: id, isDangling: row[3]))
      }
    }
    return damages
  }

  /// The file that a photo was made from has the digest that the photo's record tells.
  private static func sourceFiles(_ db: Database, path: Data? = nil) throws -> [EntryDamage] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT sourceFile.path, sourceFile.photo, libraryPhoto.photo IS NULL
        FROM sourceFile
          LEFT JOIN libraryPhoto ON libraryPhoto.photo = sourceFile.photo
          LEFT JOIN photo ON photo.id = sourceFile.photo
        WHERE sourceFile.photo IS NOT NULL AND (?1 IS NULL OR sourceFile.path = ?1)
          AND (libraryPhoto.photo IS NULL
            OR (tier IS NULL AND sourceSHA256 IS NOT NULL AND sha256 IS NOT sourceSHA256))
        """, arguments: [path]
    ).filter {
      // When the photo's record was altered, the digest in it proves nothing; that is told
      // elsewhere.
      try $0[2] || SealedRecord.fetch(db, id: $0[1])?.isSealed ?? false
    }.map { EntryDamage(.source(path: $0[0]), photo: $0[1], isDangling: $0[2]) }
  }

  private static func assets(_ db: Database, photo: String? = nil) throws -> [EntryDamage] {
    try String.fetchAll(
      db,
      sql: """
        SELECT id FROM photo WHERE assetIdentifier IS NOT NULL AND (?1 IS NULL OR id = ?1)
          AND NOT EXISTS (SELECT 1 FROM libraryPhoto WHERE libraryPhoto.photo = assetIdentifier)
        """, arguments: [photo]
    ).map { EntryDamage(.asset(photo: $0), photo: $0, isDangling: true) }
  }

  private static func others(_ db: Database) throws -> [EntryDamage] {
    try missedPhotos(db) { !["attachment", "libraryPhoto"].contains($0) }.map {
      EntryDamage(.other(photo: $0), photo: $0, isDangling: true)
    }
  }

  /// Ids that some table refers to although there is no such photo.
  static func missedPhotos(
    _ db: Database, in isWanted: (String) -> Bool = { _ in true }
  ) throws -> [String] {
    let references = try Row.fetchAll(
      db,
      sql: """
        SELECT child.name, key."from"
        FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS key
        WHERE child.type = 'table' AND key."table" = 'photo'
        """)
    var missed: Set<String> = []
    for row in references where isWanted(row[0]) {
      let (table, column): (String, String) = (row[0], row[1])
      missed.formUnion(
        try String.fetchAll(
          db,
          sql: """
            SELECT \(column) FROM \(table)
            WHERE \(column) IS NOT NULL AND \(column) NOT IN (SELECT id FROM photo)
            """))
    }
    return missed.sorted()
  }
}
