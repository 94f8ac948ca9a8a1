import CDispatch  // declares `stat` for this module
package import Foundation
import Glibc
package import PhotoIngestion
package import PhotoModel

extension PhotoSource {
  /// The size in bytes. 0 if the file can't be examined, because reading it fails later with a better error.
  package var byteCount: Int {
    switch self {
    case .bytes(let bytes, _): return bytes.count
    case .open(let file, _): return file.sizeBytes
    case .file(let path, _):
      var status = stat()
      return stat("\(path)", &status) == 0 ? Int(status.st_size) : 0
    }
  }

  /// Returns `true` if the photo was attached from the same bytes under the same name, less than an hour ago. A client
  /// that missed the response has then repeated its request. Blocks.
  package func isRepeated(of photo: PhotoAttachmentMetadata, at now: Date = .now) throws -> Bool {
    guard photo.fileSizeBytes == byteCount, name.map(Receiver.displayName) == photo.fileName,
      (0..<3600).contains(now.timeIntervalSince(photo.savedAt))
    else { return false }
    return try sha256() == photo.source.sha256
  }
}
