import Foundation
import PhotoAttachments
import PhotoIngestion
import SystemPackage

/// The file of an import's report, or a part of it. It is written by appending text, and replaces another file only
/// when it is complete.
///
/// Until then it has a new random name, and only the user can read it. It therefore never writes through an existing
/// file or link. A killed process leaves only a file with such a name.
final class ReportStream {
  /// The temporary name in the folder.
  let name: String
  private let path: FilePath
  private let folder: Int32
  private let stream: UnsafeMutablePointer<FILE>
  private var isNamed = true

  /// Creates a file in the folder of `path`.
  ///
  /// - Parameter isHidden: `true` if the file's name is removed at once, so that the file disappears with this object.
  init(beside path: FilePath, isHidden: Bool = false) throws(StoreError) {
    let parent = path.removingLastComponent()
    let place = parent.isEmpty ? FilePath(".") : parent
    let name = ".petspot-report-" + String(UInt64.random(in: .min ... .max), radix: 16) + ".part"
    let folder = place.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard folder >= 0 else {
      throw .storage(operation: "open", path: DisplayText.exact(place), errno: errno)
    }
    let file = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0, let stream = fdopen(file, "w+") else {
      let code = errno
      if file >= 0 { Foundation.close(file) }
      Foundation.close(folder)
      throw .storage(operation: "open", path: DisplayText.exact(path), errno: code)
    }
    self.path = path
    self.name = name
    self.folder = folder
    self.stream = stream
    if isHidden { isNamed = unlinkat(folder, name, 0) != 0 }
  }

  deinit {
    fclose(stream)
    if isNamed { unlinkat(folder, name, 0) }
    Foundation.close(folder)
  }

  func write(_ text: String) throws(StoreError) { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws(StoreError) {
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw failure("write") }
  }

  /// Appends the whole content of this file to another.
  func copy(to other: ReportStream) throws(StoreError) {
    rewind(stream)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, stream)
      if count == 0 {
        if ferror(stream) != 0 { throw failure("read") }
        return
      }
      guard fwrite(chunk, 1, count, other.stream) == count else { throw other.failure("write") }
    }
  }

  /// Moves the complete file to its path. Replaces an existing file.
  func close() throws(StoreError) {
    try sync()
    let result = path.lastComponent?.withPlatformString { renameat(folder, name, folder, $0) }
    guard result == 0 else { throw failure("rename") }
    endNaming()
  }

  /// Moves the complete file to an unused name next to its path, such as `report-2.html`.
  ///
  /// - Returns: the new path.
  func closeBeside() throws(StoreError) -> FilePath {
    try sync()
    let ending = path.extension.map { "." + $0 } ?? ""
    var number = 2
    while true {
      let name = "\(path.stem ?? "report")-\(number)\(ending)"
      let other = path.removingLastComponent().appending(name)
      let code = other.lastComponent?.withPlatformString {
        ExclusiveRename.rename(self.name, from: folder, $0, to: folder)
      }
      if code == 0 {
        endNaming()
        return other
      }
      guard code == EEXIST else {
        throw StoreError(operation: "rename", path: DisplayText.exact(other), errno: code ?? EINVAL)
      }
      number += 1
    }
  }

  private func sync() throws(StoreError) {
    guard fflush(stream) == 0, fsync(fileno(stream)) == 0 else { throw failure("fsync") }
  }

  private func endNaming() {
    isNamed = false
    // Ignores errors, because the report is complete even if its name isn't on the disk yet.
    fsync(folder)
  }

  private func failure(_ operation: String) -> StoreError {
    StoreError(operation: operation, path: DisplayText.exact(path), errno: errno)
  }
}
