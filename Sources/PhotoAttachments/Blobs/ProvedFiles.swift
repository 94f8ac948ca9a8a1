import Glibc
import Synchronization

/// Picture files whose digest was verified recently. A client that requests the same large picture again and again
/// without reading it makes the server hash it only once every ten minutes.
///
/// A file counts as unchanged while its device, inode, size and both times are equal. Every write changes `ctime`,
/// which programs cannot set.
final class ProvedFiles: Sendable {
  private static let secondsKept = 600
  private static let maxCount = 4_096

  private let proved = Mutex<[Identity: (sha256: String, since: Int)]>([:])

  private struct Identity: Hashable {
    let numbers: [Int]

    init?(_ file: PictureFile) {
      var status = stat()
      guard fstat(file.descriptor, &status) == 0 else { return nil }
      numbers = [
        Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)),
        Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
        status.st_ctim.tv_nsec,
      ]
    }

    /// The time of the last change in seconds.
    var changed: Int { numbers[5] }
  }

  /// Returns `true` if the bytes of a picture have this digest. Blocks.
  func isSound(_ body: PictureBody, sha256: String) throws(StoreError) -> Bool {
    guard case .file(let file) = body, let identity = Identity(file) else {
      return try body.isSound(sha256: sha256)
    }
    let now = time(nil)
    if let known = proved.withLock({ $0[identity] }), known.sha256 == sha256,
      (0..<Self.secondsKept).contains(now - known.since)
    {
      return true
    }
    guard try body.isSound(sha256: sha256) else { return false }
    // A later change within the same tick of the file system's clock would leave `ctime` unchanged.
    guard identity.changed < now - 2 else { return true }
    proved.withLock { proved in
      if proved.count >= Self.maxCount { proved = [:] }
      proved[identity] = (sha256, now)
    }
    return true
  }
}
