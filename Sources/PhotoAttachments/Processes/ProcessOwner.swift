import Synchronization

/// The process that owns unfinished work, such as a file in `incoming/` or an attachment that is loading. If it is no
/// longer alive, the work was abandoned.
enum ProcessOwner: Sendable, Hashable {
  /// The process that holds the lock of this name.
  case lock(String)
  /// A process by its ID, on a file system without locks.
  case process(ProcessIdentity)

  /// The prefix of the owner's file names.
  var signature: String {
    switch self {
    case .lock(let name): name
    case .process(let identity): identity.signature
    }
  }

  /// Parses the owner at the start of a file name in `incoming/`. Returns `nil` if the name has none.
  init?(fileName: String) {
    let fields = fileName.split(separator: "-", omittingEmptySubsequences: false)
    if fields.count == 2, isHexadecimal(fields[0], digits: 32), fields[1].allSatisfy(\.isHexDigit) {
      self = .lock(String(fields[0]))
    } else if let identity = ProcessIdentity(fileName: fileName) {
      self = .process(identity)
    } else {
      return nil
    }
  }

  func isThisProcess(in folder: CacheFolder) -> Bool {
    switch self {
    case .lock(let name): ProcessLock.isHeld(name, in: folder)
    case .process(let identity): identity == .current
    }
  }

  func isAlive(in folder: CacheFolder) -> Bool {
    switch self {
    case .lock(let name): ProcessLock.isAlive(name, in: folder)
    case .process(let identity): identity.isAlive
    }
  }
}

/// Identifies this process to other processes that use the same cache folder.
package final class FolderWorker: WorkerRegistry {
  package let folder: CacheFolder
  /// The process lock. It is held from the first unfinished work until this object is freed.
  private let lock = Mutex<ProcessLock?>(nil)

  package init(folder: CacheFolder) { self.folder = folder }

  /// Returns the owner to record with unfinished work, and takes the process lock if necessary.
  func current() throws(StoreError) -> ProcessOwner {
    guard let current = try ProcessLock.current(in: folder) else { return .process(.current) }
    lock.withLock { $0 = current }
    return .lock(current.name)
  }

  // MARK: - In records

  package var place: String { folder.path }
  package func start() {}
  /// Returns the owner in the form that begins file names in `incoming/`.
  package func worker() throws(StoreError) -> String { try current().signature + "-0" }
  package func isThisProcess(_ worker: String) -> Bool {
    ProcessOwner(fileName: worker)?.isThisProcess(in: folder) ?? false
  }
  package func isAlive(_ worker: String, isSeen: Bool) -> Bool {
    ProcessOwner(fileName: worker)?.isAlive(in: folder) ?? false
  }
}
