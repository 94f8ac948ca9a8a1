package import Foundation
package import ImageContainers
package import PhotoIngestion

/// Pictures by the digest of their bytes. Calls block.
///
/// A name never stands for a partial picture: bytes are complete and durable before they are named.
/// What was named is deleted only by `remove`, which a `Catalog` calls for (its promise D), and
/// moved only by `move`. What else is done with pictures (`sync`, `put`, `read`, `quarantine`) is made of
/// these functions, once for every storage.
package protocol BlobStorage: Sendable {
  /// Whether storing a picture mostly means waiting for another machine.
  var isRemote: Bool { get }

  // MARK: - Storing

  /// Takes a picture in without a name, to be made durable together with others.
  ///
  /// - Parameter unlessStored: lets equal bytes that have the name already stand for it; nothing is
  ///   written then.
  func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind, unlessStored: Bool
  ) throws(StoreError) -> StagedPicture

  /// Names synced pictures; one that is there already is replaced by equal bytes. Call it where a
  /// catalog says so (its promise N).
  func name(_ staged: [StagedPicture]) throws(StoreError)

  /// Deletes a staged picture that isn't wanted; one that was named stays.
  func discard(_ staged: StagedPicture)

  // MARK: - Looking

  /// The bytes of a picture, not yet compared with their digest. They stay readable when the picture is
  /// deleted, but for those that are fetched in pieces.
  ///
  /// - Parameter inPieces: whether a large picture may come piece by piece from another machine, as it is
  ///   read (`RemotePicture`).
  /// - Throws: `StoreError.missingPhoto` when there is none; `.fault(.blobNotAFile)` when
  ///   something else has its name; `.storage` when the store can't say.
  func body(_ place: BlobPath, inPieces: Bool) throws(StoreError) -> PictureBody

  /// What has a picture's name, nil when nothing has.
  ///
  /// - Parameter quickly: whether the size alone is needed, as cheaply as the storage can answer: an import
  ///   asks for every file, and catalogs ask in their transactions.
  /// - Throws: `StoreError.storage` when the store can't say: a store that fails has not lost it.
  func found(at place: BlobPath, quickly: Bool) throws(StoreError) -> BlobFacts?

  /// Where a picture lies.
  func url(of place: BlobPath) -> URL

  /// What lies in a folder; other files are left out.
  func list(_ folder: BlobPath.Folder) throws(StoreError) -> [BlobPath]

  // MARK: - Deleting and moving

  /// Deletes a picture; one that is gone already is success.
  ///
  /// - Returns: the bytes freed, nil when there was nothing.
  func remove(_ place: BlobPath) throws(StoreError) -> Int?

  /// Deletes what was staged by processes that are gone; a dry run only counts.
  ///
  /// - Parameters:
  ///   - shard: the part to look at. What lies in no part belongs to the first.
  ///   - isOld: judges the age of a file that names no owner, by its time of writing in seconds since
  ///     1970.
  func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int)

  /// Moves a picture to a place in quarantine. Nothing is overwritten or deleted.
  ///
  /// - Parameter identity: what was looked at; another one that took its place stays.
  /// - Returns: whether it was moved.
  func move(
    _ place: BlobPath, _ identity: FileIdentity, to quarantine: BlobPath
  ) throws(StoreError) -> Bool
}

/// A storage whose pictures are objects, by a ledger.
package protocol ObjectBlobStorage: BlobStorage {
  var ledger: ObjectLedger { get }
  /// The key of an object.
  func key(_ object: StoredObject) -> String
  /// Throws when the store doesn't answer.
  func check() throws(StoreError)
  /// The object that a key names, nil when the key isn't one of this store.
  func object(key: String, sizeBytes: Int) -> StoredObject?
}

