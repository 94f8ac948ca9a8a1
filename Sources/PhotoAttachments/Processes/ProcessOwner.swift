import Synchronization

/// Who left something unfinished behind: a file in `incoming/`, an attachment that is loading. What
/// was abandoned differs from live work by `isAlive`.
enum ProcessOwner: Sendable, Hashable {
  /// Who holds the lock of this name.
  case lock(String)
  /// A process by its number, on a file system without locks.
  case process(ProcessIdentity)

  /// A file name's beginning.
  var signature: String {
    switch self {
    case .lock(let name): name
    case .process(let identity): identity.signature
    }
  }

  /// The owner at the beginning of a name in `incoming/`, nil when there is none.
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

/// Who this process is to others at a cache folder.
package final class FolderWorkers: WorkerRegistry {
  package let folder: CacheFolder
  /// Held from the first thing that is left unfinished to the end.
  private let lock = Mutex<ProcessLock?>(nil)

  package init(folder: CacheFolder) { self.folder = folder }

  /// The owner to leave behind with what is unfinished.
  func current() throws(StoreError) -> ProcessOwner {
    guard let current = try ProcessLock.current(in: folder) else { return .process(.current) }
    lock.withLock { $0 = current }
    return .lock(current.name)
  }

  // MARK: - In records

  package var place: String { folder.path }
  package func start() {}
  /// As a file's name begins in `incoming/`.
  package func worker() throws(StoreError) -> String { try current().signature + "-0" }
  package func isThisProcess(_ worker: String) -> Bool {
    ProcessOwner(fileName: worker)?.isThisProcess(in: folder) ?? false
  }
  package func isAlive(_ worker: String, isSeen: Bool) -> Bool {
    ProcessOwner(fileName: worker)?.isAlive(in: folder) ?? false
  }
}
