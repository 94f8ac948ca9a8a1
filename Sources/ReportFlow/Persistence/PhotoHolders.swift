import Foundation
package import PhotoAttachments

extension PhotoAttachmentCache {
  /// Adds the draft and the announcement that show each photo. Blocks.
  package func addHolders(to photos: inout [FoundPhoto]) throws(StoreError) {
    let ids = FieldValue.list(photos.map(\.photo.id.uuidString))
    let (drafts, announcements) = try catalog.database.read { t in
      func names(_ columns: String, from table: String, by photo: String) throws -> [UUID: String] {
        let sql = "SELECT \(columns) FROM \(table) WHERE \(photo) \(t.dialect.among("$1"))"
        return try t.rows(sql, [ids]).reduce(into: [:]) { names, row in
          if let id = row.id(0) { names[id] = row.text(1) }
        }
      }
      return try (
        names("photo, draft", from: "attachment", by: "photo"),
        names("photo_id, id", from: "announcement", by: "photo_id")
      )
    }
    for index in photos.indices {
      let id = photos[index].photo.id
      photos[index].holders = (drafts[id], announcements[id])
    }
  }
}
