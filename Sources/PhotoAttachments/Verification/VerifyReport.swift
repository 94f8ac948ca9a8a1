public import SystemPackage

/// What a verification checks, and what it does about damage.
public struct VerifyOptions: Sendable, Equatable {
  /// The whole cache: every photo on record, every file in the store, and the catalog itself.
  /// Otherwise only the photos that drafts and announcements show.
  public var all = false
  /// Only reports: damaged files stay where they are.
  public var dryRun = false
  /// Bring back what can be brought back.
  public var repairs = false
  /// Folders and files in which originals are looked for, beside those that an import noted.
  public var sources: [FilePath] = []
  /// The part of the photos and files to look at, when several share the work. The first one looks at
  /// the entries that point at photos, too.
  public var shard = StoreShard.whole

  /// The default options.
  public init() {}
}

/// What a verification found, in numbers.
public struct VerifyReport: Sendable, Equatable {
  /// Photos looked at.
  public var checked = 0
  /// Photos and other entries that are not what they were, but not missing.
  public var damaged = 0
  /// Photos whose blob or preview is gone.
  public var missing = 0
  /// Photos with a picture that the store could not give, so that nothing is known of it.
  public var unavailable = 0
  /// Whether one of these is not repaired.
  package var isIncomplete = false
  /// Of the damaged, missing and unavailable ones, those that are whole again.
  public var repaired = 0
  /// Damaged files that were moved to `quarantine/`.
  package var quarantined = 0
  /// Old pictures without a record: rubbish for `sweep`.
  package var orphans = 0
  /// Their bytes.
  package var orphanBytes = 0
  /// Unfinished files whose process is gone: rubbish for `sweep`.
  package var leftovers = 0
  /// Attempts whose process is gone; the next look at their draft ends them.
  package var abandoned = 0
  /// Whether there are pictures without a record because the catalog was lost once; `sweep` keeps
  /// them.
  package var recordsLost = false

  /// Nothing was looked at.
  package static let nothing = VerifyReport()

  /// Whether everything is as it should be by now.
  public var isClean: Bool { damaged + missing + unavailable == repaired && !recordsLost }

  /// Something that failed its proof.
  public struct Finding: Sendable, Equatable {
    /// The photo it belongs to, as it is on record; nil for a file without a record.
    public var photo: String?
    /// The draft whose attachment it is about.
    public var draft: String?
    /// Path of the picture below the cache folder; nil when it is about the record alone.
    public var path: String?
    /// What is wrong.
    public var problem: StoreProblem
    /// Where the damaged file lies now, below the cache folder.
    public var quarantined: String?
    /// What came of repairing it; nil when that wasn't asked for.
    public var repair: Repair?
    /// What the store answered instead of giving the picture.
    public var answer: String?
  }

  /// What came of repairing something.
  public enum Repair: Sendable, Equatable {
    /// It is whole again.
    case done(Method)
    /// It is not.
    case failed(Reason)
  }

  /// Where the truth was found.
  public enum Method: String, Sendable, Equatable {
    /// The original, prepared once more: the very bytes of before.
    case source
    /// The original, prepared again: a decoder or PetSpot itself has changed since, so that the blob has
    /// other bytes, and the record describes those.
    case remade
    /// The blob, cleaned once more of what is not the picture; pixel by pixel it is as before.
    case cleaned
    /// A copy of the bytes in quarantine: files had been exchanged.
    case quarantine
    /// The blob: its preview, or what the record says of it.
    case blob
    /// Another record, or nothing had to be done any more.
    case record
    /// The record was sealed as it is: what can be proved of it is right.
    case sealed
    /// What pointed at nothing was let go; another import takes the file again.
    case released
  }

  /// Why something could not be repaired.
  public enum Reason: String, Sendable, Equatable {
    /// No original is known, or none is there any more.
    case noSource = "no-source"
    /// The original is another file by now.
    case sourceChanged = "source-changed"
    /// The original is refused today, or gives what cannot be stored.
    case otherBytes = "other-bytes"
    /// The cache would not take it, or something that may be its original can't be read now.
    case storage
  }
}