/// A picture that was taken in and has no name yet.
package struct StagedPicture: Sendable {
  /// Facts of the picture under its final name.
  package var picture: StoredPicture
  package var place: BlobPath
  /// Where it will lie.
  package var url: URL
  /// Its bytes.
  package var body: PictureBody
  /// Its file, when that has to be synced before it is named.
  package var unsynced: PictureFile?
  /// What the storage knows it by.
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

/// What has a picture's name.
package struct BlobFacts: Sendable, Equatable {
  package var sizeBytes: Int
  /// When it was written, in seconds since 1970.
  package var modified: Int
  /// Which object it is.
  package var identity: FileIdentity
  /// Whether it is something else than a file, such as a folder.
  package var isOther = false

  package init(modified: Int, identity: FileIdentity, isOther: Bool = false) {
    sizeBytes = identity.size
    self.modified = modified
    self.identity = identity
    self.isOther = isOther
  }
}

extension EncodedPicture {
  /// The bytes of a picture at a place, which is all that storing takes.
  package init(_ bytes: [UInt8], at place: BlobPath) {
    self.init(
      bytes: bytes, format: place.format, pixelWidth: 0, pixelHeight: 0, frameCount: 0,
      sha256: place.sha256)
  }

  /// Where it is stored.
  ///
  /// - Throws: `StoreError.fault(.blobDigest)` when its digest is none or its format not stored.
  package func place(_ kind: BlobPath.Kind) throws(StoreError) -> BlobPath {
    guard let place = BlobPath(kind, sha256: sha256, format: format) else {
      throw .fault(.blobDigest)
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

  /// Where it is stored.
  var place: BlobPath {
    get throws(StoreError) {
      guard let place = BlobPath(relativePath: path) else { throw .fault(.blobPath) }
      return place
    }
  }
}

extension BlobStorage {
  /// Takes a picture in without a name, whatever has its name.
  package func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind
  ) throws(StoreError) -> StagedPicture {
    try stage(picture, kind: kind, unlessStored: false)
  }

  /// Waits until staged pictures are durable. After a failure the kernel may have dropped their bytes:
  /// discard them, never try again.
  ///
  /// Files wait a few at a time: a journaling file system and the disk's cache then answer many of them
  /// with one commit and one flush.
  package func sync(_ staged: [StagedPicture]) throws(StoreError) {
    _ = try staged.compactMap(\.unsynced).concurrentMap { file in
      try file.sync()
    }
  }

  /// Stores a picture, durable and named when it returns; equal bytes already there are success,
  /// other bytes there are damage and get replaced.
  ///
  /// - Parameter anew: replaces equal bytes, too.
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
        // Others took this process for gone before its object had a name.
        guard case .overloaded = error, tries == 1 else { throw error }
      }
    }
  }

  /// Deletes what was staged by processes that are gone, in all parts; a dry run only counts.
  package func removeUnfinished(
    dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    try removeUnfinished(of: .whole, dryRun: dryRun, isOld: isOld)
  }

  /// The bytes of a picture, not yet compared with their digest.
  ///
  /// - Throws: what `body` throws.
  package func read(_ place: BlobPath) throws(StoreError) -> [UInt8] {
    try body(place, inPieces: false).all()
  }

  /// The bytes of a picture on record, compared with it: damaged ones are never handed out.
  ///
  /// - Throws: what `body` throws; `.fault(.blobDamaged)` for other bytes.
  package func proved(_ picture: StoredPicture) throws(StoreError) -> [UInt8] {
    let bytes = try read(try picture.place)
    guard bytes.count == picture.sizeBytes, sha256(of: bytes) == picture.sha256 else {
      throw .fault(.blobDamaged)
    }
    return bytes
  }

  /// Size and age of a picture, nil when there is none.
  ///
  /// - Throws: what `found` throws.
  package func facts(_ place: BlobPath) throws(StoreError) -> BlobFacts? {
    try found(at: place, quickly: false).flatMap { $0.isOther ? nil : $0 }
  }

  /// How many of these pictures there are, and their bytes.
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

  /// Why `facts` finds no picture.
  package func absence(of place: BlobPath) -> StoreError {
    (try? found(at: place, quickly: false)) == nil ? .missingPhoto : .fault(.blobNotAFile)
  }

  /// Whether a picture is stored as large as its record says.
  package func holds(_ picture: RecordedPicture) throws(StoreError) -> Bool {
    guard let found = try found(at: picture.place, quickly: true) else { return false }
    return !found.isOther && found.sizeBytes == picture.sizeBytes
  }

  /// Whether a photo's pictures lie there as large as its record says.
  package func holds(_ photo: SealedRecord) throws(StoreError) -> Bool {
    for kind in BlobPath.Kind.ofRecords {
      guard let picture = photo.recorded(kind), try holds(picture) else { return false }
    }
    return true
  }

  /// Whether the very bytes lie there that a picture's name says.
  package func isIntact(_ place: BlobPath) -> Bool {
    (try? body(place, inPieces: false).isSound(sha256: place.sha256)) ?? false
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
      do throws(ProofFailure) { try ContainerProof.verify(bytes, as: place.format) } catch {
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
