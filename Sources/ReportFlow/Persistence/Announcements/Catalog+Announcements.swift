package import Foundation
package import PhotoAttachments

extension Catalog {
  /// Makes an announcement show a photo that is on record, or that `record` records (promise N).
  ///
  /// - Parameter record: records the photo after all rows are locked. If it returns `false`, the announcement stays as
  ///   it is.
  /// - Returns: the updated row, and pictures to be deleted.
  package func showPhoto(
    _ photo: UUID, announcement id: String, insteadOf before: String?, at now: Date,
    returning columns: String = "id", _ t: Transaction, record: () throws -> Bool = { true }
  ) throws -> (row: ResultRow?, gone: [BlobPath]) {
    if let before { try t.lock(.photo(before)) }
    guard try record() else { return (nil, []) }
    let row = try t.rows(
      """
      UPDATE announcement SET photo_id = $1, updated_at = $2,
        photo_sha256 = (SELECT "blobSHA256" FROM photo WHERE photo."id" = $1)
      WHERE announcement.id = $3 RETURNING \(columns)
      """, [.text(photo.uuidString), .int(now.milliseconds), .text(id)]
    ).first
    guard let before, before != photo.uuidString else { return (row, []) }
    return (row, try PhotoRows.deleteUnreferenced(before, t))
  }

  /// Records a photo and makes an announcement show it.
  package func showPhoto(
    _ photo: StoredPhoto, announcement id: String, insteadOf before: String?, at now: Date,
    returning columns: String = "id", _ t: Transaction
  ) throws -> (row: ResultRow?, gone: [BlobPath]) {
    try showPhoto(
      try photo.id, announcement: id, insteadOf: before, at: now, returning: columns, t
    ) { try record(photo, t) }
  }
}
