public import SystemPackage

/// The reason why an original that was to be removed is kept.
public enum SourceKeptReason: Error, Equatable {
  /// The original contains more than its stored photo. The losses are listed (`Normalization.losses`).
  /// `ImportOptions.deleteLossySource` removes it anyway.
  case losses([String])
  /// The original may be a part of a longer file, because its end or some frames are missing. The evidence is listed
  /// (`Normalization.signsOfCut`). No option removes it.
  case cut([String])
  /// The original contains this many bytes that are unknown and not stored (`Normalization.unknownBytes`). No option
  /// removes it.
  case unknownData(bytes: Int)
  /// The stored photo was made from another file with equal pixels. Whatever else this one contains isn't stored.
  /// `ImportOptions.deleteLossySource` removes it anyway.
  case equalPixels
  /// A symbolic link led to the original.
  case link
  /// The original belongs to a cache, so it may be the only copy of a stored photo.
  case stored
  /// The original has sidecars that aren't stored, such as the video of a Live Photo. The set stays together.
  case sidecar
  /// The original has changed since it was read. Or one of its sidecars was being written, changed meanwhile, isn't a
  /// regular file, or could not be locked.
  case changed
  /// The stored photo doesn't match its record.
  case unproved
  /// The original is a HEIC that libde265 decodes to a picture that differs from the stored one. It may be damaged,
  /// which FFmpeg conceals when it decodes. With `differs: false`, libde265 could not decode it.
  case secondOpinion(differs: Bool)
  /// The system refused to delete or move the original.
  case failed(errno: Int32)
  /// The store of the original refused to delete it or didn't respond.
  case storeFailed(service: String, detail: String)
  /// The original changed, and another file has taken its name. It is at this path now.
  case displaced(FilePath)

  /// The stable identifier for JSON and reports.
  public var code: String {
    switch self {
    case .losses: "losses"
    case .cut: "cut"
    case .unknownData: "unknown-data"
    case .equalPixels: "equal-pixels"
    case .link: "link"
    case .stored: "stored"
    case .sidecar: "sidecar"
    case .changed: "changed"
    case .unproved: "unproved"
    case .secondOpinion: "second-opinion"
    case .failed: "failed"
    case .storeFailed: "store-failed"
    case .displaced: "displaced"
    }
  }
}
