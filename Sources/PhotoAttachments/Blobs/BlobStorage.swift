package import Foundation
package import ImageContainers
package import PhotoIngestion

/// A storage for pictures, named by the digest of their bytes. Calls block.
///
/// A name never refers to a partial picture, because bytes are complete and durable before they are named. Only
/// `remove` deletes a named picture. Call it only when a `Catalog` has found that no record refers to the picture (its
/// promise D). Only `move` moves one. The other operations (`sync`, `put`, `readPicture`, `quarantine`) are built from
/// these functions, once for all storages.
package protocol BlobStorage: Sendable {
  /// `true` if storing a picture mostly means waiting for another machine.
  var isRemote: Bool { get }

  // MARK: - Storing

  /// Stores a picture without a name, to be made durable together with others.
  ///
  /// - Parameter unlessStored: `true` skips the write if equal bytes are already stored under the name.
  func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind, unlessStored: Bool
  ) throws(StoreError) -> StagedPicture

  /// Gives synced pictures their final names. A picture of that name is replaced by equal bytes. Other processes may
  /// delete a picture that has no record. So a transaction that records pictures names them itself, or checks that they
  /// still exist (promise N of `Catalog`).
  func name(_ staged: [StagedPicture]) throws(StoreError)

  /// Deletes a staged picture that is no longer needed. Keeps it if it was already named.
  func discard(_ staged: StagedPicture)

  // MARK: - Looking

  /// Returns the bytes of a picture, not yet compared with their digest. They stay readable after the picture is
  /// deleted, unless they are fetched in pieces.
  ///
  /// - Parameter inPieces: `true` if a large picture may be fetched from another machine piece by piece as it is read
  ///   (`RemotePicture`).
  /// - Throws: `StoreError.missingPhoto` if the picture is missing; `.fault(.blobNotAFile)` if the name refers to
  ///   something other than a file; `.storage` if the store cannot find out.
  func body(_ place: BlobPath, inPieces: Bool) throws(StoreError) -> PictureBody

  /// Returns facts about a picture's file. `nil` if the name does not exist.
  ///
  /// - Parameter quickly: `true` if only the size is needed. The storage then uses the cheapest request, because an
  ///   import calls this for every file and catalogs call it in their transactions.
  /// - Throws: `StoreError.storage` if the store cannot find out. A failing store never counts as an empty one.
  func findBlob(at place: BlobPath, quickly: Bool) throws(StoreError) -> BlobFacts?

  /// Returns the location of a picture.
  func url(of place: BlobPath) -> URL

  /// Returns the pictures in a folder. Skips other files.
  func list(_ folder: BlobPath.Folder) throws(StoreError) -> [BlobPath]

  // MARK: - Deleting and moving

  /// Deletes a picture. Succeeds if it is already gone.
  ///
  /// - Returns: the number of bytes freed. `nil` if the picture was already gone.
  func remove(_ place: BlobPath) throws(StoreError) -> Int?

  /// Deletes pictures staged by processes that are gone. A dry run only counts them.
  ///
  /// - Parameters:
  ///   - shard: the part of the store to check. Files that belong to no part are handled with the first.
  ///   - isOld: returns `true` if a file whose name doesn't tell which process wrote it is old enough to delete. Takes
  ///     the time of its last write in seconds since 1970.
  func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int)

  /// Moves a picture to a place in quarantine. Never overwrites or deletes anything.
  ///
  /// - Parameter identity: the file that was checked. A different file at the same place is not moved.
  /// - Returns: `true` if it was moved.
  func move(
    _ place: BlobPath, _ identity: FileIdentity, to quarantine: BlobPath
  ) throws(StoreError) -> Bool
}

/// A storage that keeps pictures as objects, with a ledger that lists which object contains each picture.
package protocol ObjectBlobStorage: BlobStorage {
  var ledger: ObjectLedger { get }
  /// Returns an object's key in the store.
  func key(_ object: StoredObject) -> String
  /// Throws if the store does not respond.
  func check() throws(StoreError)
  /// Returns the object for a key. `nil` if the key does not belong to this store.
  func object(key: String, sizeBytes: Int) -> StoredObject?
}

