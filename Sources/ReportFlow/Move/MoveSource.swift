package import Foundation
package import PhotoAttachments

/// What a move reads: photos with their pictures, and what refers to them.
package protocol MoveSource: Sendable {
  /// The pictures.
  var blobs: any BlobStorage { get }
  /// Photos in the order in which they were recorded, from those behind a number on.
  func photos(after sequence: Int64, limit: Int) throws(StoreError) -> [SealedRecord]
  /// Rows of a kind in its order, from those behind a place on.
  func rows(
    _ kind: MovedKind, after place: [FieldValue]?, limit: Int
  ) throws(StoreError) -> [MovedRow]
  /// The secret that passwords and cookies follow from.
  func secret() throws(StoreError) -> Data
}

extension StoreMove.Side: MoveSource {
  package var blobs: any BlobStorage { cache.blobs }

  package func photos(after sequence: Int64, limit: Int) throws(StoreError) -> [SealedRecord] {
    try cache.catalog.page(after: sequence, limit: limit, attachedOnly: false)
  }

  package func rows(
    _ kind: MovedKind, after place: [FieldValue]?, limit: Int
  ) throws(StoreError) -> [MovedRow] {
    try records.rows(kind, after: place, limit: limit)
  }

  package func secret() throws(StoreError) -> Data { try records.secret() }
}
