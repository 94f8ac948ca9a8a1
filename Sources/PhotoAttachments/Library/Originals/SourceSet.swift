import Glibc
import PhotoIngestion
import SystemPackage

/// A photo and its sidecars. They are moved or deleted together, or stay together.
///
/// Each must be a regular file that no process writes to. Each is renamed to a random name, so that other processes
/// can't open it by name, and then compared with its earlier state. If a set is moved to another file system, all files
/// are copied first. The originals are unlinked after all copies were read back and named.
struct SourceSet {
  private struct Member {
    /// Its own name, which is restored if it is kept.
    let name: [UInt8]
    let file: OpenFile
    var status: stat
    /// Its current hidden name. `nil` before it is hidden and after it is gone.
    var hidden: [UInt8]?
  }

  private let folder: OpenFolder
  /// The photo is the last member, so that a killed import continues while the photo still exists.
  private var members: [Member] = []

  init(in folder: OpenFolder) { self.folder = folder }

  /// Opens and locks a file of the set. Doesn't wait for a FIFO and doesn't open devices.
  ///
  /// - Returns: the file and its status; `nil` if it doesn't exist.
  /// - Throws: `.changed` if it isn't a regular file, is open for writing, or can't be leased or locked.
  mutating func add(_ name: [UInt8]) throws(SourceKeptReason) -> (file: OpenFile, status: stat)? {
    guard let found = folder.status(of: name) else {
      if errno == ENOENT { return nil }
      throw .failed(errno: errno)
    }
    guard found.st_mode & S_IFMT == S_IFREG else { throw .changed }
    let descriptor = folder.open(name)
    guard descriptor >= 0 else { throw .failed(errno: errno) }
    let file = OpenFile(descriptor)
    let own = SourceRemoval.originalName(of: name) ?? name
    guard let status = file.status(), FileIdentity(status) == FileIdentity(found),
      own != name || file.isAtRest, file.lock()
    else { throw .changed }
    members.append(Member(name: own, file: file, status: status, hidden: own == name ? nil : name))
    return (file, status)
  }

  /// Hides the files, and restores their names if `body` throws.
  ///
  /// - Throws: the error of `body`, or `.displaced` with the photo's new name if another file has taken its own.
  mutating func hide<Result>(
    _ body: (inout SourceSet) throws(SourceKeptReason) -> Result
  ) throws(SourceKeptReason) -> Result {
    do throws(SourceKeptReason) {
      let number = UInt64.random(in: .min ... .max)
      for index in members.indices {
        let name = members[index].hidden ?? members[index].name
        guard let hidden = SourceRemoval.hiddenName(for: name, number) else {
          throw .failed(errno: ENAMETOOLONG)
        }
        let code = SourceDestination.rename(name, from: folder, hidden, to: folder)
        guard code == 0 else { throw code == ENOENT ? .changed : .failed(errno: code) }
        members[index].hidden = hidden
      }
      for index in members.indices {
        // By name, because network file systems may return the status that an open file had before it was renamed.
        guard let now = members[index].hidden.flatMap(folder.status),
          FileIdentity(now) == FileIdentity(members[index].status)
        else { throw .changed }
        members[index].status = now
      }
      try check()
      return try body(&self)
    } catch {
      let name = putBack()
      throw name == nil || name == members.last?.name
        ? error : .displaced(FilePath(bytes: name ?? []))
    }
  }

  /// Checks that the hidden names still lead to the same files, and that these were not changed, linked or opened
  /// since.
  private func check() throws(SourceKeptReason) {
    for member in members {
      guard let now = member.hidden.flatMap(folder.status),
        FileIdentity(now) == FileIdentity(member.status),
        now.st_ctim.tv_sec == member.status.st_ctim.tv_sec,
        now.st_ctim.tv_nsec == member.status.st_ctim.tv_nsec, member.file.isAtRest
      else { throw .changed }
    }
  }

  /// Unlinks the hidden files.
  mutating func unlink() throws(SourceKeptReason) {
    try check()
    for index in members.indices {
      guard members[index].hidden?.withPath({ unlinkat(folder.descriptor, $0, 0) }) == 0 else {
        throw .failed(errno: errno)
      }
      members[index].hidden = nil
    }
  }

  /// Moves the hidden files to a folder. If a name is taken, all of them get the same number.
  ///
  /// - Returns: the photo's new name.
  mutating func move(to target: OpenFolder) throws(SourceKeptReason) -> [UInt8] {
    let name = try underFreeNames(in: target) { (set, names) throws(SourceKeptReason) in
      let code = set.rename(to: target, as: names)
      return code == EXDEV ? try set.copy(to: target, as: names) : code
    }
    fsync(target.descriptor)
    return name
  }

  private mutating func copy(
    to target: OpenFolder, as names: [[UInt8]]
  ) throws(SourceKeptReason) -> Int32 {
    var copies: [SourceCopy] = []
    for member in members {
      copies.append(try SourceCopy(of: member.file, member.status, in: target))
    }
    for (copy, name) in zip(copies, names) {
      let code = copy.give(name)
      if code != 0 { return code }
    }
    guard fsync(target.descriptor) == 0 else { throw .failed(errno: errno) }
    defer { for copy in copies { copy.isKept = members[0].hidden == nil } }
    try unlink()
    return 0
  }

  /// Restores the names of hidden files. If a name is taken, all of them get the same number.
  ///
  /// - Returns: the photo's current name; `nil` if nothing was hidden.
  private mutating func putBack() -> [UInt8]? {
    members.removeAll { $0.hidden == nil }
    let folder = folder
    let name = try? underFreeNames(in: folder) { set, names in set.rename(to: folder, as: names) }
    return name ?? members.last?.hidden
  }

