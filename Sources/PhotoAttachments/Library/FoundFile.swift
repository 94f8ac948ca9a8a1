import Glibc
import Hashing
import SystemPackage
import PhotoIngestion

struct FoundFile: Sendable {
  /// As the person would name it: the given path, and below it.
  var path: FilePath
  /// Absolute, without links: what it is known by in the catalog.
  var key: [UInt8]
  var identity: FileIdentity
  /// Whether a symbolic link led here; such an original is never deleted.
  var throughLink: Bool
}

/// A file that is open for reading until this is gone.
final class OpenFile: Sendable {
  private let descriptor: Int32
  /// Whether it is a copy of this process, which no other one knows.
  private let isCopy: Bool
  /// `F_SETLEASE`, which the C library shows to GNU sources only.
  private static let setLease: Int32 = 1024

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isCopy = false
  }

  /// A copy of what lies elsewhere.
  init(fetched descriptor: Int32) {
    self.descriptor = descriptor
    isCopy = true
  }

  deinit { close(descriptor) }

  /// What it is now.
  func status() -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Whether it is still what was found, and no process has it open for writing.
  func isUnchanged(_ identity: FileIdentity) -> Bool {
    isCopy || status().map { FileIdentity($0) == identity } ?? false && !isBeingWritten
  }

  /// Whether a process has it open for writing: then the kernel refuses a read lease. File systems
  /// and owners that cannot be asked count as no.
  var isBeingWritten: Bool { !isCopy && leaseRefusal == EAGAIN }

  /// Whether the kernel grants a read lease, so that certainly no process has it open for writing.
  var isAtRest: Bool { leaseRefusal == 0 }

  /// The errno with which the kernel refuses a read lease, or 0.
  private var leaseRefusal: Int32 {
    guard fcntl(descriptor, Self.setLease, Int32(F_RDLCK)) == 0 else { return errno }
    _ = fcntl(descriptor, Self.setLease, Int32(F_UNLCK))
    return 0
  }

  /// Locks it against other imports (flock(2)), without waiting. File systems without such locks grant any.
  ///
  /// - Returns: false if another process has it locked.
  func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

  /// Copies what people and programs noted of it (`user.*`) to another file, where that can have it; 0 or the errno.
  func copyAttributes(to target: Int32) -> Int32 {
    ExtendedAttributes.copy(from: descriptor, to: target)
  }

  /// A path that opens it once more.
  var reopenPath: String { "/proc/self/fd/\(descriptor)" }

  /// Reads up to `size` bytes in pieces and hands each on.
  ///
  /// - Returns: the SHA-256 of what was read.
  func digest(
    of size: Int, _ take: ([UInt8]) throws(StoreError) -> Void = { _ in }
  ) throws(SourceKeptReason) -> String {
    var digest = SHA256()
    var done = 0
    do {
      while done < size {
        let piece = try Receiver.read(descriptor, count: min(1 << 20, size - done), at: done)
        if piece.isEmpty { break }
        digest.add(piece)
        try take(piece)
        done += piece.count
      }
    } catch {
      throw .failed(errno: StoreError(error).systemErrno ?? EIO)
    }
    return digest.digest.hexadecimal
  }

  /// Lets the kernel begin to read ahead.
  func prefetch() { posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED) }

  /// Reads up to `count` bytes from the beginning.
  ///
  /// - Throws: `PhotoError.unreadable`.
  func read(_ count: Int) throws(PhotoError) -> [UInt8] {
    try Receiver.read(descriptor, count: count)
  }
}

extension FilePath {
  /// The path of these bytes.
  package init(bytes: [UInt8]) {
    self = (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  /// The path's bytes as the system knows them.
  package var rawBytes: [UInt8] {
    withPlatformString { pointer in
      UnsafeBufferPointer(start: pointer, count: strlen(pointer)).map { UInt8(bitPattern: $0) }
    }
  }
}