/// A picture that is stored but has no name yet.
package struct StagedPicture: Sendable {
  /// Facts about the picture under its final name.
  package var picture: StoredPicture
  package var place: BlobPath
  /// The location under the final name.
  package var url: URL
  package var body: PictureBody
  /// The file, if it must be synced before it is named.
  package var unsynced: PictureFile?
  /// The storage's own handle for the staged picture.
  package var handle: any Sendable

  package init(
    _ encoded: EncodedPicture, at place: BlobPath, url: URL, body: PictureBody,
    unsynced: PictureFile? = nil, handle: any Sendable
  ) {
    picture = StoredPicture(encoded, at: place)
    self.place = place
    self.url = url
    self.body = body
    self.unsynced = unsynced
    self.handle = handle
  }
}

/// Facts about the file or object stored under a picture's name.
package struct BlobFacts: Sendable, Equatable {
  package var sizeBytes: Int
  /// The time of the last write in seconds since 1970.
  package var modified: Int
  /// Identifies this particular file or object.
  package var identity: FileIdentity
  /// `true` if it is something other than a file, such as a folder.
  package var isOther = false

  package init(modified: Int, identity: FileIdentity, isOther: Bool = false) {
    sizeBytes = identity.size
    self.modified = modified
    self.identity = identity
    self.isOther = isOther
  }
}

extension EncodedPicture {
  /// Creates a picture from the bytes at a place. The dimensions are 0 because storing does not need them.
  package init(_ bytes: [UInt8], at place: BlobPath) {
    self.init(
      bytes: bytes, format: place.format, pixelWidth: 0, pixelHeight: 0, frameCount: 0,
      sha256: place.sha256)
  }

  /// Returns the place at which the picture is stored.
  ///
  /// - Throws: `StoreError.fault(.blobDigest)` if the digest is invalid or the store does not support the format.
  package func place(_ kind: BlobPath.Kind) throws(StoreError) -> BlobPath {
    guard let place = BlobPath(kind, sha256: sha256, format: format) else {
      throw .fault(.blobDigest)
    }
    return place
  }
}

extension StoredPicture {
  /// Creates facts about a picture stored at a place.
  package init(_ picture: EncodedPicture, at place: BlobPath) {
    self.init(
      path: place.relativePath, format: picture.format, sizeBytes: picture.bytes.count,
      sha256: picture.sha256, pixelWidth: picture.pixelWidth, pixelHeight: picture.pixelHeight,
      frameCount: picture.frameCount)
  }

  var place: BlobPath {
    get throws(StoreError) {
      guard let place = BlobPath(relativePath: path) else { throw .fault(.blobPath) }
      return place
    }
  }
}

