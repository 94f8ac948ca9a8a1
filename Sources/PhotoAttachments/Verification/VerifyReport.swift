public import SystemPackage

/// The scope of a verification and its handling of damage.
public struct VerifyOptions: Sendable, Equatable {
  /// `true` verifies the whole cache: every recorded photo, every file in the store, and the catalog. `false` verifies
  /// only the photos that drafts and announcements show.
  public var all = false
  /// `true` only reports damage and leaves damaged files in place.
  public var dryRun = false
  /// `true` repairs everything that can be repaired.
  public var repairs = false
  /// Additional folders and files in which to look for originals. Files that an import recorded are always checked.
  public var sources: [FilePath] = []
  /// The part of the photos and files to verify if several processes share the work. The first part also covers the
  /// entries that refer to photos.
  public var shard = StoreShard.whole

  /// Creates the default options.
  public init() {}
}

/// The counts of a verification.
public struct VerifyReport: Sendable, Equatable {
  /// The number of photos verified.
  public var checked = 0
  /// The number of photos and other entries that are damaged but not missing.
  public var damaged = 0
  /// The number of photos whose blob or preview is missing.
  public var missing = 0
  /// The number of photos of which the store could not provide a picture. Its condition is unknown.
  public var unavailable = 0
  /// `true` if an unavailable picture was not repaired or a folder could not be read.
  package var isIncomplete = false
  /// The number of damaged, missing and unavailable items that were repaired.
  public var repaired = 0
  /// The number of damaged files that were moved to `quarantine/`.
  package var quarantined = 0
  /// The number of old pictures without a record, which `sweep` deletes.
  package var orphans = 0
  /// The size of these pictures in bytes.
  package var orphanBytes = 0
  /// The number of unfinished files whose process is gone, which `sweep` deletes.
  package var leftovers = 0
  /// The number of attempts whose process is gone. The next check of the draft's status ends them.
  package var abandoned = 0
  /// `true` if pictures have no record because the catalog was lost. `sweep` keeps them.
  package var recordsLost = false

  /// The report of a verification that checked nothing.
  package static let nothing = VerifyReport()

  /// `true` if everything is intact now.
  public var isClean: Bool { damaged + missing + unavailable == repaired && !recordsLost }

  /// An item that failed verification.
  public struct Finding: Sendable, Equatable {
    /// The recorded ID of the photo. `nil` for a file without a record.
    public var photo: String?
    /// The draft whose attachment is affected.
    public var draft: String?
    /// The path of the picture relative to the cache folder. `nil` if only the record is affected.
    public var path: String?
    /// The problem that was found.
    public var problem: StoreProblem
    /// The path of the damaged file in quarantine, relative to the cache folder.
    public var quarantined: String?
    /// The result of the repair. `nil` if no repair was requested.
    public var repair: Repair?
    /// The response of a store that could not provide the picture.
    public var answer: String?
  }

  /// The result of a repair.
  public enum Repair: Sendable, Equatable {
    /// The item is intact again.
    case done(Method)
    /// The item could not be repaired.
    case failed(Reason)
  }

  /// The source that a repair used.
  public enum Method: String, Sendable, Equatable {
    /// The original, prepared again with the same resulting bytes.
    case source
    /// The original, prepared again with different resulting bytes because a decoder or PetSpot itself has changed. The
    /// record now describes the new bytes.
    case remade
    /// The blob, with data removed that isn't part of the picture. All pixels are unchanged.
    case cleaned
    /// A copy of the bytes in quarantine, because files had been swapped.
    case quarantine
    /// The blob, from which the preview or fields of the record were restored.
    case blob
    /// Another record, or another repair that had already solved the problem.
    case record
    /// The record was sealed as it is. All of its verifiable fields are correct.
    case sealed
    /// An entry that referred to something missing was removed. Another import reads the file again.
    case released
  }

  /// The reason why an item could not be repaired.
  public enum Reason: String, Sendable, Equatable {
    /// No original is known, or it no longer exists.
    case noSource = "no-source"
    /// The original file has changed since.
    case sourceChanged = "source-changed"
    /// The pipeline now refuses the original, or the result cannot replace the recorded picture.
    case otherBytes = "other-bytes"
    /// The cache could not store the repaired item, or a possible original cannot be read now.
    case storage
  }
}
