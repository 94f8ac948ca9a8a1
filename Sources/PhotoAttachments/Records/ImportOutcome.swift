public import Foundation
public import PhotoIngestion

/// The five outcomes; every input has exactly one.
public enum ImportOutcome: Sendable, Equatable {
  case imported(PhotoAttachmentMetadata)
  /// The library has this picture already.
  case duplicate(of: UUID, tier: DuplicateTier)
  /// Known since an earlier run; not read again.
  case unchanged(UUID)
  /// Not a photo.
  case skipped(ImportRefusal)
  /// A photo that cannot be taken.
  case failed(ImportRefusal)

  /// How sure it is that two files hold the same picture. Names and dates never count.
  public enum DuplicateTier: String, Sendable, Codable {
    /// All bytes are equal.
    case bytes
    /// All pixels are equal; metadata or coding differ.
    case pixels
  }
}

/// Why an input was not imported.
public enum ImportRefusal: Sendable, Equatable, Codable {
  /// What the pipeline says of it.
  case photo(PhotoError)
  /// It is no regular file: `symlink`, `fifo`, `socket`, `device`.
  case notAFile(kind: String)
  /// Its name, or that of its folder, begins with a dot.
  case hidden
  /// Left by a system beside photos: `apple-double`, `ds-store`, `thumbs-db`, `desktop-ini`,
  /// `ea-dir`, `recycle-bin`, `snapshots`, `thumbnails`, `photos-library`; or by us, `report-picture`.
  case systemFile(kind: String)
  /// A link that leads out of the given folders.
  case outside
  /// A link to a folder that the walk visits anyway, or to nothing.
  case linkLoop
  /// It is still being written; left for the next run.
  case changing
  /// It is the folder of a photo cache, or lies in one.
  case insideCache
  /// It goes with a photo in its folder: a Live Photo's film, edits, or metadata. `detected` is its media
  /// type, nil when it is empty.
  case sidecar(detected: String?)
  /// Its photo was taken out of the library by `forget` (decision 44).
  case forgotten

  /// The stable word for JSON and reports.
  public var code: String {
    switch self {
    case .photo(let error): error.code
    case .notAFile: "not-a-file"
    case .hidden: "hidden"
    case .systemFile: "system-file"
    case .outside: "outside"
    case .linkLoop: "link-loop"
    case .changing: "changing"
    case .insideCache: "inside-cache"
    case .sidecar: "sidecar"
    case .forgotten: "forgotten"
    }
  }

  /// What it is, where that is known: a media type, or a stable word.
  public var detected: String? {
    switch self {
    case .photo(.unsupportedFormat(let detected)): detected
    case .notAFile(let kind), .systemFile(let kind): kind
    case .sidecar(let detected): detected
    default: nil
    }
  }

  /// Whether it counts as failed: a photo, or something that could be one.
  var isFailure: Bool {
    switch self {
    case .photo(.unsupportedFormat), .photo(.empty): false
    case .photo: true
    default: false
    }
  }

  /// Whether the same bytes get the same answer, so that it need not be asked again. Crashes of
  /// decoders are remembered in `CrashLedger`, which singles out those that are the photo's fault; and a
  /// busy machine may have been what took too long.
  var isLasting: Bool {
    if self == .forgotten { return true }
    guard case .photo(let error) = self else { return false }
    if case .timeout = error { return false }
    return error.blame == .photo && error != .decoderCrash
  }

  var outcome: ImportOutcome { isFailure ? .failed(self) : .skipped(self) }
}
