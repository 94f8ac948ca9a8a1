package import Foundation

/// A photo whose pictures are stored and locked, for the transaction under way to record.
package struct StoredPhoto {
  private let photo: SealedRecord
  private let locked: LockedPictures
  private let areThere: () throws -> Bool

  /// - Parameter areThere: whether the pictures are still there, which is asked once, right before the record
  ///   is written.
  package init(
    _ photo: SealedRecord, _ locked: LockedPictures, areThere: @escaping () throws -> Bool
  ) {
    self.photo = photo
    self.locked = locked
    self.areThere = areThere
  }

  package var id: UUID {
    get throws {
      guard let id = UUID(uuidString: photo.id) else { throw StoreError.fault(.record) }
      return id
    }
  }

  /// Writes the photo's row; without its pictures, the transaction is rolled back.
  ///
  /// - Returns: whether it was written.
  package func record(_ t: Transaction) throws -> Bool {
    guard try t.publish(areThere) else { return false }
    try PhotoRows.insert([photo], locked, t)
    return true
  }
}