  /// Restores the names of files in a folder that a killed import has hidden. Skips sets that another process is
  /// moving.
  ///
  /// - Returns: `true` if a name has changed.
  static func restore(_ names: FolderNames, in folder: OpenFolder) -> Bool {
    var sets: [[UInt8]: [[UInt8]]] = [:]
    for index in 0..<names.count {
      guard let own = SourceRemoval.originalName(of: names[index]) else { continue }
      sets[names[index].dropLast(own.count), default: []].append(names[index])
    }
    var isChanged = false
    for names in sets.values {
      var set = SourceSet(in: folder)
      let ordered = names.filter { !Sidecars.isPhoto($0) } + names.filter(Sidecars.isPhoto)
      // Files that can't be restored are walked under their hidden names.
      if (try? ordered.allSatisfy { try set.add($0) != nil }) == true, set.putBack() != nil {
        isChanged = true
      }
    }
    return isChanged
  }

  // MARK: - Names

  /// Calls `take` with equally numbered names that are free in a folder, until it doesn't return `EEXIST`.
  ///
  /// - Returns: the photo's new name.
  private mutating func underFreeNames(
    in target: OpenFolder,
    _ take: (_ set: inout SourceSet, _ names: [[UInt8]]) throws(SourceKeptReason) -> Int32
  ) throws(SourceKeptReason) -> [UInt8] {
    guard let photo = members.last?.name else { throw .changed }
    for number in 1...999 {
      let names = members.map { Self.name(of: $0.name, with: photo, number) }
      guard names.allSatisfy({ target.status(of: $0) == nil }) else { continue }
      let code = try take(&self, names)
      if code == 0 { return Self.numbered(photo, number) }
      if code != EEXIST { throw .failed(errno: code) }
    }
    throw .failed(errno: EEXIST)
  }

  /// Renames all hidden files to free names, or none of them. Returns 0 or an errno.
  private mutating func rename(to target: OpenFolder, as names: [[UInt8]]) -> Int32 {
    let old = members.map { $0.hidden ?? $0.name }
    for index in names.indices {
      let code = SourceDestination.rename(old[index], from: folder, names[index], to: target)
      if code == 0 { continue }
      for done in 0..<index {
        _ = SourceDestination.rename(names[done], from: target, old[done], to: folder)
      }
      return code
    }
    for index in members.indices { members[index].hidden = nil }
    return 0
  }

  /// Returns the name of a file whose photo gets a number: `rex-2.mov` for `rex-2.heic`.
  private static func name(of file: [UInt8], with photo: [UInt8], _ number: Int) -> [UInt8] {
    let stem = photo[..<end(ofStem: photo)]
    guard number > 1, file.starts(with: stem) else { return numbered(file, number) }
    return stem + Array("-\(number)".utf8) + file[stem.count...]
  }

  /// Returns `rex.jpg`, `rex-2.jpg`, `rex-3.jpg`, and so on.
  private static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
    let end = end(ofStem: name)
    return number == 1 ? name : name[..<end] + Array("-\(number)".utf8) + name[end...]
  }

  private static func end(ofStem name: [UInt8]) -> Int {
    name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.count
  }
}

/// A complete copy of a file on another file system, which was synced and read back. It has no name at first if the
/// file system supports that. It is deleted with this object unless it is kept.
private final class SourceCopy {
  var isKept = false
  private let folder: OpenFolder
  private let file: OpenFile
  private var name: [UInt8]?

  init(
    of original: OpenFile, _ status: stat, in folder: OpenFolder
  ) throws(SourceKeptReason) {
    self.folder = folder
    // `O_TMPFILE`, which Swift's Glibc doesn't import because it is a macro of two flags.
    var descriptor = folder.open([UInt8(ascii: ".")], 0o20_000_000 | O_DIRECTORY | O_RDWR)
    if descriptor < 0, [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) {
      let part = Array(".petspot-move-\(randomName()).part".utf8)
      descriptor = folder.open(part, O_RDWR | O_CREAT | O_EXCL)
      if descriptor >= 0 { name = part }
    }
    guard descriptor >= 0 else { throw .failed(errno: errno) }
    file = OpenFile(descriptor)
    let digest = try original.digest(of: Int(status.st_size)) { (piece) throws(StoreError) in
      try SystemCalls.write(piece, to: descriptor, path: "")
    }
    // Only root can change the owner. It comes before setting the mode, because it changes the mode.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    let code = original.copyAttributes(to: descriptor)
    guard code == 0 else { throw .failed(errno: code) }
    var times = [status.st_atim, status.st_mtim]
    // Memory cards support few modes.
    guard fchmod(descriptor, status.st_mode & 0o777) == 0 || errno == EPERM,
      futimens(descriptor, &times) == 0, fsync(descriptor) == 0
    else { throw .failed(errno: errno) }
    // Drop the file from the page cache, so that the bytes are read back from the disk.
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    guard try file.digest(of: Int(status.st_size)) == digest else { throw .failed(errno: EIO) }
  }

  deinit {
    // Never delete another file that has taken its name.
    guard !isKept, let name, let own = file.status(), let found = folder.status(of: name),
      FolderID(found) == FolderID(own)
    else { return }
    _ = name.withPath { unlinkat(folder.descriptor, $0, 0) }
  }

  /// Gives the copy a free name. Returns 0 or an errno.
  func give(_ new: [UInt8]) -> Int32 {
    let code =
      name.map { SourceDestination.rename($0, from: folder, new, to: folder) }
      ?? new.withPath {
        linkat(AT_FDCWD, file.reopenPath, folder.descriptor, $0, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
      }
    if code == 0 { name = new }
    return code
  }
}
