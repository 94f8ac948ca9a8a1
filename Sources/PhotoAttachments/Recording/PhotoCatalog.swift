package import Foundation

/// Records of photos, of what drafts show, and of imported files, and the state of every attachment.
///
/// A catalog offers acts, never a transaction: each of them happens whole or not at all, is durable
/// when it returns, and is seen by every other process from then on. Calls block. A failure that
/// leaves open whether an act happened is cleared up before it is told: what throws did not happen.
///
/// Two promises tie records to pictures (`BlobStorage`):
///
/// * **N, when a picture may be named.** `naming` runs once, after all checks, when nobody can delete
///   those pictures until they are on record. So no record ever points at nothing.
/// * **D, when a picture may be deleted.** `deleting` is called only for pictures that no record
///   refers to, and that none can come to refer to while it runs.
package protocol PhotoCatalog: LibraryCatalog, SizeCatalog {
  typealias Machine = AttachmentRecord.Machine

  /// Acts that are worth waiting for at the same time: one where each waits for the one before.
  var actsAtOnce: Int { get }

  // MARK: - What drafts show

  /// A draft's attachment, with its photo's record; nil when nothing ever happened to it.
  func attachment(draft: String) throws(StoreError) -> AttachmentRecord?

  /// Begins an attempt that belongs to this process: a ticket that was never used before, and its
  /// `pick`.
  func begin(draft: String, at now: Date) throws(StoreError) -> Machine.Ticket

  /// Says that this process works no more on an attempt, whatever came of it.
  func end(_ ticket: Machine.Ticket)

  /// Lets an event happen to a draft.
  func handle(_ event: Machine.Event, draft: String, at now: Date) throws(StoreError) -> Applied

  /// Ends an attempt whose owner is gone; nothing when there is none.
  func restore(draft: String, at now: Date) throws(StoreError)

  /// Records the photo of an attempt, and its success (promise N).
  ///
  /// - Parameters:
  ///   - ticket: the attempt's; nil for one that begins here, which nobody sees under way.
  ///   - naming: says whether both pictures are there.
  /// - Returns: nil, and nothing is recorded, when `naming` says no.
  func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket?, at now: Date,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Applied?

  /// Lets a draft show a library photo, as a photo of its own with the id `id` (promise N).
  ///
  /// - Parameter naming: throws when the library photo's blob is not there.
  /// - Returns: the new photo's record.
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo.
  func attach(
    asset: UUID, as id: UUID, draft: String, at now: Date,
    naming: (SealedRecord) throws(StoreError) -> Void
  ) throws(StoreError) -> (photo: SealedRecord, applied: Applied)

  /// Takes a photo away wherever it is attached.
  ///
  /// - Returns: pictures to be given up.
  func remove(photo: UUID, at now: Date) throws(StoreError) -> [BlobPath]

  /// Takes a photo out of the library, with what is known of its files; attachments picked from it
  /// stay, with the failure `asset-forgotten`.
  ///
  /// - Returns: the drafts that picked it, and pictures to be given up.
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo.
  func forget(asset: UUID) throws(StoreError) -> (drafts: [String], gone: [BlobPath])

  /// Notes that somebody works on a draft.
  func touch(draft: String, at now: Date) throws(StoreError)

  /// Ends attempts whose owner is gone, and deletes attachments that nobody touched since `limit`.
  /// One that was touched at a moment outside of `believable` counts as touched at the end of it.
  ///
  /// - Parameter dryRun: only tells.
  /// - Returns: how many, and pictures that no record refers to any more.
  func expire(
    before limit: Date, believable: ClosedRange<Date>, dryRun: Bool
  ) throws(StoreError) -> (drafts: Int, gone: [BlobPath])

  /// Drafts whose attempt is under way by the record, although its owner is gone.
  func abandonedDrafts() throws(StoreError) -> [String]

  /// Lets `hear` know a draft's attachment now, and after each change of its state, in the order in
  /// which they happen; until it answers that it hears no more. Changes through this catalog are
  /// heard each and at once; of those by other processes the last is heard within a second.
  ///
  /// - Returns: ends it.
  func watch(
    draft: String, _ hear: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void

  // MARK: - Photos

  /// The photo with this id.
  func photo(id: String) throws(StoreError) -> SealedRecord?

  /// The same without blocking, and without waiting for acts that record or for their turn.
  func lookUp(photo id: String) async throws(StoreError) -> SealedRecord?

  /// Ids of photos that begin with this text, in their order, at most `limit`.
  func ids(beginning text: String, limit: Int) throws(StoreError) -> [String]

  /// The photo that was recorded under this number.
  func photo(sequence: Int64) throws(StoreError) -> SealedRecord?

  /// Photos, the last recorded first, from those recorded before `sequence` on.
  func newest(_ limit: Int, before sequence: Int64) throws(StoreError) -> [SealedRecord]

  /// Photos in the order of recording, from those recorded after `sequence` on.
  func page(
    after sequence: Int64, limit: Int, attachedOnly: Bool
  ) throws(StoreError) -> [SealedRecord]

  /// Library photos whose perceptual hashes differ from one's in at most `distance` bits, the most
  /// alike first.
  ///
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo.
  func similar(
    to id: UUID, distance: Int, limit: Int
  ) throws(StoreError) -> [(photo: SealedRecord, distance: Int)]

  // MARK: - Pictures

  /// Those of the pictures that no record refers to.
  func unreferenced(_ places: [BlobPath]) throws(StoreError) -> [BlobPath]

  /// Deletes those of the pictures that no record refers to (promise D).
  ///
  /// - Parameter deleting: deletes a picture and tells the bytes that this freed, nil when there was
  ///   none.
  func release(
    _ places: [BlobPath], deleting: (BlobPath) throws(StoreError) -> Int?
  ) throws(StoreError) -> (files: Int, bytes: Int)

  /// Whether pictures were there before the catalog was made: then it was lost once, and pictures
  /// without a record may be somebody's only copies.
  func isYoungerThanPictures() throws(StoreError) -> Bool

  // MARK: - Verifying

  /// Proves the catalog's own storage.
  ///
  /// - Throws: `StoreError.database("damaged")` with the first finding.
  func checkIntegrity() throws(StoreError)

  /// Runs `work` while nobody records, deletes or names a picture, so that what it finds damaged can
  /// be moved away. Where a name never stands for a second object, nothing has to be held.
  ///
  /// - Parameter dryRun: `work` moves nothing, so that nobody who names pictures has to wait.
  func hold<T>(
    dryRun: Bool, _ work: (any HeldRecords) throws(StoreError) -> T
  ) throws(StoreError) -> T

  /// Entries that point at nothing, or that are not as they were written.
  func damages() throws(StoreError) -> [EntryDamage]

  /// What is wrong with an entry now, nil when nothing is.
  func problem(of entry: CatalogEntry) throws(StoreError) -> StoreProblem?

  /// Puts one record in the place of another, unless that has changed (promise N).
  ///
  /// - Parameters:
  ///   - pictures: what every other photo shows from now on that shares the old one's blob.
  ///   - naming: says whether the new record's pictures are there.
  /// - Returns: whether it was done.
  func replace(
    _ old: SealedRecord, by new: SealedRecord, showing pictures: SealedRecord.Pictures?,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool

  /// Records a photo that an entry of the library still names (promise N).
  ///
  /// - Returns: whether it was done; not, when that entry is in order or gone, or `naming` says no.
  func remake(
    _ photo: SealedRecord, naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool

  /// Lets go of what an entry points at, when that is not there: the draft becomes what it is
  /// without its photo, other entries end.
  func letGo(_ entry: CatalogEntry, at now: Date) throws(StoreError)

  /// Notes the digest of the photo's original with the file that it was made from.
  func correctSource(path: Data) throws(StoreError)

  /// The seal on a photo's entry in the library, nil when there is none.
  func librarySeal(photo: String) throws(StoreError) -> String?

  /// Writes the perceptual hash of a library photo anew.
  func setPerceptualHash(_ hash: UInt64, photo: UUID) throws(StoreError)

  /// Files that an import noted as originals of these photos, or that have this digest; those that a
  /// photo was made from first, at most 16.
  func originals(ids: [String], sha256: String?) throws(StoreError) -> [NotedOriginal]

  /// Digests of all files that an import noted for a photo.
  func originalDigests(photo: String) throws(StoreError) -> Set<String>

  /// Ids that some entry refers to although there is no such photo.
  func missedPhotos() throws(StoreError) -> [String]

  // MARK: - The end

  /// Gives up memory that is only held to be faster. Whoever serves for long calls it now and then.
  func releaseMemory()

  /// Lets go of the catalog's files and connections; every later call fails.
  func close() throws(StoreError)
}

extension PhotoCatalog {
  package var actsAtOnce: Int { 1 }
  package func releaseMemory() {}
}

/// What can be asked while pictures are held.
package protocol HeldRecords {
  /// The photo that was recorded under this number.
  func photo(sequence: Int64) throws(StoreError) -> SealedRecord?
  /// Whether any record refers to this picture.
  func isReferenced(_ place: BlobPath) throws(StoreError) -> Bool
  /// Whether any photo's blob or preview has this digest.
  func isReferenced(digest: String) throws(StoreError) -> Bool
}