extension BlobStorage {
  /// Stores a picture without a name, even if equal bytes are already stored.
  package func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind
  ) throws(StoreError) -> StagedPicture {
    try stage(picture, kind: kind, unlessStored: false)
  }

  /// Waits until staged pictures are durable. After a failure the kernel may have dropped their bytes, so discard them
  /// and don't retry.
  ///
  /// Syncs several files concurrently, because a journaling file system can then commit many of them with one disk
  /// flush.
  package func sync(_ staged: [StagedPicture]) throws(StoreError) {
    _ = try staged.compactMap(\.unsynced).concurrentMap { file in
      try file.sync()
    }
  }

  /// Stores a picture, which is durable and named when this returns. Succeeds if equal bytes are already stored. Other
  /// bytes under the name count as damage and are replaced.
  ///
  /// - Parameter anew: `true` replaces equal bytes, too.
  package func put(
    _ picture: EncodedPicture, kind: BlobPath.Kind, anew: Bool = false
  ) throws(StoreError) -> StoredPicture {
    var tries = 0
    while true {
      tries += 1
      let staged = try stage(picture, kind: kind, unlessStored: !anew)
      do throws(StoreError) {
        try sync([staged])
        try name([staged])
        return staged.picture
      } catch {
        discard(staged)
        // Another process took this process for dead and deleted the staged object before it had a name. Try again.
        guard case .overloaded = error, tries == 1 else { throw error }
      }
    }
  }

  /// Deletes pictures staged by processes that are gone, in all parts of the store. A dry run only counts them.
  package func removeUnfinished(
    dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    try removeUnfinished(of: .whole, dryRun: dryRun, isOld: isOld)
  }

  /// Returns the bytes of a picture, not yet compared with their digest.
  ///
  /// - Throws: the errors of `body`.
  package func readPicture(_ place: BlobPath) throws(StoreError) -> [UInt8] {
    try body(place, inPieces: false).all()
  }

  /// Returns the bytes of a recorded picture after comparing them with the record. Never returns damaged bytes.
  ///
  /// - Throws: the errors of `body`; `.fault(.blobDamaged)` if the bytes differ.
  package func readVerified(_ picture: StoredPicture) throws(StoreError) -> [UInt8] {
    let bytes = try readPicture(try picture.place)
    guard bytes.count == picture.sizeBytes, sha256(of: bytes) == picture.sha256 else {
      throw .fault(.blobDamaged)
    }
    return bytes
  }

  /// Returns the size and age of a picture. `nil` if it is missing.
  ///
  /// - Throws: the errors of `findBlob`.
  package func facts(_ place: BlobPath) throws(StoreError) -> BlobFacts? {
    try findBlob(at: place, quickly: false).flatMap { $0.isOther ? nil : $0 }
  }

  /// Returns how many of these pictures exist and their total size in bytes.
  package func measure(
    _ places: some Sequence<BlobPath>
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    var found = (files: 0, bytes: 0)
    for place in places {
      guard let facts = try facts(place) else { continue }
      found = (found.files + 1, found.bytes + facts.sizeBytes)
    }
    return found
  }

  /// Returns the reason why `holds` is `false` for a picture.
  package func absence(of place: BlobPath) throws(StoreError) -> StoreError {
    guard let found = try findBlob(at: place, quickly: false) else { return .missingPhoto }
    return .fault(found.isOther ? .blobNotAFile : .blobDamaged)
  }

  /// Returns `true` if a picture is stored with the size in its record.
  package func holds(_ picture: RecordedPicture) throws(StoreError) -> Bool {
    guard let found = try findBlob(at: picture.place, quickly: true) else { return false }
    return !found.isOther && found.sizeBytes == picture.sizeBytes
  }

  /// Returns `true` if all pictures of a photo are stored with the sizes in its record.
  package func holds(_ photo: SealedRecord) throws(StoreError) -> Bool {
    for kind in BlobPath.Kind.ofRecords {
      guard let picture = photo.recorded(kind), try holds(picture) else { return false }
    }
    return true
  }

  /// Returns `true` if the stored bytes match the digest in the picture's name.
  package func isIntact(_ place: BlobPath) -> Bool {
    (try? body(place, inPieces: false).isSound(sha256: place.sha256)) ?? false
  }

  /// Reads a stored picture, computes its digest and parses it.
  ///
  /// - Throws: errors that are not caused by the picture, such as too many open files.
  package func inspect(
    at place: BlobPath, limits: ContainerLimits
  ) throws(StoreError) -> StoredFile {
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try readPicture(place) } catch {
      if error == .missingPhoto { return .missing }
      if error == .fault(.blobNotAFile) { return .unreadable(errno: EINVAL) }
      guard let errno = error.systemErrno, ![EMFILE, ENFILE, ENOMEM].contains(errno) else {
        throw error
      }
      return .unreadable(errno: errno)
    }
    let digest = sha256(of: bytes)
    guard digest == place.sha256 else { return .other(sha256: digest, sizeBytes: bytes.count) }
    do throws(ContainerError) {
      let facts = try ImageContainer.parse(bytes, as: place.format, limits: limits)
      do throws(ProofError) { try ContainerProof.verify(bytes, as: place.format) } catch {
        return .unsound(error.isShortage ? .structure : .metadata)
      }
      return .sound(
        sizeBytes: bytes.count, width: facts.uprightWidth, height: facts.uprightHeight,
        frames: facts.frameCount)
    } catch {
      return .unsound(.structure)
    }
  }
}
