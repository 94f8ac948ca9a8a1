import Glibc
import Hashing
import PhotoIngestion

/// The bytes of a stored picture, for a response that is sent in pieces.
package enum PictureBody: Sendable {
  case bytes([UInt8])
  /// The bytes are in a file on this machine.
  case file(PictureFile)
  /// The bytes are in a store on another machine and are read from there in order.
  case remote(RemotePicture)

  /// The threads that wait for pictures to be shown. They are separate so that reads don't queue behind photo
  /// preparation or write transactions, and so that a hanging store blocks nothing else.
  static let threads = WorkerPool(threadCount: 16)

  package var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.sizeBytes
    case .remote(let picture): picture.sizeBytes
    }
  }

  /// Reads a range of the bytes.
  ///
  /// - Parameter range: positions in bytes.
  /// - Throws: `StoreError.fault(.blobDamaged)` if the range exceeds the last byte or `remote` bytes do not match their
  ///   digest; `.storage` if the disk fails; errors of the store.
  package func readBytes(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
    if case .remote(let picture) = self { return try await picture.readBytes(range) }
    return try await Self.threads.finish { try readBytes(range) }
  }

  /// Reads a range of the bytes on the caller's thread. Blocks.
  package func readBytes(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    guard range.upperBound <= count else { throw .fault(.blobDamaged) }
    return switch self {
    case .bytes(let bytes): Array(bytes[range])
    case .file(let file): try file.readBytes(range)
    case .remote(let picture): try picture.bytes(range)
    }
  }

  /// Reads all bytes on the caller's thread.
  ///
  /// - Throws: `.storage` if the file ends before its size.
  package func all() throws(StoreError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .file(let file): try file.all()
    case .remote(let picture): try picture.bytes(0..<picture.sizeBytes)
    }
  }

  /// Returns `true` if all bytes have this digest. Bytes that arrive in pieces are compared as they are read. Blocks.
  func isSound(sha256: String) throws(StoreError) -> Bool {
    if case .remote = self { return true }
    return try digest() == sha256
  }

  /// Returns the digest of all bytes, reading them piece by piece. Blocks.
  package func digest() throws(StoreError) -> String {
    var digest = SHA256()
    for start in stride(from: 0, to: count, by: 1 << 20) {
      digest.add(try readBytes(start..<min(start + 1 << 20, count)))
    }
    return digest.digest.hexadecimal
  }
}

/// A stored picture that stays readable as long as this object exists, even if it is deleted meanwhile.
package final class PictureFile: Sendable {
  /// An open file to send without copying. Never read it by its current position.
  package let descriptor: Int32
  package let sizeBytes: Int
  private let path: String

  /// Takes ownership of an open regular file.
  ///
  /// - Parameter path: used only in messages.
  package init(_ descriptor: Int32, sizeBytes: Int, path: String) {
    self.descriptor = descriptor
    self.sizeBytes = sizeBytes
    self.path = path
  }

  /// Takes ownership of an open file. Closes it if it is not a regular file.
  ///
  /// - Throws: `StoreError.fault(.blobNotAFile)`.
  package static func regular(_ descriptor: Int32, path: String) throws(StoreError) -> PictureFile {
    var status = stat()
    do throws(StoreError) {
      try SystemCalls.check("stat", path) { Int(fstat(descriptor, &status)) }
      guard status.st_mode & S_IFMT == S_IFREG else { throw .fault(.blobNotAFile) }
    } catch {
      close(descriptor)
      throw error
    }
    return PictureFile(descriptor, sizeBytes: Int(status.st_size), path: path)
  }

  deinit { close(descriptor) }

  func sync() throws(StoreError) { try SystemCalls.sync(descriptor, path: path) }

  /// Returns all bytes. Throws if the read ends early, because that is an I/O error. It does not show that the file is
  /// damaged. Blocks.
  func all() throws(StoreError) -> [UInt8] {
    let bytes = try bytes(0..<sizeBytes)
    guard bytes.count == sizeBytes else {
      throw StoreError(operation: "read", path: path, errno: EIO)
    }
    return bytes
  }

  /// Returns the bytes of a range. Blocks.
  func readBytes(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    let bytes = try bytes(range)
    // The file was truncated.
    guard bytes.count == range.count else { throw .fault(.blobDamaged) }
    return bytes
  }

  /// Returns the bytes of a range, clipped to the end of the file. Blocks.
  package func bytes(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < bytes.count {
      let count = try SystemCalls.check("read", path) {
        bytes.withUnsafeMutableBytes {
          pread(descriptor, $0.baseAddress! + done, $0.count - done, range.lowerBound + done)
        }
      }
      if count == 0 { break }
      done += count
    }
    bytes.removeSubrange(done...)
    return bytes
  }
}
