import Glibc
import ImageContainers
import PhotoIngestion

/// What a file under a picture's name is.
enum StoredFile: Sendable, Equatable {
  case missing
  /// Reading it failed with this `errno`.
  case unreadable(errno: Int32)
  /// Its bytes are not those its name tells.
  case other(sha256: String, sizeBytes: Int)
  /// Its bytes are those its name tells, and walk as a picture of this size.
  case sound(sizeBytes: Int, width: Int, height: Int, frames: Int)
  /// Its bytes are those its name tells, but they should never have been stored.
  case unsound(StoreProblem)
}

extension BlobStore {
  /// Reads, digests and walks a stored picture.
  ///
  /// - Throws: what says nothing of the file, such as too many open files.
  func look(at place: BlobPath, limits: ContainerLimits) throws(PhotoError) -> StoredFile {
    let bytes: [UInt8]
    do throws(PhotoError) { bytes = try read(place) } catch {
      if error == .missingPhoto { return .missing }
      if error == .fault(what: "blob-not-a-file") { return .unreadable(errno: EINVAL) }
      guard let errno = error.systemErrno, ![EMFILE, ENFILE, ENOMEM].contains(errno) else {
        throw error
      }
      return .unreadable(errno: errno)
    }
    let digest = sha256(of: bytes)
    guard digest == place.sha256 else { return .other(sha256: digest, sizeBytes: bytes.count) }
    do throws(ContainerError) {
      let facts = try ImageContainer.walk(bytes, as: place.format, limits: limits)
      guard (try? ContainerProof.account(for: bytes, as: place.format)) != nil else {
        return .unsound(.metadata)
      }
      return .sound(
        sizeBytes: bytes.count, width: facts.uprightWidth, height: facts.uprightHeight,
        frames: facts.frameCount)
    } catch {
      return .unsound(.structure)
    }
  }

  /// Whether the very bytes lie there that a picture's name tells.
  func isWhole(_ place: BlobPath) -> Bool {
    (try? read(place)).map { sha256(of: $0) == place.sha256 } ?? false
  }
}
