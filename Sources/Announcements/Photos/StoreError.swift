/// Every error of storing photos. The values are facts, never sentences, which are made in the
/// reader's language where they are shown.
public enum StoreError: Error, Sendable, Equatable, Codable {
  /// The photo, or what works on it, is at fault; nothing was stored.
  case photo(PhotoError)
  /// There is no such photo, or no photo at all.
  case missingPhoto
  /// No original of these library photos, named by their ids, is known to be there: nothing was removed.
  case onlyCopies(photos: [String])
  /// The disk, quota or inode table is full, or a file would grow beyond a limit of this process.
  case storageFull(operation: String, path: String, errno: Int32)
  /// The cache folder cannot be made or used at all.
  case cacheUnavailable(path: String, errno: Int32)
  /// Somebody else could put files into the cache; nothing in it was touched.
  case unsafeCache(path: String, reason: Distrust)
  /// Another input/output failure in the cache folder.
  case storage(operation: String, path: String, errno: Int32)
  /// The catalog cannot be used.
  case database(DatabaseProblem, detail: String)
  /// PetSpot is at fault: a promise doesn't hold, or a stored picture isn't as it was stored.
  case fault(Fault)
  /// Another process holds the catalog longer than we wait; `service` says which server keeps it, with
  /// its address and without secrets, nil for the cache folder.
  case busy(seconds: Int, service: String? = nil)
  /// A server that keeps records or pictures does not answer; `service` says which, with its address
  /// and without secrets, `detail` why.
  case unreachable(service: String, detail: String)
  /// Such a server asks to be left alone for a while.
  case overloaded(service: String, detail: String)
  /// Such a server answers that it cannot or will not.
  case serviceFailed(service: String, detail: String)
  /// A folder of backups can't be used.
  case backup(BackupProblem, path: String)
  /// The person or the system asked us to stop.
  case cancelled
  /// A later attempt at the same draft took this one's place; the word is that one's.
  case superseded
  /// The photo was taken away from the draft while it was on its way.
  case removed

  /// A photo's error; a cancelled photo is a cancelled transaction.
  public init(_ error: PhotoError) {
    self = error == .cancelled ? .cancelled : .photo(error)
  }

  /// Why a cache is not used.
  public enum Distrust: Sendable, Equatable, Codable {
    /// It belongs to the user with this number.
    case owner(user: Int)
    /// Others may write to it, and it holds what is no part of a cache.
    case writableByOthers
    /// The catalog is no regular file but a `symlink`, `fifo`, `socket`, `device`.
    case notAFile(kind: String)
  }

  /// Why a catalog cannot be used; the raw values are stable words.
  public enum DatabaseProblem: String, Sendable, Codable {
    /// Another version of this program made its tables.
    case otherVersion = "other-version"
    /// Its file, or a row, isn't what this program writes.
    case damaged
    /// A photo's record isn't as it was written; the detail is the photo's id.
    case alteredRecord = "altered-record"
    /// Its records belong to pictures at another address, which is the detail.
    case otherBlobs = "other-blobs"
    /// The pictures of the cache folder belong to other records; the detail is the folder.
    case otherRecords = "other-records"
    /// It refused a command.
    case failed
    /// Its file was moved or deleted, or another one took its place, while it was open; the detail is the path.
    case replaced
    /// It was closed.
    case closed
    /// Its journal can't be set up; the detail is the mode that it has.
    case journalMode = "journal-mode"
    /// Its address has no meaning.
    case noAddress = "no-address"
    /// Another worker took over a part of an import.
    case lostClaim = "lost-claim"
    /// A draft was written by a later version, which is the detail.
    case newerDraft = "newer-draft"
    /// A draft can't be read.
    case damagedDraft = "damaged-draft"
  }

  /// Why a folder of backups can't be used, or restored from; the raw values are stable words.
  public enum BackupProblem: String, Sendable, Codable {
    /// A file isn't as it was written; the path is that file's.
    case damaged
    /// The file that marks the folder, whose path it is, isn't as it was written.
    case damagedMarker = "damaged-marker"
    /// There is no snapshot, or none of that name.
    case noSnapshot = "no-snapshot"
    /// The folder to back up to has other things in it, or isn't there.
    case notABackup = "not-a-backup"
    /// The folder to restore from is no folder of backups.
    case noBackup = "no-backup"
    /// The folder is empty, but had backups of this store before.
    case vanished
    /// The folder is the cache folder, or one of the two lies in the other.
    case inCache = "in-cache"
    /// The folder of backups was named as a cache folder.
    case asCache = "as-cache"
    /// Another version of this program wrote the file.
    case otherVersion = "other-version"
    /// Another process works on it.
    case inUse = "in-use"
    /// The stores to restore into, whose path it is, aren't empty.
    case notEmpty = "not-empty"
    /// Its pictures are in an object store, which has to be named.
    case elsewhere
    /// The folder has backups of another store, or of one that still had its records.
    case otherStore = "other-store"
    /// A restore into the store, whose path it is, was begun and not ended.
    case restoring
    /// A restore of another snapshot into the store was begun and not ended; the path is that snapshot's time, as in its
    /// name.
    case otherRestore = "other-restore"
  }

  /// What doesn't hold; the raw values are stable words.
  public enum Fault: String, Sendable, Codable, CaseIterable {
    /// A stored picture has other bytes than those recorded.
    case blobDamaged = "blob-damaged"
    /// A pipe or a folder has a picture's name.
    case blobNotAFile = "blob-not-a-file"
    /// A picture's name is no digest, or its format is not stored.
    case blobDigest = "blob-digest"
    /// A record names no place of a picture.
    case blobPath = "blob-path"
    /// A remote picture was read backwards.
    case blobOrder = "blob-order"
    /// Others deleted a picture again and again while it was recorded.
    case blobVanished = "blob-vanished"
    /// A staged picture belongs to another storage.
    case stagedElsewhere = "staged-elsewhere"
    /// A staged picture was discarded.
    case stagedDiscarded = "staged-discarded"
    /// A transaction went on after a command failed.
    case transaction
    /// The database issued no ticket.
    case ticket
    /// A record can't be encoded, or has no id.
    case record
    /// An object got its name a second time.
    case objectNamedAgain = "object-named-again"
    /// There are no sizes in this format.
    case sizeFormat = "size-format"
    /// A draft's id can't be stored.
    case draftID = "draft-id"
    case importing = "import"
    case importFinding = "import-finding"
    case importInput = "import-input"
    case importPart = "import-part"
    case importCount = "import-count"
    case importRun = "import-run"
    /// An error of no known kind.
    case unexpected
  }
}
