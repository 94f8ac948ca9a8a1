import Glibc
import PhotoIngestion
import SystemPackage

/// A recorded entry of a walk, so that another process can continue from it.
package struct ListedEntry: Sendable, Equatable {
  /// The path as the user would write it, which may contain any bytes.
  package var path: [UInt8]
  /// The file when it was listed; `nil` if the entry is refused.
  package var file: File?
  /// The reason to refuse the entry. It is reported without another check.
  package var refusal: ImportRefusal?

  package struct File: Sendable, Equatable {
    /// The key in the catalog: the absolute path without links.
    package var key: [UInt8]
    package var identity: FileIdentity
    /// `true` if a symbolic link led to the file.
    package var throughLink: Bool

    package init(key: [UInt8], identity: FileIdentity, throughLink: Bool) {
      self.key = key
      self.identity = identity
      self.throughLink = throughLink
    }
  }

  package init(path: [UInt8], file: File?, refusal: ImportRefusal? = nil) {
    self.path = path
    self.file = file
    self.refusal = refusal
  }

  init(_ entry: WalkedEntry) {
    switch entry {
    case .file(let file, _):
      self.init(
        path: file.path.rawBytes,
        file: File(key: file.key, identity: file.identity, throughLink: file.throughLink))
    case .refused(let path, let refusal):
      self.init(path: path.rawBytes, file: nil, refusal: refusal)
    }
  }
}

/// Returns listed entries in order, with the current state of their files.
///
/// A file is opened relative to its folder and without following links, as in a walk. A process that moves files in the
/// meantime can't redirect the import. Files that were listed through a link are opened by their path instead.
final class ListedFiles: EntryWalk {
  private var entries: ArraySlice<ListedEntry>
  /// The folder of the last file, which is often the next one's folder too.
  private var folder: (path: [UInt8], open: OpenFolder)?
  /// The store of listed objects; `nil` if the entries are files.
  private let source: (any ObjectSource)?

  init(_ entries: [ListedEntry], in source: (any ObjectSource)?) {
    self.entries = entries[...]
    self.source = source
  }

  var isRemote: Bool { source != nil }

  func next() -> WalkedEntry? {
    guard let entry = entries.popFirst() else { return nil }
    let path = FilePath(bytes: entry.path)
    if let refusal = entry.refusal { return .refused(path, refusal) }
    guard let file = entry.file else { return .refused(path, .photo(.unreadable(.changed))) }
    if let source { return object(path, file, source) }
    return file.throughLink ? openTarget(path, file) : openNamed(path, file)
  }

  private func object(
    _ path: FilePath, _ file: ListedEntry.File, _ source: any ObjectSource
  ) -> WalkedEntry {
    guard let key = source.key(known: file.key) else {
      return .refused(path, .photo(.unreadable(.changed)))
    }
    return .file(
      FoundFile(path: path, key: file.key, identity: file.identity, throughLink: false),
      .object(ObjectFetch(key: key, source: source)))
  }

  private func openTarget(_ path: FilePath, _ file: ListedEntry.File) -> WalkedEntry {
    guard let target = OpenPath(file.key, in: AT_FDCWD) else { return missing(path) }
    return entry(path, file, target.status, .target(target))
  }

  private func openNamed(_ path: FilePath, _ file: ListedEntry.File) -> WalkedEntry {
    let slash = file.key.lastIndex(of: UInt8(ascii: "/")) ?? 0
    let above = Array(file.key[..<slash])
    let name = Array(file.key[(slash + 1)...])
    if folder?.path != above {
      folder = OpenFolder(real: above).map { (above, $0) }
    }
    guard let open = folder?.open, let status = open.status(of: name) else { return missing(path) }
    return entry(path, file, status, .name(name, in: open))
  }

  private func entry(
    _ path: FilePath, _ file: ListedEntry.File, _ status: stat, _ wayIn: FileAccess
  ) -> WalkedEntry {
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      return .refused(path, .notAFile(kind: Receiver.kindName(of: kind)))
    }
    return .file(
      FoundFile(
        path: path, key: file.key, identity: FileIdentity(status), throughLink: file.throughLink),
      wayIn)
  }

  private func missing(_ path: FilePath) -> WalkedEntry {
    .refused(path, .photo(.unreadable(.system(errno: errno))))
  }
}

extension OpenFolder {
  /// Opens the folder at an absolute path without following links. Returns `nil` and sets `errno` if it isn't a folder.
  ///
  /// - Parameter visit: receives each folder on the path, including the last one.
  convenience init?(real path: [UInt8], _ visit: (Int32) -> Void = { _ in }) {
    var folder = Glibc.open("/", OpenPath.flag | O_DIRECTORY | O_CLOEXEC)
    for name in path.split(separator: UInt8(ascii: "/")) where folder >= 0 {
      let next = Array(name).withPath {
        openat(folder, $0, OpenPath.flag | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      let code = errno
      close(folder)
      errno = code
      folder = next
      if folder >= 0 { visit(folder) }
    }
    guard folder >= 0 else { return nil }
    self.init(folder)
  }
}
