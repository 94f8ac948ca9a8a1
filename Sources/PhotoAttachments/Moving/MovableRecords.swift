package import Foundation

/// Records that a move reads and writes as they are, beside the pages of photos that every catalog
/// offers. What is there already is never changed. Calls block; an act of writing happens whole or not
/// at all.
package protocol MovableRecords: Sendable {
  /// Tells whether two are the same.
  var place: String { get }

  /// Rows of a kind in its order, from those behind a place on; none where nothing of it was ever kept.
  /// Of files only those of this machine.
  func rows(
    _ kind: MovedKind, after place: [FieldValue]?, limit: Int
  ) throws(StoreError) -> [MovedRow]

  /// The rows that have one of these keys.
  func rows(_ kind: MovedKind, keys: [[FieldValue]]) throws(StoreError) -> [MovedRow]

  /// Records rows whose keys are new, in their order. One stays out when it was erased here, when what it
  /// refers to is not here, or when it breaks a rule between rows (one listed announcement a chip). With a
  /// mark goes what it is the mark of, in the same act.
  ///
  /// - Returns: pictures to be given up.
  func add(_ rows: [MovedRow], to kind: MovedKind) throws(StoreError) -> [BlobPath]

  /// Those of the rows that were erased here, or belong to what was (decision 44).
  func erased(_ rows: [MovedRow], of kind: MovedKind) throws(StoreError) -> [MovedRow]

  /// Those of the photos that were erased here.
  func erased(photos ids: [String]) throws(StoreError) -> Set<String>

  /// The photos that have one of these ids.
  func photos(ids: [String]) throws(StoreError) -> [SealedRecord]

  /// Records photos, in their order, as they are (promise N, see `PhotoCatalog`).
  ///
  /// - Parameter naming: says whether all their pictures are there.
  /// - Returns: false, and nothing is recorded, when `naming` says no, or one of their ids is on record, or
  ///   erased: a second move, or an erasure, may have been faster.
  func add(
    _ photos: [SealedRecord], naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool

  /// The secret that passwords and cookies follow from; nil where no report was ever kept.
  func secret() throws(StoreError) -> Data?

  /// Takes over a secret where neither a draft nor an announcement follows from another one.
  ///
  /// - Returns: whether it is the secret now.
  func adopt(_ secret: Data) throws(StoreError) -> Bool
}
