import Glibc
import PhotoIngestion
import SystemPackage

/// One result of a walk: an entry that isn't a folder, or a folder that the walk doesn't enter.
enum WalkedEntry {
  case file(FoundFile, FileAccess)
  case refused(FilePath, ImportRefusal)
}

/// A source of an import's entries.
protocol EntryWalk {
  /// Returns the next entry; `nil` at the end. Blocks.
  ///
  /// - Throws: errors of the store that contains the entries.
  func next() throws(StoreError) -> WalkedEntry?

  /// `true` if the files are on a remote store, so that opening several at a time is faster.
  var isRemote: Bool { get }
}

extension EntryWalk {
  var isRemote: Bool { false }
}

/// Walks folders depth first. The entries of each folder are sorted by the bytes of their names, so that two walks of
/// one tree have the same order.
///
/// Each entry is reached from the descriptor of its folder and never through a link, so that a process that moves files
/// meanwhile can't lead the walk out of the tree. Only regular files are ever opened. The walk keeps the names of all
/// folders on the current path in memory. It closes the descriptors of the upper ones and opens them again later.
final class FolderWalk: EntryWalk {
  /// A folder on the current path, and the position in its names.
  private struct Frame {
    var names: FolderNames
    var next = 0
    /// `nil` while it is closed.
    var folder: OpenFolder?
    var id: FolderID
    /// The lengths of `path` and `key` for this folder.
    var pathEnd: Int
    var keyEnd: Int
    var throughLink: Bool
  }

  /// The number of folders whose descriptors stay open, besides the root.
  private static let openFolders = 32

  private let filter: EntryFilter
  private let options: ImportOptions
  private let restores: Bool
  /// The real paths of the files to return and of their parent folders. `nil` returns all files.
  private let only: Set<[UInt8]>?
  private let roots: WalkRoots
  /// The walk's handling of caches.
  private let caches: Caches
  private let ownRoot: FolderID?
  /// This import's cache and the folders in it.
  private let own: Set<FolderID>
  /// The real paths of folders that were checked, and whether they are in a cache.
  private var isInCache: [[UInt8]: Bool] = [:]
  private var nextRoot = 0
  private var frames: [Frame] = []
  private var visited: Set<FolderID> = []
  /// The current path, beginning with the given path as the user wrote it.
  private var path: [UInt8] = []
  /// The current path, absolute and without links above the given path.
  private var key: [UInt8] = []

  /// The ways to handle caches that a walk finds.
  enum Caches {
    /// Reports every cache and doesn't enter it.
    case refused
    /// Enters all caches except for this import's own. Reading them does no harm.
    case read
  }

  /// Creates a walk over these paths.
  ///
  /// - Parameters:
  ///   - cache: this import's cache folder, which is never entered.
  ///   - restores: `true` to restore the names of originals that a killed import has hidden.
  ///   - files: the real paths of the files to return. `nil` returns all files.
  init(
    _ paths: [FilePath], options: ImportOptions, cache: CacheFolder, caches: Caches = .refused,
    restores: Bool = false, only files: Set<[UInt8]>? = nil
  ) throws(StoreError) {
    only = files.map { files in
      files.reduce(into: files) { all, file in
        var folder = file[...]
        while let slash = folder.lastIndex(of: UInt8(ascii: "/")) {
          folder = folder[..<slash]
          guard all.insert(Array(folder)).inserted else { break }
        }
      }
    }
    self.options = options
    self.caches = caches
    self.restores = restores
    filter = EntryFilter(options)
    roots = WalkRoots(paths)
    own = caches == .refused ? try CacheDetector.folders(of: cache) : []
    var status = stat()
    ownRoot = stat(cache.path, &status) == 0 ? FolderID(status) : nil
  }

  func next() -> WalkedEntry? {
    while true {
      guard let top = frames.indices.last else {
        guard nextRoot < roots.list.count else { return nil }
        nextRoot += 1
        let root = roots.list[nextRoot - 1]
        // The path of the file system's root is empty in `only`.
        if let only, !only.contains(root.real), root.real.count > 1 { continue }
        if let entry = enter(root) { return entry }
        continue
      }
      guard frames[top].next < frames[top].names.count else {
        if let entry = leave() { return entry }
        continue
      }
      let name = frames[top].names[frames[top].next]
      frames[top].next += 1
      if let entry = visit(name, in: frames[top]) { return entry }
    }
  }

  // MARK: - Entries

