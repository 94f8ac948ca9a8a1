import Foundation
public import SystemPackage
package import PhotoIngestion

/// The result of one input.
public struct ImportedFile: Sendable, Equatable {
  /// The path of the input: the given path and the part below it.
  public var path: FilePath
  /// The size in bytes; 0 if the input isn't a regular file.
  public var sizeBytes: Int
  /// The outcome.
  public var outcome: ImportOutcome
  /// `true` if the original was deleted, because the options ask for that and its photo was verified. In a dry run,
  /// `true` if it would be deleted or moved.
  public var sourceDeleted = false
  /// The new path of the original if it was moved, because the options ask for that and its photo was verified.
  public var sourceMovedTo: FilePath?
  /// The reason why the original stays although the options ask to remove it. `nil` for inputs without a photo.
  public var sourceKept: SourceKeptReason?
}

/// The totals of an import. `files` is the sum of the five outcomes.
public struct ImportSummary: Sendable, Equatable {
  /// New photos.
  public var imported = 0
  /// Files whose picture was already in the library.
  public var duplicates = 0
  /// Files that an earlier import recorded and that haven't changed.
  public var unchanged = 0
  /// Files that aren't photos.
  public var skipped = 0
  /// Photos that could not be imported.
  public var failed = 0
  /// The number of bytes read from files.
  package var bytesRead = 0
  /// The number of bytes in new blobs and previews.
  package var bytesWritten = 0
  /// The number of deleted originals.
  public var deletedSources = 0
  /// The number of moved originals.
  public var movedSources = 0
  /// The number of originals that stay although the options ask to remove them.
  public var keptSources = 0
  /// The duration in seconds.
  package var seconds = 0.0
  /// The time that threads spent in each stage.
  package var stages = StageTimes()
  /// The number by which the import's photos can be forgotten together; `nil` if it added none.
  package var run: Int64?
  /// The reason if the import ended before all files were examined; `nil` if it didn't.
  public var stopped: Stop?

  /// The reasons for an early end.
  public enum Stop: String, Sendable {
    /// The caller cancelled it.
    case interrupted
  }

  /// Creates a summary of no files.
  public init() {}

  /// The number of examined files.
  public var files: Int { imported + duplicates + unchanged + skipped + failed }

  /// The counts that every import records, in the order in which runs record them.
  static var counts: [WritableKeyPath<Self, Int>] {
    [\.imported, \.duplicates, \.unchanged, \.skipped, \.failed, \.bytesRead, \.bytesWritten]
  }

  /// Adds the totals of a later part of the same import.
  static func += (total: inout Self, part: Self) {
    for count in counts + [\.deletedSources, \.movedSources, \.keptSources] {
      total[keyPath: count] += part[keyPath: count]
    }
    total.seconds += part.seconds
    total.stages += part.stages
    total.run = part.run
    total.stopped = part.stopped
  }

  mutating func count(_ file: ImportedFile) {
    count(file.outcome)
    if file.sourceDeleted { deletedSources += 1 }
    if file.sourceMovedTo != nil { movedSources += 1 }
    if file.sourceKept != nil { keptSources += 1 }
  }

  package mutating func count(_ file: GroupDecision.FileResult) {
    count(file.outcome)
    bytesRead += file.bytesRead
  }

  private mutating func count(_ outcome: ImportOutcome) {
    switch outcome {
    case .imported(let photo):
      imported += 1
      bytesWritten += photo.blob.sizeBytes + photo.preview.sizeBytes
    case .duplicate: duplicates += 1
    case .unchanged: unchanged += 1
    case .skipped: skipped += 1
    case .failed: failed += 1
    }
  }
}
