import Foundation
public import SystemPackage
package import PhotoIngestion

/// What became of one input.
public struct ImportedFile: Sendable, Equatable {
  /// The given path, and below it.
  public var path: FilePath
  /// Its size in bytes, 0 when it is no regular file.
  public var sizeBytes: Int
  /// What became of it.
  public var outcome: ImportOutcome
  /// Whether the original was deleted, because it was asked for and its photo was proved; in a dry
  /// run whether it would be, or be moved.
  public var sourceDeleted = false
  /// Where the original lies now, because it was asked for and its photo was proved.
  public var sourceMovedTo: FilePath?
  /// Why the original stays although its deletion was asked for; nil for what was not taken.
  public var sourceKept: SourceKeptReason?
}

/// The totals of an import; `files` is the sum of the five outcomes.
public struct ImportSummary: Sendable, Equatable {
  /// New photos.
  public var imported = 0
  /// Files whose picture the library had already.
  public var duplicates = 0
  /// Files known since an earlier run.
  public var unchanged = 0
  /// Files that are no photos.
  public var skipped = 0
  /// Photos that could not be taken.
  public var failed = 0
  /// Bytes of the files that were read.
  package var bytesRead = 0
  /// Bytes of new blobs and previews.
  package var bytesWritten = 0
  /// Originals deleted.
  public var deletedSources = 0
  /// Originals moved.
  public var movedSources = 0
  /// Originals that stay although their deletion was asked for.
  public var keptSources = 0
  /// Seconds it took.
  package var seconds = 0.0
  /// Where the threads' time went.
  package var stages = StageTimes()
  /// The number under which its photos can be forgotten at once; nil when it brought none.
  package var run: Int64?
  /// Whether it ended before all files were looked at, and why.
  public var stopped: Stop?

  /// Why an import ended early.
  public enum Stop: String, Sendable {
    /// It was asked to.
    case interrupted
  }

  /// No file yet.
  package init() {}

  /// All files that were looked at.
  public var files: Int { imported + duplicates + unchanged + skipped + failed }

  /// What is counted of every import, in the order in which runs record it.
  static var counts: [WritableKeyPath<Self, Int>] {
    [\.imported, \.duplicates, \.unchanged, \.skipped, \.failed, \.bytesRead, \.bytesWritten]
  }

  /// Adds what came later in the same import.
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
