import PhotoAttachments
import Synchronization

/// Who this process is to others at a cache folder.
final class FolderOwner: Sendable {
  let folder: CacheFolder
  /// Held from the first thing that is left unfinished to the end.
  private let lock = Mutex<OwnerLock?>(nil)

  init(folder: CacheFolder) { self.folder = folder }

  /// The owner to leave behind with what is unfinished.
  func current() throws(StoreError) -> Owner {
    guard let current = try OwnerLock.current(in: folder) else { return .process(.current) }
    lock.withLock { $0 = current }
    return .lock(current.name)
  }
}
