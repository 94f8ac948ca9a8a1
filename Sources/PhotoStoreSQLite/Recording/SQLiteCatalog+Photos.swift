package import Foundation
import GRDB
package import PhotoAttachments
import PhotoIngestion

/// Photos and pictures.
extension SQLiteCatalog {
  package func photo(id: String) throws(StoreError) -> SealedRecord? {
    try read { try SealedRecord.fetch($0, id: id) }
  }

  package func ids(beginning text: String, limit: Int) throws(StoreError) -> [String] {
    try read {
      // By the index of ids, which LIKE does not use. No id has a letter behind `~`.
      try String.fetchAll(
        $0, sql: "SELECT id FROM photo WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
        arguments: [text, text + "~", limit])
    }
  }

  package func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
    try read { try SealedRecord.fetch($0, sequence: sequence) }
  }

  package func newest(
    _ limit: Int, before sequence: Int64
  ) throws(StoreError) -> [SealedRecord] {
    try read {
      try SealedRecord.fetchAll(
        $0, "WHERE sequence < ? ORDER BY sequence DESC LIMIT ?", [sequence, limit])
    }
  }

  package func page(
    after sequence: Int64, limit: Int, attachedOnly: Bool
  ) throws(StoreError) -> [SealedRecord] {
    let attached = "AND EXISTS (SELECT 1 FROM attachment WHERE attachment.photo = photo.id)"
    return try read {
      try SealedRecord.fetchAll(
        $0, "WHERE sequence > ? \(attachedOnly ? attached : "") ORDER BY sequence LIMIT ?",
        [sequence, limit])
    }
  }

  package func similar(
    to id: UUID, distance: Int, limit: Int
  ) throws(StoreError) -> [(photo: SealedRecord, distance: Int)] {
    try read { db in
      guard let own = try LibraryRow.fetch(db, id: id) else { throw StoreError.missingPhoto }
      let hash = UInt64(bitPattern: own.perceptualHash)
      var found: [(id: String, distance: Int)] = []
      let others = try LibraryRow.fetchCursor(
        db, sql: "SELECT * FROM libraryPhoto WHERE photo <> ?", arguments: [id.uuidString])
      while let other = try others.next() {
        let bits = PerceptualHash.distance(hash, UInt64(bitPattern: other.perceptualHash))
        if bits <= distance { found.append((other.photo, bits)) }
      }
      found.sort { ($0.distance, $0.id) < ($1.distance, $1.id) }
      return try found.prefix(max(0, limit)).compactMap { other in
        try SealedRecord.fetch(db, id: other.id).map { ($0, other.distance) }
      }
    }
  }

  package func unreferenced(_ places: [BlobPath]) throws(StoreError) -> [BlobPath] {
    try read { db in try places.filter { try !$0.isReferenced(db) } }
  }

  /// The write transaction keeps every other process from recording one of them meanwhile.
  package func release(
    _ places: [BlobPath], deleting: (BlobPath) throws(StoreError) -> Int?
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    try write { db in
      var removed = (files: 0, bytes: 0)
      for place in places where try !place.isReferenced(db) {
        guard let bytes = try deleting(place) else { continue }
        removed.files += 1
        removed.bytes += bytes
      }
      return removed
    }
  }

  package func isYoungerThanPictures() throws(StoreError) -> Bool {
    // Without an answer nothing may be deleted, so it counts as lost.
    try read { try Bool.fetchOne($0, sql: "SELECT foundPictures FROM photoCatalog") ?? true }
  }
}