  private func visit(_ name: [UInt8], in frame: Frame) -> WalkedEntry? {
    guard let folder = frame.folder else { return nil }  // the top one is open
    path.removeSubrange(frame.pathEnd...)
    key.removeSubrange(frame.keyEnd...)
    let below = path[append(name)...]
    if let only, !only.contains(key) { return nil }
    if filter.isExcluded(name, below: below) { return nil }
    var status = stat()
    let found = name.withPath { fstatat(folder.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }
    let code = errno
    let kind = status.st_mode & S_IFMT
    if found != 0 || kind != S_IFDIR {
      guard filter.isIncluded(name, below: below) else { return nil }
    }
    if let refusal = filter.refusal(of: name, in: key[..<frame.keyEnd]) { return refused(refusal) }
    guard found == 0 else { return refused(.photo(.unreadable(.system(errno: code)))) }
    switch kind {
    case S_IFREG:
      return file(status, .name(name, in: folder), throughLink: frame.throughLink)
    case S_IFDIR:
      return descend(
        folder.open(name, O_RDONLY | O_DIRECTORY), throughLink: frame.throughLink)
    case S_IFLNK: return follow(name, in: folder)
    default: return refused(.notAFile(kind: Receiver.kindName(of: kind)))
    }
  }

  private func follow(_ name: [UInt8], in folder: OpenFolder) -> WalkedEntry? {
    guard options.followsSymlinks else { return refused(.notAFile(kind: "symlink")) }
    guard let target = OpenPath(name, in: folder.descriptor), let real = target.realPath else {
      return refused(.linkLoop)  // a broken link or a loop
    }
    guard roots.covers(real) else { return refused(.outside) }
    if isStored(real, target.status) { return refused(.insideCache) }
    switch target.status.st_mode & S_IFMT {
    case S_IFREG: return file(target.status, .target(target), throughLink: true)
    case S_IFDIR:
      return descend(
        Glibc.open(target.reopenPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC), throughLink: true)
    case let kind: return refused(.notAFile(kind: Receiver.kindName(of: kind)))
    }
  }

  private func file(_ status: stat, _ wayIn: FileAccess, throughLink: Bool) -> WalkedEntry {
    .file(
      FoundFile(
        path: FilePath(bytes: path), key: key, identity: FileIdentity(status),
        throughLink: throughLink), wayIn)
  }

  private func refused(_ refusal: ImportRefusal) -> WalkedEntry {
    .refused(FilePath(bytes: path), refusal)
  }

  /// Appends a name to `path` and `key`. Returns the index in `path` at which the part below the given path begins.
  private func append(_ name: [UInt8]) -> Int {
    if path.last != UInt8(ascii: "/") { path.append(UInt8(ascii: "/")) }
    if key.last != UInt8(ascii: "/") { key.append(UInt8(ascii: "/")) }
    path += name
    key += name
    let rootEnd = frames.first?.pathEnd ?? 0
    return path[rootEnd] == UInt8(ascii: "/") ? rootEnd + 1 : rootEnd
  }

  // MARK: - Caches

  /// Returns `true` if a real path is a cache folder or inside one.
  private func isStored(_ path: [UInt8], _ status: stat) -> Bool {
    guard caches == .refused else { return false }
    if status.st_mode & S_IFMT == S_IFDIR { return isInCache(path) }
    return isInCache(Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)]))
  }

  private func isInCache(_ folder: [UInt8]) -> Bool {
    guard !folder.isEmpty else { return false }
    if let known = isInCache[folder] { return known }
    let above = Array(folder[..<(folder.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
    let handle = OpenPath(folder, in: AT_FDCWD)
    let isCache = handle.map { own.contains(FolderID($0.status)) || $0.isCache } ?? false
    let found = isCache || isInCache(above)
    isInCache[folder] = found
    return found
  }

  // MARK: - Entering and leaving folders

  private func enter(_ root: WalkRoot) -> WalkedEntry? {
    path = root.given
    key = root.real
    if let failure = root.failure {
      return refused(.photo(.unreadable(.system(errno: failure))))
    }
    if isStored(root.real, root.status) { return refused(.insideCache) }
    switch root.status.st_mode & S_IFMT {
    case S_IFREG:
      // The user named this file, so hidden names and patterns don't matter.
      guard let target = OpenPath(root.real, in: AT_FDCWD) else {
        return refused(.photo(.unreadable(.system(errno: errno))))
      }
      return file(target.status, .target(target), throughLink: root.throughLink)
    case S_IFDIR:
      return descend(
        root.real.withPath { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) },
        throughLink: false)
    case let kind: return refused(.notAFile(kind: Receiver.kindName(of: kind)))
    }
  }

  private func descend(_ descriptor: Int32, throughLink: Bool) -> WalkedEntry? {
    guard descriptor >= 0 else { return refused(.photo(.unreadable(.system(errno: errno)))) }
    let folder = OpenFolder(descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0, var names = FolderNames(of: descriptor) else {
      return refused(.photo(.unreadable(.system(errno: errno))))
    }
    let id = FolderID(status)
    switch caches {
    case .refused:
      if own.contains(id) || CacheDetector.isCache(descriptor) { return refused(.insideCache) }
    case .read: if id == ownRoot { return nil }
    }
    if options.followsSymlinks, !visited.insert(id).inserted { return refused(.linkLoop) }
    if restores, SourceSet.restore(names, in: folder) {
      names = FolderNames(of: descriptor) ?? names
    }
    frames.append(
      Frame(
        names: names, folder: folder, id: id, pathEnd: path.count, keyEnd: key.count,
        throughLink: throughLink))
    let far = frames.count - 1 - Self.openFolders
    if far > 0 { frames[far].folder = nil }
    return nil
  }

  /// Returns to the parent folder and opens it again if necessary.
  private func leave() -> WalkedEntry? {
    frames.removeLast()
    guard let top = frames.indices.last, frames[top].folder == nil else { return nil }
    path.removeSubrange(frames[top].pathEnd...)
    key.removeSubrange(frames[top].keyEnd...)
    frames[top].folder = reopen(frames[top])
    guard frames[top].folder == nil else { return nil }
    // The folder was moved, so the rest of its entries is skipped.
    frames[top].next = frames[top].names.count
    return refused(.photo(.unreadable(.changed)))
  }

  private func reopen(_ frame: Frame) -> OpenFolder? {
    guard var folder = frames[0].folder else { return nil }  // the root stays open
    for name in path[frames[0].pathEnd..<frame.pathEnd].split(separator: UInt8(ascii: "/")) {
      let next = Array(name).withPath {
        openat(folder.descriptor, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      }
      guard next >= 0 else { return nil }
      folder = OpenFolder(next)
    }
    var status = stat()
    guard fstat(folder.descriptor, &status) == 0, FolderID(status) == frame.id else { return nil }
    return folder
  }
}
