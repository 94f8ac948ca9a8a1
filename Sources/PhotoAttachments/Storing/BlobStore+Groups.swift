import Glibc

/// Storing many pictures with few waits: written one by one where they are made, synced and named
/// together.
extension BlobStore {
  /// A picture that lies in `incoming/`, complete but not yet synced.
  struct StagedPicture: Sendable {
    /// Facts of the picture under its final name.
    var picture: StoredPicture
    var place: BlobPath
    fileprivate var name: String
  }

  /// Writes a picture to `incoming/` and lets the kernel begin to carry it to the disk.
  func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind
  ) throws(PhotoError) -> StagedPicture {
    guard let place = BlobPath(kind, sha256: picture.sha256, format: picture.format) else {
      throw .fault(what: "blob-digest")
    }
    let name = CacheFolder.newIncomingName()
    let path = folder.incoming + "/" + name
    let file = try SystemCalls.open(
      path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600, path: path)
    do throws(PhotoError) {
      do throws(PhotoError) {
        try SystemCalls.write(picture.bytes, to: file, path: path)
        try SystemCalls.check("chmod", path) { Int(fchmod(file, 0o444)) }
      } catch {
        close(file)
        throw error
      }
      // Only a hint: the file is waited for in `publish`.
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      try SystemCalls.closeWritten(file, path: path)
    } catch {
      unlink(path)
      throw error
    }
    return StagedPicture(
      picture: StoredPicture(
        path: place.relativePath, format: picture.format, sizeBytes: picture.bytes.count,
        sha256: picture.sha256, pixelWidth: picture.pixelWidth, pixelHeight: picture.pixelHeight,
        frameCount: picture.frameCount),
      place: place, name: name)
  }

  /// Waits until a staged picture's bytes are on the disk. After a failure the kernel may have
  /// dropped them: discard it, never try again.
  func sync(_ staged: StagedPicture) throws(PhotoError) {
    let path = folder.incoming + "/" + staged.name
    let file = try SystemCalls.open(path, flags: O_RDONLY, path: path)
    defer { close(file) }
    try SystemCalls.check("fsync", path) { Int(fsync(file)) }
  }

  /// Gives synced pictures their names and syncs each folder once. A file that is there already is
  /// replaced by equal bytes. Call it in the write transaction that records them, so that no other
  /// process deletes one between the two.
  func publish(_ staged: [StagedPicture]) throws(PhotoError) {
    let incoming = try SystemCalls.open(
      folder.incoming, flags: O_RDONLY | O_DIRECTORY, path: folder.incoming)
    defer { close(incoming) }
    let shards = Dictionary(grouping: staged) { $0.place.kind.rawValue + "/" + $0.place.shard }
    for (shard, pictures) in shards {
      let path = folder.path + "/" + shard
      try withShard(pictures[0].place, make: true) { target throws(PhotoError) in
        for picture in pictures {
          try SystemCalls.check("rename", absolute(picture.place)) {
            Int(renameat(incoming, picture.name, target, picture.place.name))
          }
        }
        try SystemCalls.sync(folder: target, path: path)
      }
    }
  }

  /// The bytes of a staged picture.
  func read(_ staged: StagedPicture) throws(PhotoError) -> [UInt8] {
    let path = folder.incoming + "/" + staged.name
    let file = try SystemCalls.open(path, flags: O_RDONLY, path: path)
    defer { close(file) }
    return try SystemCalls.readAll(from: file, path: path)
  }

  /// Deletes a staged picture that is not wanted.
  func discard(_ staged: StagedPicture) { unlink(folder.incoming + "/" + staged.name) }
}
