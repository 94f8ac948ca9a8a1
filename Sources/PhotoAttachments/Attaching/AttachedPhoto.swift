public import ImageContainers

/// What attaching a photo gives: its record, and what is told to whoever gave it and kept nowhere. The
/// record can be asked directly.
@dynamicMemberLookup
public struct AttachedPhoto: Sendable, Equatable {
  /// The record of the confirmed photo.
  public var photo: PhotoAttachmentMetadata
  /// Where the original says it was taken.
  public var position: EXIF.Position?

  /// What the record says.
  public subscript<Value>(dynamicMember path: KeyPath<PhotoAttachmentMetadata, Value>) -> Value {
    photo[keyPath: path]
  }
}
