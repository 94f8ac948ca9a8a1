import Glibc
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// Storing many pictures with few waits: written one by one where they are made, synced and named
/// together.
extension FolderStorage {
  /// A picture that lies in `incoming/`, complete but not yet synced. It is open from the first byte
  /// to the sync: the kernel tells a failed write-back only to descriptors that were open when it
  /// happened.
  private final class StagedFile: Sendable {
    let name: String
    let descriptor: Int32

    init(_ name: String, _ descriptor: Int32) {
      (self.name, self.descriptor) = (name, descriptor)
    }

    deinit { close(descriptor) }
  }

  private func file(of staged: StagedPicture) throws(StoreError) -> StagedFile {
    guard let file = staged.handle as? StagedFile else { throw .fault(what: "staged-elsewhere") }
    return file
  }

  /// Writes a picture to `incoming/` and lets the kernel begin to carry it to the disk.
  package func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind
  ) throws(StoreError) -> StagedPicture {
    let place = try picture.place(kind)
    let name = try newIncomingName()
    let path = folder.incoming + "/" + name
    let file = StagedFile(
      name, try SystemCalls.open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600, path: path))
    do throws(StoreError) {
      try SystemCalls.write(picture.bytes, to: file.descriptor, path: path)
      try SystemCalls.check("chmod", path) { Int(fchmod(file.descriptor, 0o444)) }
      // Only a hint: the file is waited for in `sync`.
      posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
    } catch {
      unlink(path)
      throw error
    }
    return StagedPicture(picture, at: place, handle: file)
  }

  /// Waits until the bytes of staged pictures are on the disk. After a failure the kernel may have
  /// dropped them: discard them, never try again.
  package func sync(_ staged: [StagedPicture]) throws(StoreError) {
    try sideBySide(try staged.map(file)) { [folder] file throws(StoreError) in
      let path = folder.incoming + "/" + file.name
      try SystemCalls.check("fsync", path) { Int(fsync(file.descriptor)) }
    }
  }

  /// Gives synced pictures their names and syncs each folder once. A file that is there already is
  /// replaced by equal bytes. Call it in the write transaction that records them, so that no other
  /// process deletes one between the two.
  package func name(_ staged: [StagedPicture]) throws(StoreError) {
    let incoming = try SystemCalls.open(
      folder.incoming, flags: O_RDONLY | O_DIRECTORY, path: folder.incoming)
    defer { close(incoming) }
    for picture in staged {
      let name = try file(of: picture).name
      try withShard(picture.place, make: true, syncsStore: false) { target throws(StoreError) in
        try SystemCalls.check("rename", absolute(picture.place)) {
          Int(renameat(incoming, name, target, picture.place.name))
        }
      }
    }
    let shards = Dictionary(staged.map { (shardPath($0.place), $0.place) }) { first, _ in first }
    try syncStores(of: Array(shards.values))
    try sideBySide(Array(shards)) { [self] shard throws(StoreError) in
      try withShard(shard.value, make: false) { target throws(StoreError) in
        try SystemCalls.sync(folder: target, path: shard.key)
      }
    }
  }

  /// Calls that only wait for the disk, a few at a time: a journaling file system and the disk's
  /// cache then answer many of them with one commit and one flush.
  private func sideBySide<Item: Sendable>(
    _ items: [Item], _ wait: @escaping @Sendable (Item) throws(StoreError) -> Void
  ) throws(StoreError) {
    let failure = Mutex<StoreError?>(nil)
    let next = Atomic(0)
    ThreadTeam.run(min(8, items.count)) { _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < items.count else { return }
        do throws(StoreError) { try wait(items[index]) } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// The bytes of a staged picture.
  package func read(_ staged: StagedPicture) throws(StoreError) -> [UInt8] {
    let file = try file(of: staged)
    return try StoreError.ofPhoto { () throws(PhotoError) in
      try Receiver.readFromStart(file.descriptor, count: staged.picture.sizeBytes)
    }
  }

  /// Deletes a staged picture that is not wanted.
  package func discard(_ staged: StagedPicture) {
    guard let file = try? file(of: staged) else { return }
    unlink(folder.incoming + "/" + file.name)
  }
}
