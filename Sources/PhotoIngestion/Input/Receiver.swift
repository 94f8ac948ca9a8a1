import Foundation
import Glibc
import Hashing
import ImageContainers
import SystemPackage

/// A received file. Later stages use only these bytes, so a file that changes on disk is either processed as it was or
/// refused.
package struct ReceivedFile {
  /// The name of the original. `nil` if it has no name.
  package var name: String?
  package var bytes: [UInt8]
  /// The SHA-256 of `bytes` as 64 lowercase hexadecimal digits.
  package var sha256: String

  package init(name: String? = nil, bytes: [UInt8], sha256: String) {
    self.name = name
    self.bytes = bytes
    self.sha256 = sha256
  }

  /// Returns the name of the original, or the name that the screen in seed 028 gives a photo without one.
  func name(as format: ImageFormat) -> String {
    name ?? "animal-photo." + format.fileExtensions[0]
  }
}

/// Stage 0: turns a source into bytes. Opens only regular files.
package enum Receiver {
  package static func receive(
    _ source: PhotoSource, limit: Int
  ) throws(PhotoError) -> ReceivedFile {
    let bytes =
      switch source {
      case .bytes(let bytes, _): bytes
      case .file(let path, _): try openAndRead(path, limit: limit)
      case .open(let file, _): try readWhole(file.descriptor, limit: limit)
      }
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= limit else {
      throw .tooLarge(.fileBytes, actual: bytes.count, limit: limit)
    }
    return ReceivedFile(name: source.name.map(displayName), bytes: bytes, sha256: sha256(of: bytes))
  }

  /// Returns a name that is safe for records and screens, with at most 255 characters. Accents are composed, as
  /// keyboards write them.
  package static func displayName(_ name: String) -> String {
    String(ReadableText.escaped(name).precomposedStringWithCanonicalMapping.prefix(255))
  }

  /// Returns the format by a file's first bytes, or `nil` if it isn't supported.
  static func format(of path: FilePath) throws(PhotoError) -> ImageFormat? {
    let file = try open(path)
    defer { close(file) }
    return ImageContainer.format(of: try readBytes(file, count: 16))
  }

  private static func openAndRead(_ path: FilePath, limit: Int) throws(PhotoError) -> [UInt8] {
    let file = try open(path)
    defer { close(file) }
    return try readWhole(file, limit: limit)
  }

  private static func open(_ path: FilePath) throws(PhotoError) -> Int32 {
    // Check the kind before opening, because opening a device can have side effects and opening a FIFO can block.
    var info = stat()
    guard path.withPlatformString({ stat($0, &info) }) == 0 else {
      throw .unreadable(.system(errno: errno))
    }
    try checkKind(info)
    let descriptor = path.withPlatformString {
      Glibc.open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }
    guard descriptor >= 0 else {
      let code = errno
      // A shortage does not make the file unreadable.
      throw PhotoError(shortage: code) ?? .unreadable(.system(errno: code))
    }
    return descriptor
  }

  private static func readWhole(_ descriptor: Int32, limit: Int) throws(PhotoError) -> [UInt8] {
    let before = try status(descriptor)
    try checkKind(before)
    let size = Int(before.st_size)
    guard size > 0 else { throw .empty }
    guard size <= limit else {
      throw .tooLarge(.fileBytes, actual: size, limit: limit)
    }
    let bytes = try readBytes(descriptor, count: size)
    let after = try status(descriptor)
    guard bytes.count == size, after.st_size == before.st_size,
      after.st_mtim.tv_sec == before.st_mtim.tv_sec,
      after.st_mtim.tv_nsec == before.st_mtim.tv_nsec
    else { throw .unreadable(.changed) }
    return bytes
  }

  private static func status(_ descriptor: Int32) throws(PhotoError) -> stat {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw .unreadable(.system(errno: errno)) }
    return info
  }

  private static func checkKind(_ info: stat) throws(PhotoError) {
    let kind = info.st_mode & S_IFMT
    if kind != S_IFREG { throw .unreadable(.notAFile(kind: kindName(of: kind))) }
  }

  /// Returns the identifier for a kind of file that is not regular.
  package static func kindName(of kind: UInt32) -> String {
    switch kind {
    case S_IFIFO: "fifo"
    case S_IFSOCK: "socket"
    case S_IFLNK: "symlink"
    case S_IFDIR: "directory"
    default: "device"
    }
  }

  /// Reads `size` bytes of a regular file, starting at `start`. Returns fewer if the file ends early.
  package static func readBytes(
    _ descriptor: Int32, count size: Int, at start: Int = 0
  ) throws(PhotoError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size, let base = buffer.baseAddress {
        let got = pread(descriptor, base + count, size - count, off_t(start + count))
        if got > 0 {
          count += got
        } else if got == 0 {
          return
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    guard failure == 0 else { throw .unreadable(.system(errno: failure)) }
    return bytes
  }
}

extension PhotoSource {
  /// Returns the SHA-256 of the photo as 64 lowercase hexadecimal digits. Reads an open file piece by piece.
  package func sha256() throws(PhotoError) -> String {
    guard case .open(let file, _) = self else {
      return try Receiver.receive(self, limit: .max).sha256
    }
    var hash = SHA256()
    var offset = 0
    while true {
      let piece = try Receiver.readBytes(file.descriptor, count: 1 << 20, at: offset)
      if piece.isEmpty { return hash.digest.hexadecimal }
      hash.add(piece)
      offset += piece.count
    }
  }

  /// Reads standard input to its end.
  ///
  /// - Parameters:
  ///   - name: the name of the original. `nil` if it is unknown.
  ///   - limit: the maximum number of bytes.
  /// - Throws: `PhotoError.tooLarge` as soon as more than `limit` bytes have arrived.
  package static func standardInput(
    name: String? = nil, limit: Int
  ) throws(PhotoError) -> PhotoSource {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let got = chunk.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress, $0.count) }
      if got == 0 { return .bytes(bytes, name: name) }
      guard got > 0 else {
        if errno == EINTR { continue }
        throw .unreadable(.system(errno: errno))
      }
      guard bytes.count + got <= limit else {
        throw .tooLarge(.fileBytes, actual: bytes.count + got, limit: limit)
      }
      bytes.append(contentsOf: chunk[..<got])
    }
  }
}

/// Returns the SHA-256 of bytes as 64 lowercase hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String { SHA256.digest(of: bytes).hexadecimal }
