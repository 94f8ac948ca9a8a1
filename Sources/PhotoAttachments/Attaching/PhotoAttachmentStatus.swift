/// Single source of truth for an attachment's life (seed 028, "PhotoAttachmentStatus").
public enum PhotoAttachmentStatus: Sendable, Equatable {
  /// No photo.
  case empty
  /// A photo is on its way; never survives a restart (decision 6).
  case loading
  /// A complete photo is stored.
  case confirmed(metadata: PhotoAttachmentMetadata)
}
