import Glibc
import SystemPackage

/// What a walk comes upon: one for each entry that is no folder, and for folders it does not enter.
enum WalkedEntry {
  case file(FoundFile)
  case refused(FilePath, ImportRefusal)
}

/// Walks folders depth first, each folder's entries sorted by the bytes of their names, so that two
/// walks of one tree go the same way.
///
/// Entries are reached from the descriptor of their folder and never through a link, so that nobody
/// who moves things about meanwhile leads the walk out. Nothing but regular files is ever opened.
/// Memory holds the names of the folders on the way down; descriptors of folders far above are
/// closed and opened again.
final class FolderWalk {
  private struct Frame {
    var names: FolderNames
    var next = 0
    /// −1 while it is closed.
    var descriptor: Int32
    var folder: FolderID
    /// Where `path` and `key` end for this folder.
    var pathEnd: Int
    var keyEnd: Int
    var throughLink: Bool
  }

  private struct FolderID: Hashable {
    var device: UInt64
    var inode: UInt64
    init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
  }

  /// Folders whose descriptors stay open, beside the given one.
  private static let openFolders = 32

  private let filter: EntryFilter
  private let options: ImportOptions
  private let roots: [WalkRoot]
  private let cache: FolderID?
  private var nextRoot = 0
  private var frames: [Frame] = []
  private var visited: Set<FolderID> = []
  /// The given path and what is below it, as the person would write it.
  private var path: [UInt8] = []
  /// The same, absolute and without links above the given path.
  private var key: [UInt8] = []
  /// How the file that was given last is opened.
  private var last: (folder: Int32, name: [UInt8])?
  private var lastTarget: OpenPath?

  /// A walk over these paths.
  ///
  /// - Parameter cache: the cache folder, which is never walked into.
  init(_ paths: [FilePath], options: ImportOptions, cache: CacheFolder) {
    self.options = options
    filter = EntryFilter(options)
    roots = WalkRoot.distinct(paths)
    var status = stat()
    self.cache = stat(cache.path, &status) == 0 ? FolderID(status) : nil
  }

  deinit { for frame in frames where frame.descriptor >= 0 { close(frame.descriptor) } }

