public import Foundation
public import PhotoIngestion

/// The outcome of an import for one input. Every input has exactly one.
public enum ImportOutcome: Sendable, Equatable {
  case imported(PhotoAttachmentMetadata)
  /// The library already contains this picture.
  case duplicate(of: UUID, tier: DuplicateTier)
  /// The file is unchanged since an earlier run and was not read again.
  case unchanged(UUID)
  /// The file isn't a photo.
  case skipped(ImportRefusal)
  /// The file is a photo that cannot be imported.
  case failed(ImportRefusal)

  /// The evidence that two files contain the same picture. Names and dates never count.
  public enum DuplicateTier: String, Sendable, Codable {
    /// All bytes are equal.
    case bytes
    /// All pixels are equal. Metadata or encoding differ.
    case pixels
  }
}

/// The reason why an input was not imported.
public enum ImportRefusal: Sendable, Equatable, Codable {
  /// The pipeline refused the file with this error.
  case photo(PhotoError)
  /// The input is not a regular file: `symlink`, `fifo`, `socket`, `device`.
  case notAFile(kind: String)
  /// The name of the file or its folder begins with a dot.
  case hidden
  /// The file was created next to photos by an operating system or device: `apple-double`, `ds-store`, `thumbs-db`,
  /// `desktop-ini`, `ea-dir`, `recycle-bin`, `snapshots`, `thumbnails`, `photos-library`; or by PetSpot:
  /// `report-picture`.
  case systemFile(kind: String)
  /// The input is a link that leads out of the given folders.
  case outside
  /// The input is a broken link, or a link to a folder that the walk visits anyway.
  case linkLoop
  /// The file is still being written. The next run tries it again.
  case changing
  /// The input is the folder of a photo cache or is inside one.
  case insideCache
  /// The file accompanies a photo in its folder: the video of a Live Photo, edits or metadata. `detected` is its media
  /// type, or `nil` if the file is empty.
  case sidecar(detected: String?)
  /// The photo was removed from the library by `forget` (decision 44).
  case forgotten

  /// The stable identifier for JSON and reports.
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

  /// The type of the input if it is known: a media type or a stable identifier.
  public var detected: String? {
    switch self {
    case .photo(.unsupportedFormat(let detected)): detected
    case .notAFile(let kind), .systemFile(let kind): kind
    case .sidecar(let detected): detected
    default: nil
    }
  }

  /// `true` if the refusal counts as a failure because the input is, or may be, a photo.
  var isFailure: Bool {
    switch self {
    case .photo(.unsupportedFormat), .photo(.empty): false
    case .photo: true
    default: false
    }
  }

  /// `true` if the same bytes are always refused, so the result can be reused. Decoder crashes are excluded because
  /// `CrashLedger` records those that are the photo's fault. Timeouts are excluded because the machine may have been
  /// busy.
  var isPermanent: Bool {
    if self == .forgotten { return true }
    guard case .photo(let error) = self else { return false }
    if case .timeout = error { return false }
    return error.blame == .photo && error != .decoderCrash
  }

  var outcome: ImportOutcome { isFailure ? .failed(self) : .skipped(self) }
}
