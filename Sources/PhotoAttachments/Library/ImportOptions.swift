public import SystemPackage

/// What an import reads, and what it does with it.
public struct ImportOptions: Sendable, Equatable {
  /// Tell what would be done, and store nothing: photos are inspected and not prepared, so that copies
  /// that differ in metadata or coding alone are reported as new, and `sourceDeleted` says that the
  /// original would go.
  public var dryRun = false
  /// Take only files whose name (or path below the given folder, for patterns with a slash) matches
  /// one of these; all when empty. Patterns are those of `fnmatch(3)`.
  public var include: [String] = []
  /// Leave out files and folders that match one of these.
  public var exclude: [String] = []
  /// Take hidden files and folders too, and recycle bins, snapshots, thumbnails and files of photo libraries. A
  /// given path is taken whatever its name.
  public var hidden = false
  /// Follow symbolic links, each folder once, and never out of the given folders.
  public var followSymlinks = false
  /// Delete an original once its stored photo was read back and proved, unless it holds more than
  /// that photo does (`SourceKeptReason.losses`, `.equalPixels`), may be a part of a longer file (`.cut`)
  /// or belongs to a cache.
  public var deleteSource = false
  /// Move originals below this folder instead of deleting them, by the same rules.
  public var moveSource: FilePath?
  /// With `deleteSource` or `moveSource`: take originals too that hold more than their stored photo.
  public var deleteLossySource = false
  /// Import files whose photos were forgotten, and look again at unchanged files that were refused.
  public var again = false
  /// Bytes that photos may need at the same time while they are decoded; one photo that needs more
  /// is decoded alone. Nil: by the memory that is free, at most 512 MiB.
  package var memoryBytes: Int?

  /// Whether originals go once their photos are proved.
  var removesSource: Bool { deleteSource || moveSource != nil }

  /// The default options.
  public init() {}
}
