package import Foundation
package import ImageContainers
package import PhotoIngestion

/// Pictures by the digest of their bytes. Calls block.
///
/// A name never stands for a partial picture: bytes are complete and durable before they are named.
/// What was named is deleted only by `remove`, which a `PhotoCatalog` calls for (its promise D), and
/// moved only by `putAside`.
package protocol BlobStorage: Sendable {
  /// Whether to store a picture is to wait for somebody else's answer most of the time.
  var isFar: Bool { get }

  // MARK: - Storing

  /// Stores a picture, durable and named when it returns; equal bytes already there are success,
  /// other bytes there are damage and get replaced.
  func put(_ picture: EncodedPicture, kind: BlobPath.Kind) throws(StoreError) -> StoredPicture

  /// Takes a picture in without a name, to be made durable together with others.
  func stage(_ picture: EncodedPicture, kind: BlobPath.Kind) throws(StoreError) -> StagedPicture

  /// Waits until staged pictures are durable. After a failure they are lost: discard them, never try
  /// again.
  func sync(_ staged: [StagedPicture]) throws(StoreError)

  /// Names synced pictures; one that is there already is replaced by equal bytes. Call it where a
  /// catalog says so (its promise N).
  func name(_ staged: [StagedPicture]) throws(StoreError)

  /// Deletes a staged picture that is not wanted; one that was named stays.
  func discard(_ staged: StagedPicture)

  // MARK: - Looking

  /// The bytes of a picture, not yet compared with their digest.
  ///
  /// - Throws: `StoreError.missingPhoto` when there is none; `.fault("blob-not-a-file")` when
  ///   something else has its name; `.storage` when that cannot be told.
  func read(_ place: BlobPath) throws(StoreError) -> [UInt8]

  /// The same bytes, to be read piece by piece. They stay readable when the picture is deleted.
  func body(_ place: BlobPath) throws(StoreError) -> PictureBody

  /// The bytes of a staged picture.
  func read(_ staged: StagedPicture) throws(StoreError) -> [UInt8]

  /// Size and age of a picture, nil when there is none.
  ///
  /// - Throws: `StoreError.storage` when that cannot be told: a store that fails has not lost it.
  func facts(_ place: BlobPath) throws(StoreError) -> BlobFacts?

  /// Whether a picture is stored as large as its record says, as cheaply as that can be told: an
  /// import asks it of every file, and catalogs ask it in their acts.
  func holds(_ picture: RecordedPicture) throws(StoreError) -> Bool

  /// Why `facts` does not find a picture.
  func absence(of place: BlobPath) -> StoreError

  /// Where a picture lies.
  func url(of place: BlobPath) -> URL

  /// Names of the parts that pictures of a kind are listed by.
  func shards(of kind: BlobPath.Kind) throws(StoreError) -> [String]

  /// The pictures of one part.
  func list(_ kind: BlobPath.Kind, shard: String) throws(StoreError) -> [BlobPath]

  // MARK: - Deleting

  /// Deletes a picture; one that is gone already is success.
  ///
  /// - Returns: the bytes freed, nil when there was nothing.
  func remove(_ place: BlobPath) throws(StoreError) -> Int?

  /// Deletes what was staged by processes that are gone; a dry run only tells.
  ///
  /// - Parameters:
  ///   - shard: the part to look at. What lies in no part belongs to the first.
  ///   - isOld: judges the age of a file that names no owner, by its time of writing in seconds since
  ///     1970.
  func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int)

  // MARK: - Damage

  /// Which object has a picture's name now, nil when none has.
  func identity(_ place: BlobPath) -> FileIdentity?

  /// Moves a damaged picture out of the store, so that it is never served and another one of its
  /// name is stored anew. Nothing is overwritten or deleted. Call it while the catalog holds.
  ///
  /// - Parameters:
  ///   - identity: what was looked at; another one that took its place stays.
  ///   - holds: digest of its bytes, nil when they cannot be read.
  /// - Returns: where it lies now; nil when another one took its place, or none.
  func putAside(
    _ place: BlobPath, _ identity: FileIdentity, problem: StoreProblem, holds: String?
  ) throws(StoreError) -> String?

  /// What was put aside.
  func quarantined() throws(StoreError) -> [QuarantinedFile]

  /// The bytes of what was put aside, nil unless they have this digest.
  func read(_ file: QuarantinedFile, sha256 digest: String) -> [UInt8]?
}

