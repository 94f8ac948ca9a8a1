import Glibc
import PhotoIngestion
import Synchronization
package import SystemPackage

/// Watches folders (inotify(7)) for new files and returns those that have settled, which means that no event and no
/// writer has touched them for a second or two.
///
/// Every folder is watched before it is listed, so that files that are added in between aren't missed. If the kernel's
/// event queue overflows, all folders are listed again. A file is returned once for each of its states.
final class FolderWatch: Sendable {
  /// The time in seconds without an event after which a file has settled.
  private static let quietSeconds = 1.0
  private static let mask = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_ONLYDIR | IN_DONT_FOLLOW)

  private struct State {
    /// The real paths of folders, by the numbers of their watches.
    var folders: [Int32: [UInt8]] = [:]
    /// The times of the last event of files, by their real paths.
    var pending: [[UInt8]: ContinuousClock.Instant] = [:]
    /// Hashes of the files and identities that were returned.
    var taken: Set<Int> = []
  }

  private let descriptor: Int32
  private let roots: [[UInt8]]
  private let filter: EntryFilter
  private let state = Mutex(State())

  /// Starts to watch the folders among these paths and all folders below them.
  ///
  /// - Throws: `StoreError.storage` if this user has no more inotify watches left.
  init(_ paths: [FilePath], options: ImportOptions) throws(StoreError) {
    filter = EntryFilter(options)
    roots = WalkRoots(paths).list.filter { $0.status.st_mode & S_IFMT == S_IFDIR }.map(\.real)
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw StoreError(operation: "inotify_init", path: "/", errno: errno)
    }
    try state.withLock { state throws(StoreError) in
      for root in roots { try watch(root, listing: false, &state) }
    }
  }

  deinit { close(descriptor) }

  /// Returns `true` if a walk may return this file now. A file that may still be written has to wait.
  func claim(_ file: FoundFile) -> Bool {
    state.withLock { state in
      let isNew = state.taken.insert(Self.mark(file.key, file.identity)).inserted
      if isNew, file.identity.isFresh {
        state.taken.remove(Self.mark(file.key, file.identity))
        state.pending[file.key] = .now
        return false
      }
      return isNew
    }
  }

  /// Makes a file available again that was written to while it was read.
  func retry(_ path: FilePath) {
    let key = WalkRoot(path).real
    var status = stat()
    guard key.withPath({ lstat($0, &status) }) == 0 else { return }
    state.withLock { state in
      state.taken.remove(Self.mark(key, FileIdentity(status)))
      state.pending[key] = .now
    }
  }

  /// Waits until files have settled. Blocks.
  ///
  /// - Parameter isStopped: returns `true` to stop waiting.
  /// - Returns: the real paths of the files. Empty if it was stopped.
  func waitForSettled(until isStopped: () -> Bool) throws(StoreError) -> Set<[UInt8]> {
    while !isStopped() {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&poll, 1, 200)
      let files = try state.withLock { state throws(StoreError) in
        try readEvents(&state)
        return takeSettled(&state)
      }
      if !files.isEmpty { return files }
    }
    return []
  }

  private func takeSettled(_ state: inout State) -> Set<[UInt8]> {
    var files: Set<[UInt8]> = []
    for (key, touched) in state.pending
    where ContinuousClock.now - touched > .seconds(Self.quietSeconds) {
      var status = stat()
      guard key.withPath({ lstat($0, &status) }) == 0 else {
        state.pending[key] = nil
        continue
      }
      if status.st_mode & S_IFMT == S_IFREG {
        if FileIdentity(status).isFresh { continue }
        let file = key.withPath { open($0, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC) }
        if file >= 0, OpenFile(file).isBeingWritten {
          state.pending[key] = .now
          continue
        }
      }
      state.pending[key] = nil
      if !state.taken.contains(Self.mark(key, FileIdentity(status))) { files.insert(key) }
    }
    return files
  }

  private func readEvents(_ state: inout State) throws(StoreError) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      var start = 0
      while start < count {
        let event = buffer.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        }
        let name = start + MemoryLayout<inotify_event>.size
        start = name + Int(event.len)
        try applyEvent(event, Array(buffer[name..<start].prefix { $0 != 0 }), &state)
      }
    }
  }

  private func applyEvent(
    _ event: inotify_event, _ name: [UInt8], _ state: inout State
  ) throws(StoreError) {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      for root in roots { try watch(root, listing: true, &state) }
    } else if event.mask & UInt32(IN_IGNORED) != 0 {
      state.folders[event.wd] = nil
    } else if let folder = state.folders[event.wd], !name.isEmpty {
      try add(name, in: folder, isFolder: event.mask & UInt32(IN_ISDIR) != 0, &state)
    }
  }

  private func add(
    _ name: [UInt8], in folder: [UInt8], isFolder: Bool, _ state: inout State
  ) throws(StoreError) {
    guard filter.refusal(of: name, in: folder[...]) == nil else { return }
    let key = (folder == [UInt8(ascii: "/")] ? [] : folder) + [UInt8(ascii: "/")] + name
    if isFolder {
      try watch(key, listing: true, &state)
    } else {
      state.pending[key] = .now
    }
  }

  /// Watches a folder and all folders below it.
  ///
  /// - Parameter listing: `true` to return the files that exist now too.
  private func watch(
    _ folder: [UInt8], listing: Bool, _ state: inout State
  ) throws(StoreError) {
    let number = folder.withPath { inotify_add_watch(descriptor, $0, Self.mask) }
    guard number >= 0 else {
      // The folder is gone or unreadable, so it isn't part of the import.
      guard errno == ENOSPC else { return }
      // ENOSPC is about watches here, not about the disk, so report a different error.
      throw StoreError(
        operation: "inotify_add_watch", path: FilePath(bytes: folder).string, errno: EUSERS)
    }
    state.folders[number] = folder
    let handle = folder.withPath {
      open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard handle >= 0 else { return }
    defer { close(handle) }
    guard !CacheDetector.isCache(handle), let names = FolderNames(of: handle) else {
      return
    }
    for index in 0..<names.count {
      let name = names[index]
      var status = stat()
      guard name.withPath({ fstatat(handle, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        if filter.refusal(of: name, in: folder[...]) == nil {
          try watch(folder + [UInt8(ascii: "/")] + name, listing: listing, &state)
        }
      case S_IFREG where listing:
        let key = folder + [UInt8(ascii: "/")] + name
        if state.taken.contains(Self.mark(key, FileIdentity(status))) { continue }
        try add(name, in: folder, isFolder: false, &state)
      default: break
      }
    }
  }

  private static func mark(_ key: [UInt8], _ identity: FileIdentity) -> Int {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(identity)
    return hasher.finalize()
  }
}

/// A walk that returns each file once for each of its states.
private final class WatchedWalk: EntryWalk {
  private let walk: FolderWalk
  private let watch: FolderWatch

  init(_ walk: FolderWalk, _ watch: FolderWatch) {
    self.walk = walk
    self.watch = watch
  }

  func next() -> WalkedEntry? {
    while let entry = walk.next() {
      if case .file(let file, _) = entry, !watch.claim(file) { continue }
      return entry
    }
    return nil
  }
}

extension PhotoImporter {
  /// Imports files and folders, then new files below them, until the task is cancelled.
  ///
  /// - Parameters:
  ///   - onIdle: runs each time after all settled files were imported.
  ///   - onFile: see `importPhotos`.
  /// - Returns: the totals.
  /// - Throws: the errors of `importPhotos`, and `StoreError.storage` if a folder can't be watched.
  package func watch(
    _ paths: [FilePath], onIdle: @escaping @Sendable () -> Void,
    onFile: @escaping @Sendable (ImportedFile) throws -> Void
  ) async throws(StoreError) -> ImportSummary {
    try await stoppably { [self] stop in
      let watch = try FolderWatch(paths, options: options)
      let destination = try destination(importing: paths)
      let thread = WorkerPool(threadCount: 1)
      func importFiles(_ files: Set<[UInt8]>?) async throws(StoreError) -> ImportSummary {
        let walk = try FolderWalk(
          paths, options: options, cache: cache.folder, restores: !options.dryRun,
          only: files)
        return try await runToEnd(
          WatchedWalk(walk, watch), catalog, destination: destination, stop: stop
        ) { file in
          if file.outcome == ImportRefusal.changing.outcome { watch.retry(file.path) }
          try onFile(file)
        }
      }
      try await insertRoots(paths)
      var summary = try await importFiles(nil)
      while summary.stopped == nil {
        onIdle()
        let files = try await thread.run { try watch.waitForSettled { stop.isSet } }
        if files.isEmpty { break }
        summary += try await importFiles(files)
      }
      // Cancellation is the regular end of a watch. The next import takes what is left.
      if summary.stopped == .interrupted { summary.stopped = nil }
      return summary
    }
  }
}
