public import SystemPackage

/// Why an original that was to be deleted is kept.
public enum SourceKeptReason: Error, Equatable {
  /// It holds what its stored photo does not: the listed losses (`Normalization.losses`). Taken with
  /// `ImportOptions.deleteLossySource`.
  case losses([String])
  /// It may be a part of a longer file: its end is missing, or frames are. What shows that is listed
  /// (`Normalization.signsOfCut`). No option takes it.
  case cut([String])
  /// So many bytes of it are unknown and not stored, whatever they are (`Normalization.unknownBytes`). No
  /// option takes it.
  case unknownData(bytes: Int)
  /// The stored photo was made from another file with equal pixels; what else this one holds is
  /// stored nowhere. Taken with `ImportOptions.deleteLossySource`.
  case equalPixels
  /// A symbolic link led to it.
  case link
  /// It belongs to a cache: it may be the only copy of a stored photo.
  case stored
  /// Files go with it that are stored nowhere, such as a Live Photo's film: the set stays together.
  case sidecar
  /// It is no longer what was read, or a file that goes with it was being written, changed meanwhile, is no
  /// regular file or could not be locked.
  case changed
  /// Its stored photo did not read back as it was recorded.
  case unproved
  /// It is a HEIC of which libde265 shows another picture than is stored, so that it may be damaged: FFmpeg,
  /// which decoded it, conceals that. Or libde265 could not show it.
  case secondOpinion(differs: Bool)
  /// The system refused to delete it.
  case failed(errno: Int32)
  /// The store that it lies in refused to delete it, or did not answer.
  case storeFailed(service: String, detail: String)
  /// It changed, and another file has its name by now: it lies there.
  case displaced(FilePath)

  /// The stable word for JSON and reports.
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
