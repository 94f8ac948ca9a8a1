public import Foundation
public import SystemPackage

/// What became of one input.
public struct ImportedFile: Sendable, Equatable {
  /// The given path, and below it.
  public var path: FilePath
  /// Its size in bytes, 0 when it is no regular file.
  public var sizeBytes: Int
  /// What became of it.
  public var outcome: ImportOutcome
  /// Whether the original was deleted, because it was asked for and its photo was proved.
  public var sourceDeleted = false
  /// Why the original stays although its deletion was asked for; nil for what was not taken.
  public var sourceKept: SourceKept?
}

/// The five outcomes; every input has exactly one.
public enum ImportOutcome: Sendable, Equatable {
  /// A new photo of the library.
  case imported(PhotoAttachmentMetadata)
  /// The library has this picture already.
  case duplicate(of: UUID, tier: DuplicateTier)
  /// Known since an earlier run; not read again.
  case unchanged(UUID)
  /// Not a photo of ours.
  case skipped(ImportRefusal)
  /// A photo of ours that cannot be taken.
  case failed(ImportRefusal)

  /// How sure it is that two files hold the same picture. Names and dates never count.
  public enum DuplicateTier: String, Sendable, Codable {
    /// All bytes are equal.
    case bytes
    /// All pixels are equal; metadata or coding differ.
    case pixels
  }
}

/// Why an input was not taken.
public enum ImportRefusal: Sendable, Equatable, Codable {
  /// What the pipeline says of it.
  case photo(PhotoError)
  /// It is no regular file: `symlink`, `fifo`, `socket`, `device`.
  case notAFile(kind: String)
  /// Its name, or that of its folder, begins with a dot.
  case hidden
  /// Left by a system beside photos: `apple-double`, `ds-store`, `thumbs-db`, `desktop-ini`,
  /// `ea-dir`.
  case systemFile(kind: String)
  /// A link that leads out of the given folders.
  case outside
  /// A link to a folder that the walk visits anyway, or to nothing.
  case linkLoop
  /// It is still being written; left for the next run.
  case changing
  /// It is the folder of a photo cache, or lies in one.
  case insideCache

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
    }
  }

  /// What it is, where that is known: a media type, or a stable word.
  public var detected: String? {
    switch self {
    case .photo(.unsupportedFormat(let detected)): detected
    case .notAFile(let kind), .systemFile(let kind): kind
    default: nil
    }
  }

  /// Whether it counts as failed: a photo of ours, or something that could be one.
  var isFailure: Bool {
    switch self {
    case .photo(.unsupportedFormat), .photo(.empty): false
    case .photo: true
    default: false
    }
  }

  /// Whether the same bytes get the same answer, so that it need not be asked again. Crashes of
  /// decoders are remembered in `CrashLedger`, which tells those that are the photo's fault; and a
  /// busy machine may have been what took too long.
  var isLasting: Bool {
    guard case .photo(let error) = self else { return false }
    if case .timeout = error { return false }
    return error.blame == .photo && error != .corrupt(what: "decoder-crash")
  }

  /// The outcome it makes.
  var outcome: ImportOutcome { isFailure ? .failed(self) : .skipped(self) }
}

/// The totals of an import; `files` is the sum of the five outcomes.
public struct ImportSummary: Sendable, Equatable {
  /// New photos.
  public var imported = 0
  /// Files whose picture the library had already.
  public var duplicates = 0
  /// Files known since an earlier run.
  public var unchanged = 0
  /// Files that are no photos of ours.
  public var skipped = 0
  /// Photos that could not be taken.
  public var failed = 0
  /// Bytes of the files that were read.
  public var bytesRead = 0
  /// Bytes of new blobs and previews.
  public var bytesWritten = 0
  /// Originals deleted.
  public var deletedSources = 0
  /// Originals that stay although their deletion was asked for.
  public var keptSources = 0
  /// Seconds it took.
  public var seconds = 0.0
  /// Where the threads' time went.
  public var stages = StageTimes()
  /// Whether it ended before all files were looked at, and why.
  public var stopped: Stop?

  /// Why an import ended early.
  public enum Stop: String, Sendable {
    /// It was asked to.
    case interrupted
    /// As many files failed as were allowed to.
    case tooManyErrors = "too-many-errors"
  }

  /// No file yet.
  public init() {}

  /// All files that were looked at.
  public var files: Int { imported + duplicates + unchanged + skipped + failed }

  mutating func count(_ file: ImportedFile) {
    switch file.outcome {
    case .imported(let photo):
      imported += 1
      bytesWritten += photo.blob.sizeBytes + photo.preview.sizeBytes
    case .duplicate: duplicates += 1
    case .unchanged: unchanged += 1
    case .skipped: skipped += 1
    case .failed: failed += 1
    }
    if file.sourceDeleted { deletedSources += 1 }
    if file.sourceKept != nil { keptSources += 1 }
  }
}
