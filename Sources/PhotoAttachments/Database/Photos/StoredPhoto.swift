package import Foundation

/// A photo whose pictures are stored and locked, ready to be recorded by the current transaction.
package struct StoredPhoto {
  private let photo: SealedRecord
  private let shared: MadeSize?
  private let locked: LockedPictures
  private let areThere: () throws -> Bool

  /// - Parameters:
  ///   - shared: the size that was made along with the photo.
  ///   - areThere: returns `true` if the pictures still exist. It is called once, right before the record is written.
  package init(
    _ photo: SealedRecord, _ locked: LockedPictures, shared: MadeSize? = nil,
    areThere: @escaping () throws -> Bool
  ) {
    self.photo = photo
    self.shared = shared
    self.locked = locked
    self.areThere = areThere
  }

  package var id: UUID {
    get throws {
      guard let id = UUID(uuidString: photo.id) else { throw StoreError.fault(.record) }
      return id
    }
  }

  /// Writes the rows of the photo and its size. If the pictures are gone, rolls the transaction back.
  ///
  /// - Returns: `true` if the rows were written.
  package func record(_ t: Transaction) throws -> Bool {
    guard try t.publish(areThere) else { return false }
    try PhotoRows.insert([photo], locked, t)
    if let shared, let blob = photo.place(.blob)?.sha256,
      let savedAt = photo.fields["savedAtMilliseconds"]?.number
    {
      try SizeRows.write(shared, of: try id, blob: blob, at: Date(milliseconds: savedAt), t)
    }
    return true
  }
}
