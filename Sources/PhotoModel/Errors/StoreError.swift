/// An error of storing photos. The associated values are facts, never sentences: clients format them in the reader's
/// language.
public enum StoreError: Error, Sendable, Equatable, Codable {
  /// The photo, or the code that processes it, is at fault. Nothing was stored.
  case photo(PhotoError)
  /// The photo doesn't exist, or none was given.
  case missingPhoto
  /// The stored copies of these library photos, given by their ids, may be the only ones because no original of them is
  /// known to exist. Nothing was removed.
  case onlyCopies(photos: [String])
  /// The disk, quota or inode table is full, or a file would grow beyond a limit of this process.
  case storageFull(operation: String, path: String, errno: Int32)
  /// The cache folder cannot be created or used.
  case cacheUnavailable(path: String, errno: Int32)
  /// Another user could put files into the cache. Nothing in it was touched.
  case unsafeCache(path: String, reason: Distrust)
  /// Another input/output failure in the cache folder.
  case storage(operation: String, path: String, errno: Int32)
  /// The database cannot be used.
  case database(DatabaseProblem, detail: String)
  /// PetSpot is at fault: an invariant is broken, or a stored picture has changed.
  case fault(Fault)
  /// Another process holds the database for longer than the allowed wait. `service` is the server with its address and
  /// without secrets, or `nil` for the cache folder.
  case busy(seconds: Int, service: String? = nil)
  /// A server with records or pictures doesn't respond. `service` is the server with its address and without secrets,
  /// `detail` the reason.
  case unreachable(service: String, detail: String)
  /// A server with records or pictures asks clients to back off.
  case overloaded(service: String, detail: String)
  /// A server with records or pictures reports an error, or can't be asked because its address or keys are wrong.
  case serviceFailed(service: String, detail: String, problem: ServiceProblem = .other)
  /// A folder of backups can't be used.
  case backup(BackupProblem, path: String)
  /// The user or the system requested a stop.
  case cancelled
  /// A later attempt for the same draft superseded this one.
  case superseded
  /// The photo was removed from the draft while it was being attached.
  case removed

  /// Wraps the error of a photo. A cancelled photo becomes a cancelled transaction.
  public init(_ error: PhotoError) {
    self = error == .cancelled ? .cancelled : .photo(error)
  }

  /// The reasons why a cache is not trusted.
  public enum Distrust: Sendable, Equatable, Codable {
    /// It belongs to another user, with this user id.
    case owner(user: Int)
    /// Others may write to it, and it contains files that don't belong to a cache.
    case writableByOthers
    /// The database isn't a regular file but a `symlink`, `fifo`, `socket` or `device`.
    case notAFile(kind: String)
  }

  /// The reasons why a database cannot be used. The raw values are stable words.
  public enum DatabaseProblem: String, Sendable, Codable {
    /// Another version of this program created its tables.
    case otherVersion = "other-version"
    /// Its file or a row has contents that this program doesn't write.
    case damaged
    /// A photo's record was changed by something else. The detail is the photo's id.
    case alteredRecord = "altered-record"
    /// Its records belong to pictures at another address, which is the detail.
    case otherBlobs = "other-blobs"
    /// The pictures of the cache folder belong to other records. The detail is the folder.
    case otherRecords = "other-records"
    /// It rejected a command.
    case failed
    /// Its file was moved, deleted or replaced while it was open. The detail is the path.
    case replaced
    /// It was closed.
    case closed
    /// Its journal can't be set up. The detail is the current journal mode.
    case journalMode = "journal-mode"
    /// Its address is invalid.
    case noAddress = "no-address"
    /// Another worker took over a part of an import.
    case lostClaim = "lost-claim"
    /// A later version wrote a draft. The detail is that version.
    case newerDraft = "newer-draft"
    /// A draft can't be read.
    case damagedDraft = "damaged-draft"
  }

