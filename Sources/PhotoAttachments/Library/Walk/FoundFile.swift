import Glibc
import Hashing
import ImageContainers
import SystemPackage
import PhotoIngestion

/// A regular file or an object of a store that a walk has found.
struct FoundFile: Sendable {
  /// The path as the user would write it: the given path and the part below it.
  var path: FilePath
  /// The absolute path without links. The catalog identifies the file by it.
  var key: [UInt8]
  var identity: FileIdentity
  /// `true` if a symbolic link led here. Such an original is never deleted.
  var throughLink: Bool
}

extension FoundFile {
  /// The result of opening a file for reading.
  enum Opening {
    case open(OpenFile, DecodeForecast)
    case refused(ImportRefusal)
  }

  /// Opens the file, and reads its beginning to see whether it is a photo. Blocks.
  ///
  /// - Parameter fetched: the file's copy, if it is an object.
  func opened(
    by wayIn: FileAccess, _ fetched: Result<OpenFile, PhotoError>? = nil
  ) -> Opening {
    do throws(PhotoError) {
      let open = if let fetched { try fetched.get() } else { try wayIn.open(self) }
      guard !open.isBeingWritten else { return .refused(.changing) }
      let head = try open.readPrefix(min(identity.size, DecodeForecast.window))
      let name = path.lastComponent.map { Array($0.string.utf8) } ?? []
      if EntryFilter.mayBeAppleDouble(name), EntryFilter.isAppleDouble(head) {
        return .refused(.systemFile(kind: "apple-double"))
      }
      let forecast = DecodeForecast(head: head, fileSize: identity.size)
      if forecast.isPhoto { open.prefetch() }
      return .open(open, forecast)
    } catch {
      return .refused(error == .unreadable(.changed) ? .changing : .photo(error))
    }
  }

  /// Reads the whole file, or only its beginning if it isn't a photo. In that case the result has no digest.
  ///
  /// - Parameter limit: the maximum size of a photo in bytes.
  func received(
    from open: OpenFile, isPhoto: Bool, limit: Int
  ) -> (Received, bytesRead: Int) {
    let size = identity.size
    if size == 0 { return (.refused(.photo(.empty)), 0) }
    if isPhoto, size > limit {
      return (.refused(.photo(.tooLarge(.fileBytes, actual: size, limit: limit))), 0)
    }
    let bytes: [UInt8]
    let wanted = isPhoto ? size : min(size, DecodeForecast.window)
    do throws(PhotoError) { bytes = try open.readPrefix(wanted) } catch {
      return (.refused(.photo(error)), 0)
    }
    guard bytes.count == wanted, open.isUnchanged(identity) else {
      return (.refused(.changing), bytes.count)
    }
    return (
      .file(
        ReceivedFile(
          name: PhotoSource.file(path).name.map(Receiver.displayName), bytes: bytes,
          sha256: isPhoto ? sha256(of: bytes) : "")), bytes.count
    )
  }

  /// The result of reading a file.
  enum Received {
    case file(ReceivedFile)
    case refused(ImportRefusal)
  }
}

/// A file that stays open for reading as long as this object exists.
final class OpenFile: Sendable {
  private let descriptor: Int32
  /// `true` if the file is a private copy of this process.
  private let isCopy: Bool
  /// `F_SETLEASE`, which the C library exposes to GNU sources only.
  private static let setLease: Int32 = 1024

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isCopy = false
  }

  /// Opens a small regular file beside a photo. `nil` if it is missing, large or of another kind, or can't be opened.
  init?(json name: [UInt8], in folder: FilePath) {
    let path = folder.rawBytes + [UInt8(ascii: "/")] + name
    descriptor = path.withPath { open($0, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC) }
    isCopy = false
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= 64 << 10
    else { return nil }
  }

  /// Wraps a copy of an object.
  init(fetched descriptor: Int32) {
    self.descriptor = descriptor
    isCopy = true
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the current status.
  func status() -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Returns `true` if the file is still the one that was found, and no process has it open for writing.
  func isUnchanged(_ identity: FileIdentity) -> Bool {
    isCopy || status().map { FileIdentity($0) == identity } ?? false && !isBeingWritten
  }

  /// `true` if a process has the file open for writing, so that the kernel refuses a read lease. `false` if that can't
  /// be determined because of the file system or the file's owner.
  var isBeingWritten: Bool { !isCopy && leaseRefusal == EAGAIN }

  /// `true` if the kernel grants a read lease. Then certainly no process has the file open for writing.
  var isAtRest: Bool { leaseRefusal == 0 }

  /// The error with which the kernel refuses a read lease, or 0.
  private var leaseRefusal: Int32 {
    guard fcntl(descriptor, Self.setLease, Int32(F_RDLCK)) == 0 else { return errno }
    _ = fcntl(descriptor, Self.setLease, Int32(F_UNLCK))
    return 0
  }

  /// Locks the file against other imports (flock(2)) without waiting. On file systems without such locks, this always
  /// succeeds.
  ///
  /// - Returns: `false` if another process has locked the file.
  func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

  /// Copies extended attributes of users and programs (`user.*`) to another file, if that file supports them. Returns 0
  /// or an errno.
  func copyAttributes(to target: Int32) -> Int32 {
    ExtendedAttributes.copy(from: descriptor, to: target)
  }

  /// A path that opens the same file again.
  var reopenPath: String { "/proc/self/fd/\(descriptor)" }

  /// Reads up to `size` bytes and passes them to `take` in pieces.
  ///
  /// - Returns: the SHA-256 of the bytes.
  func digest(
    of size: Int, _ take: ([UInt8]) throws(StoreError) -> Void = { _ in }
  ) throws(SourceKeptReason) -> String {
    var digest = SHA256()
    var done = 0
    do {
      while done < size {
        let piece = try Receiver.readBytes(descriptor, count: min(1 << 20, size - done), at: done)
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

  /// Makes the kernel start reading ahead.
  func prefetch() { posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED) }

  /// Returns up to `count` bytes from the start of the file.
  ///
  /// - Throws: `PhotoError.unreadable`.
  func readPrefix(_ count: Int) throws(PhotoError) -> [UInt8] {
    try Receiver.readBytes(descriptor, count: count)
  }
}

extension FilePath {
  /// Creates a path from its bytes.
  package init(bytes: [UInt8]) {
    self = (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  /// The bytes of the path as the system uses them.
  package var rawBytes: [UInt8] {
    withPlatformString { pointer in
      UnsafeBufferPointer(start: pointer, count: strlen(pointer)).map { UInt8(bitPattern: $0) }
    }
  }
}
