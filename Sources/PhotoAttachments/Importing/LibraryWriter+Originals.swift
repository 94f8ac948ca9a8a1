import Foundation
import Glibc

extension LibraryWriter {
  /// Deletes an original, but only when its stored photo reads back with the recorded digest and the
  /// original still is, bytes and all, what was imported. Whatever is in doubt stays.
  func deleteSource(of finding: ImportFinding, _ told: ImportedFile) -> Bool {
    guard case .file(let file, _) = finding.path, !file.throughLink else { return false }
    let photoID: UUID
    switch told.outcome {
    case .imported(let photo): photoID = photo.id
    case .duplicate(let id, _), .unchanged(let id): photoID = id
    case .skipped, .failed: return false
    }
    do {
      guard let row = try catalog.read({ try SourceFileRow.fetch($0, path: file.key) }),
        row.photo == photoID.uuidString, row.identity == file.identity, let sha256 = row.sha256,
        let photo = try cache.photo(id: photoID)
      else { return false }
      _ = try cache.bytes(of: photo.blob)
      return unlink(file, sha256: sha256)
    } catch {
      return false
    }
  }

  /// Reaches the file without following a link and compares it once more.
  private func unlink(_ file: FoundFile, sha256 digest: String) -> Bool {
    var names = file.key.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard let name = names.popLast() else { return false }
    var folder = Glibc.open("/", OpenPath.flag | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    for parent in names {
      let next = parent.withPath {
        openat(folder, $0, OpenPath.flag | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      close(folder)
      folder = next
    }
    let descriptor = name.withPath {
      openat(folder, $0, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    }
    guard descriptor >= 0 else { return false }
    let open = OpenFile(descriptor)
    guard isSame(open.status(), file), let bytes = try? open.read(file.identity.size),
      sha256(of: bytes) == digest, isSame(open.status(), file)
    else { return false }
    var entry = stat()
    let found = name.withPath { fstatat(folder, $0, &entry, AT_SYMLINK_NOFOLLOW) }
    guard found == 0, isSame(entry, file) else { return false }
    return name.withPath { unlinkat(folder, $0, 0) } == 0
  }

  private func isSame(_ status: stat?, _ file: FoundFile) -> Bool {
    status.map { $0.st_mode & S_IFMT == S_IFREG && FileIdentity($0) == file.identity } ?? false
  }
}