  /// The reasons why a server with records or pictures fails. The raw values are stable words.
  public enum ServiceProblem: String, Sendable, Codable {
    /// Its address is invalid.
    case badAddress = "bad-address"
    /// The keys are missing.
    case missingKeys = "no-keys"
    /// It rejects the user, the password or the keys, or doesn't allow them the request.
    case accessDenied = "access-denied"
    /// It has no such database.
    case missingDatabase = "no-database"
    /// It has no such bucket.
    case missingBucket = "no-bucket"
    /// Any other reason.
    case other
  }

  /// The reasons why a backup folder can't be used or restored from. The raw values are stable words.
  public enum BackupProblem: String, Sendable, Codable {
    /// A file has changed since it was written. The path is that file's.
    case damaged
    /// The file that marks the backup folder has changed since it was written. The path is that file's.
    case damagedMarker = "damaged-marker"
    /// There is no snapshot, or none with that name.
    case noSnapshot = "no-snapshot"
    /// The folder to back up to contains other files, or doesn't exist.
    case notABackup = "not-a-backup"
    /// The folder to restore from isn't a backup folder.
    case noBackup = "no-backup"
    /// The folder is empty, but it had backups of this store before.
    case vanished
    /// The backup folder is the cache folder, or one of them is inside the other.
    case inCache = "in-cache"
    /// A backup folder was given as a cache folder.
    case asCache = "as-cache"
    /// Another version of this program wrote the file.
    case otherVersion = "other-version"
    /// Another process is using the folder.
    case inUse = "in-use"
    /// The stores to restore into aren't empty. The path is that of the stores.
    case notEmpty = "not-empty"
    /// The backup's pictures are in an object store, which the caller has to name.
    case elsewhere
    /// The folder has backups of another store, or this store has lost its records since.
    case otherStore = "other-store"
    /// A restore into the store was begun and not finished. The path is the store's.
    case restoring
    /// A restore of another snapshot into the store was begun and not finished. The path is that snapshot's time, as in
    /// its name.
    case otherRestore = "other-restore"
  }

  /// The broken invariants. The raw values are stable words.
  public enum Fault: String, Sendable, Codable, CaseIterable {
    /// The bytes of a stored picture differ from the recorded ones.
    case blobDamaged = "blob-damaged"
    /// A pipe or a folder has the name of a picture.
    case blobNotAFile = "blob-not-a-file"
    /// A picture's name isn't a digest, or pictures aren't stored in its format.
    case blobDigest = "blob-digest"
    /// A record has no path for a picture.
    case blobPath = "blob-path"
    /// A remote picture was read backwards.
    case blobOrder = "blob-order"
    /// Other processes repeatedly deleted a picture while it was being recorded.
    case blobVanished = "blob-vanished"
    /// A staged picture, which is stored but has no name yet, belongs to another storage.
    case stagedElsewhere = "staged-elsewhere"
    /// A staged picture was discarded.
    case stagedDiscarded = "staged-discarded"
    /// A transaction continued after a command had failed. Or a host called a function outside of a transaction that
    /// writes to its database.
    case transaction
    /// A host attached a prepared photo that is attached already.
    case attachedTwice = "attached-twice"
    /// The database issued no ticket, the number that identifies an attempt to attach a photo.
    case ticket
    /// A record can't be encoded, or has no id.
    case record
    /// A picture's object can't be named, because it is waiting to be deleted or in quarantine.
    case objectNamedAgain = "object-named-again"
    /// Sizes can't be made in this format.
    case sizeFormat = "size-format"
    /// A draft's id can't be stored.
    case draftID = "draft-id"
    /// An import failed in an unexpected way.
    case importing = "import"
    /// An import reached a verdict about something that isn't a file.
    case importFinding = "import-finding"
    /// The row of an input has no path.
    case importInput = "import-input"
    /// The row of an import part can't be read.
    case importPart = "import-part"
    /// A statement of an import changed an unexpected number of rows.
    case importCount = "import-count"
    /// A run was recorded but got no number.
    case importRun = "import-run"
    /// An error of unknown kind.
    case unexpected
  }
}