/// A picture that was taken in and has no name yet.
package struct StagedPicture: Sendable {
  /// Facts of the picture under its final name.
  package var picture: StoredPicture
  package var place: BlobPath
  /// What the storage knows it by.
  package var handle: any Sendable

  package init(
    _ encoded: EncodedPicture, at place: BlobPath, handle: any Sendable
  ) {
    picture = StoredPicture(encoded, at: place)
    (self.place, self.handle) = (place, handle)
  }
}

/// Size and age of a stored picture.
package struct BlobFacts: Sendable, Equatable {
  package var sizeBytes: Int
  /// When it was written, in seconds since 1970.
  package var modified: Int

  package init(sizeBytes: Int, modified: Int) {
    (self.sizeBytes, self.modified) = (sizeBytes, modified)
  }
}

extension EncodedPicture {
  /// Where it is stored.
  ///
  /// - Throws: `StoreError.fault("blob-digest")` when its digest is none or its format not stored.
  package func place(_ kind: BlobPath.Kind) throws(StoreError) -> BlobPath {
    guard let place = BlobPath(kind, sha256: sha256, format: format) else {
      throw .fault(what: "blob-digest")
    }
    return place
  }
}

extension StoredPicture {
  /// Facts of a picture stored at a place.
  package init(_ picture: EncodedPicture, at place: BlobPath) {
    self.init(
      path: place.relativePath, format: picture.format, sizeBytes: picture.bytes.count,
      sha256: picture.sha256, pixelWidth: picture.pixelWidth, pixelHeight: picture.pixelHeight,
      frameCount: picture.frameCount)
  }
}

extension BlobStorage {
  package var isFar: Bool { false }

  /// The same of all parts.
  package func removeUnfinished(
    dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    try removeUnfinished(of: .whole, dryRun: dryRun, isOld: isOld)
  }

  /// Asks what lies there.
  package func holds(_ picture: RecordedPicture) throws(StoreError) -> Bool {
    try facts(picture.place)?.sizeBytes == picture.sizeBytes
  }

  /// Whether a photo's pictures lie there as large as its record says.
  package func holds(_ photo: SealedRecord) throws(StoreError) -> Bool {
    for kind in BlobPath.Kind.allCases {
      guard let picture = photo.recorded(kind), try holds(picture) else { return false }
    }
    return true
  }

  /// Whether the very bytes lie there that a picture's name tells.
  package func isWhole(_ place: BlobPath) -> Bool {
    (try? read(place)).map { sha256(of: $0) == place.sha256 } ?? false
  }

  /// Reads, digests and walks a stored picture.
  ///
  /// - Throws: what says nothing of the picture, such as too many open files.
  package func look(
    at place: BlobPath, limits: ContainerLimits
  ) throws(StoreError) -> StoredFile {
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try read(place) } catch {
      if error == .missingPhoto { return .missing }
      if error == .fault(what: "blob-not-a-file") { return .unreadable(errno: EINVAL) }
      guard let errno = error.systemErrno, ![EMFILE, ENFILE, ENOMEM].contains(errno) else {
        throw error
      }
      return .unreadable(errno: errno)
    }
    let digest = sha256(of: bytes)
    guard digest == place.sha256 else { return .other(sha256: digest, sizeBytes: bytes.count) }
    do throws(ContainerError) {
      let facts = try ImageContainer.walk(bytes, as: place.format, limits: limits)
      guard (try? ContainerProof.account(for: bytes, as: place.format)) != nil else {
        return .unsound(.metadata)
      }
      return .sound(
        sizeBytes: bytes.count, width: facts.uprightWidth, height: facts.uprightHeight,
        frames: facts.frameCount)
    } catch {
      return .unsound(.structure)
    }
  }
}
