import Glibc
import Hashing
import PhotoIngestion

/// The bytes of a stored picture, for a response that is sent in pieces.
package enum PictureBody: Sendable {
  /// They came whole.
  case bytes([UInt8])
  /// They lie in a file of this machine.
  case file(PictureFile)
  /// They lie in another machine's store, and are read from there in order.
  case remote(RemotePicture)

  /// Where those that are to be shown are waited for: not behind photos that are prepared, nor behind transactions
  /// that record, and a store that hangs holds nothing else up.
  static let threads = WorkerPool(threadCount: 16)

  /// How many there are.
  package var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.sizeBytes
    case .remote(let picture): picture.sizeBytes
    }
  }

  /// Some of them.
  ///
  /// - Parameter range: positions in bytes.
  /// - Throws: `StoreError.fault(.blobDamaged)` beyond the last byte, and where `far` bytes turn
  ///   out to be others than those recorded; `.storage` when the disk fails; a store's failures.
  package func read(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
    if case .remote(let picture) = self { return try await picture.read(range) }
    return try await Self.threads.finish { try read(range) }
  }

  /// Some of them, read in the caller's thread. Blocks.
  package func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    guard range.upperBound <= count else { throw .fault(.blobDamaged) }
    return switch self {
    case .bytes(let bytes): Array(bytes[range])
    case .file(let file): try file.read(range)
    case .remote(let picture): try picture.bytes(range)
    }
  }

  /// All of them, in the caller's thread.
  ///
  /// - Throws: `.storage` if the file ends before its size.
  package func all() throws(StoreError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .file(let file): try file.all()
    case .remote(let picture): try picture.bytes(0..<picture.sizeBytes)
    }
  }

  /// Whether all of them have this digest; those that come in pieces are compared on their way. Blocks.
  func isSound(sha256: String) throws(StoreError) -> Bool {
    if case .remote = self { return true }
    return try digest() == sha256
  }

  /// The digest of all of them, which are read piece by piece. Blocks.
  package func digest() throws(StoreError) -> String {
    var digest = SHA256()
    for start in stride(from: 0, to: count, by: 1 << 20) {
      digest.add(try read(start..<min(start + 1 << 20, count)))
    }
    return digest.digest.hexadecimal
  }
}

/// A stored picture that stays readable as long as this object exists, even if it is deleted
/// meanwhile.
package final class PictureFile: Sendable {
  /// An open file, to send from without copying; never read it by its current position.
  package let descriptor: Int32
  /// How many bytes it has.
  package let sizeBytes: Int
  private let path: String

  /// Takes over an open regular file.
  ///
  /// - Parameter path: for messages.
  package init(_ descriptor: Int32, sizeBytes: Int, path: String) {
    self.descriptor = descriptor
    self.sizeBytes = sizeBytes
    self.path = path
  }

  /// Takes over an open file, which is closed if it isn't a regular one.
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

  /// Waits until they are on the disk.
  func sync() throws(StoreError) { try SystemCalls.sync(descriptor, path: path) }

  /// All of its bytes. A read that ends early says nothing about the file, so it is an error. Blocks.
  func all() throws(StoreError) -> [UInt8] {
    let bytes = try bytes(0..<sizeBytes)
    guard bytes.count == sizeBytes else {
      throw StoreError(operation: "read", path: path, errno: EIO)
    }
    return bytes
  }

  /// Some of its bytes. Blocks.
  func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    let bytes = try bytes(range)
    // Something made it shorter.
    guard bytes.count == range.count else { throw .fault(.blobDamaged) }
    return bytes
  }

  /// Returns the bytes of a range up to the end of the file. Blocks.
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
