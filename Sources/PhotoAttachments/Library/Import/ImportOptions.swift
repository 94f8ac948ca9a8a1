public import SystemPackage

/// The selection of files and the treatment of originals in an import.
public struct ImportOptions: Sendable, Equatable {
  /// Reports what would happen, and stores nothing. Photos are inspected but not prepared, so copies that differ only
  /// in metadata or encoding are reported as new. `sourceDeleted` means that the original would be removed.
  public var dryRun = false
  /// Patterns of files to import. An empty list includes all files. Patterns have the syntax of `fnmatch(3)`, and match
  /// the file name, or, if they contain a slash, the path below the given folder.
  public var include: [String] = []
  /// Patterns of files and folders to skip.
  public var exclude: [String] = []
  /// Imports hidden files and folders too, as well as recycle bins, snapshots, thumbnails and internal files of photo
  /// libraries. A path that is given explicitly is imported whatever its name.
  public var includesHidden = false
  /// Follows symbolic links within the given folders. Each folder is visited once.
  public var followsSymlinks = false
  /// Deletes an original after its stored photo was read back and verified. An original stays if it contains more than
  /// that photo (`SourceKeptReason.losses`, `.equalPixels`), may be a part of a longer file (`.cut`), or belongs to a
  /// cache.
  public var deletesSources = false
  /// Moves originals below this folder instead of deleting them, under the same conditions.
  public var moveSource: FilePath?
  /// Removes originals even if they contain more than their stored photo. Applies with `deletesSources` or `moveSource`.
  public var deletesLossySources = false
  /// Imports files whose photos were forgotten, and examines again those unchanged files that were refused.
  public var retriesRefused = false
  /// The memory in bytes that all photos together may need while they are decoded. A photo that needs more is decoded
  /// alone. By default, this depends on free memory and is at most 512 MiB.
  package var memoryBytes: Int?

  /// `true` if originals are removed after their photos are verified.
  var removesSource: Bool { deletesSources || moveSource != nil }

  /// Creates the default options.
  public init() {}
}