  /// The next entry, nil at the end.
  func next() -> WalkedEntry? {
    lastTarget = nil
    while true {
      guard let top = frames.indices.last else {
        guard nextRoot < roots.count else { return nil }
        nextRoot += 1
        if let entry = enter(roots[nextRoot - 1]) { return entry }
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

  /// Opens the file that `next` gave last.
  ///
  /// - Throws: `PhotoError.unreadable`, also when another file is there by now.
  func open(_ file: FoundFile) throws(PhotoError) -> OpenFile {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC
    let descriptor: Int32
    if let lastTarget {
      descriptor = Glibc.open(lastTarget.reopenPath, flags)
    } else if let last {
      descriptor = last.name.withPath { openat(last.folder, $0, flags | O_NOFOLLOW) }
    } else {
      throw .fault(what: "walk-order")
    }
    guard descriptor >= 0 else { throw .unreadable(.system(errno: errno)) }
    let open = OpenFile(descriptor)
    guard let status = open.status(), status.st_mode & S_IFMT == S_IFREG,
      FileIdentity(status) == file.identity
    else { throw .unreadable(.changed) }
    return open
  }

  // MARK: - One entry

  private func visit(_ name: [UInt8], in frame: Frame) -> WalkedEntry? {
    path.removeSubrange(frame.pathEnd...)
    key.removeSubrange(frame.keyEnd...)
    let pathStart = append(name)
    let below = Array(path[pathStart...])
    if filter.isExcluded(name, below: below) { return nil }
    var status = stat()
    let found = name.withPath { fstatat(frame.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }
    let code = errno
    let kind = status.st_mode & S_IFMT
    if found != 0 || kind != S_IFDIR {
      guard filter.isIncluded(name, below: below) else { return nil }
    }
    if let refusal = filter.refusal(of: name) { return refused(refusal) }
    guard found == 0 else { return refused(.photo(.unreadable(.system(errno: code)))) }
    last = (frame.descriptor, name)
    switch kind {
    case S_IFREG: return file(status, throughLink: frame.throughLink)
    case S_IFDIR:
      let folder = name.withPath {
        openat(frame.descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      return descend(folder, throughLink: frame.throughLink)
    case S_IFLNK: return follow(name, in: frame)
    default: return refused(.notAFile(kind: WalkRoot.word(for: kind)))
    }
  }

  private func follow(_ name: [UInt8], in frame: Frame) -> WalkedEntry? {
    guard options.followSymlinks else { return refused(.notAFile(kind: "symlink")) }
    guard let target = OpenPath(name, in: frame.descriptor), let real = target.realPath else {
      return refused(.linkLoop)  // to nothing, or to itself
    }
    guard options.followOutside || roots.contains(where: { $0.covers(real) }) else {
      return refused(.outside)
    }
    switch target.status.st_mode & S_IFMT {
    case S_IFREG:
      lastTarget = target
      return file(target.status, throughLink: true)
    case S_IFDIR:
      return descend(
        Glibc.open(target.reopenPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC), throughLink: true)
    case let kind: return refused(.notAFile(kind: WalkRoot.word(for: kind)))
    }
  }

  private func file(_ status: stat, throughLink: Bool) -> WalkedEntry {
    .file(
      FoundFile(
        path: FilePath(bytes: path), key: key, identity: FileIdentity(status),
        throughLink: throughLink))
  }

  private func refused(_ refusal: ImportRefusal) -> WalkedEntry {
    .refused(FilePath(bytes: path), refusal)
  }

  /// Adds a name to `path` and `key`; gives where the path below the given one begins.
  private func append(_ name: [UInt8]) -> Int {
    for buffer in [\FolderWalk.path, \.key] where self[keyPath: buffer].last != UInt8(ascii: "/") {
      self[keyPath: buffer].append(UInt8(ascii: "/"))
    }
    path += name
    key += name
    let rootEnd = frames.first?.pathEnd ?? 0
    return path[rootEnd] == UInt8(ascii: "/") ? rootEnd + 1 : rootEnd
  }

  // MARK: - Down and up

  private func enter(_ root: WalkRoot) -> WalkedEntry? {
    path = root.given
    key = root.real
    if let failure = root.failure {
      return refused(.photo(.unreadable(.system(errno: failure))))
    }
    switch root.status.st_mode & S_IFMT {
    case S_IFREG:
      // Named by the person: neither hidden names nor patterns keep it out.
      guard let target = OpenPath(root.real, in: AT_FDCWD) else {
        return refused(.photo(.unreadable(.system(errno: errno))))
      }
      lastTarget = target
      return file(target.status, throughLink: root.throughLink)
    case S_IFDIR:
      return descend(
        root.real.withPath { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) },
        throughLink: false)
    case let kind: return refused(.notAFile(kind: WalkRoot.word(for: kind)))
    }
  }

  private func descend(_ descriptor: Int32, throughLink: Bool) -> WalkedEntry? {
    guard descriptor >= 0 else { return refused(.photo(.unreadable(.system(errno: errno)))) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, let names = FolderNames(of: descriptor) else {
      defer { close(descriptor) }
      return refused(.photo(.unreadable(.system(errno: errno))))
    }
    let id = FolderID(status)
    if id == cache {
      close(descriptor)
      return nil
    }
    if options.followSymlinks, !visited.insert(id).inserted {
      close(descriptor)
      return refused(.linkLoop)
    }
    frames.append(
      Frame(
        names: names, descriptor: descriptor, folder: id, pathEnd: path.count, keyEnd: key.count,
        throughLink: throughLink))
    let far = frames.count - 1 - Self.openFolders
    if far > 0 {
      close(frames[far].descriptor)
      frames[far].descriptor = -1
    }
    return nil
  }

  /// Goes back to the folder above, and opens it again if need be.
  private func leave() -> WalkedEntry? {
    if let done = frames.popLast(), done.descriptor >= 0 { close(done.descriptor) }
    guard let top = frames.indices.last, frames[top].descriptor < 0 else { return nil }
    path.removeSubrange(frames[top].pathEnd...)
    key.removeSubrange(frames[top].keyEnd...)
    frames[top].descriptor = reopen(frames[top])
    guard frames[top].descriptor < 0 else { return nil }
    // Somebody moved it: what else was in it is not looked at.
    frames[top].next = frames[top].names.count
    return refused(.photo(.unreadable(.changed)))
  }

  private func reopen(_ frame: Frame) -> Int32 {
    var folder = openat(frames[0].descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for name in path[frames[0].pathEnd..<frame.pathEnd].split(separator: UInt8(ascii: "/")) {
      let next = Array(name).withPath { openat(folder, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      close(folder)
      folder = next
    }
    var status = stat()
    if folder >= 0, fstat(folder, &status) != 0 || FolderID(status) != frame.folder {
      close(folder)
      return -1
    }
    return folder
  }
}
