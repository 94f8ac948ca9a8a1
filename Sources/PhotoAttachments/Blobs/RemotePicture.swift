import Hashing
import PhotoIngestion
import Synchronization

/// A stored picture that is sent from an object store to a client in pieces, once and in order. The whole picture is
/// never in memory or on a disk. No connection is open between two pieces, so a slow client costs the store nothing.
///
/// The digest is computed along the way. The last piece is returned only if the whole picture has the recorded digest.
/// A picture that was changed in the store or in transit is therefore cut off before its end. Because its length was
/// announced, a client or CDN treats the response as incomplete, doesn't cache it, and retries.
package final class RemotePicture: Sendable {
  package let sizeBytes: Int
  /// The size of a piece in bytes, which is all that is in memory. A picture of one piece is verified before it is
  /// sent.
  package static let pieceBytes = 256 << 10

  private let sha256: String
  private let fetch: @Sendable (Range<Int>) throws -> [UInt8]
  private let state = Mutex(State())

  private struct State {
    var digest = SHA256()
    /// The current piece and its start position.
    var piece: [UInt8] = []
    var start = 0
    var end: Int { start + piece.count }
  }

  /// Fetches the first piece. Blocks.
  ///
  /// - Parameter fetch: fetches a range of the picture's bytes.
  package init(
    sizeBytes: Int, sha256: String,
    fetch: @escaping @Sendable (Range<Int>) throws -> [UInt8]
  ) throws(StoreError) {
    self.sizeBytes = sizeBytes
    self.sha256 = sha256
    self.fetch = fetch
    try advance()
  }

  func readBytes(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
    try await PictureBody.threads.finish { [self] in try bytes(range) }
  }

  /// Returns bytes that start in the current piece or right after it. Blocks.
  func bytes(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    var position = range.lowerBound
    while position < range.upperBound {
      let (piece, start) = state.withLock { ($0.piece, $0.start) }
      guard position >= start else { throw .fault(.blobOrder) }
      if position >= start + piece.count {
        try advance()
        continue
      }
      let some = piece[(position - start)...].prefix(range.upperBound - position)
      bytes += some
      position += some.count
    }
    return bytes
  }

  /// Replaces the current piece with the next one.
  private func advance() throws(StoreError) {
    let start = state.withLock { state in
      state.start = state.end
      state.piece = []
      return state.start
    }
    let end = min(start + Self.pieceBytes, sizeBytes)
    let piece = start < end ? try StoreError.catching { try fetch(start..<end) } : []
    guard piece.count == end - start else { throw .fault(.blobDamaged) }
    let isSound = state.withLock { state in
      state.digest.add(piece)
      guard end < sizeBytes || state.digest.digest.hexadecimal == sha256 else { return false }
      state.piece = piece
      return true
    }
    guard isSound, !piece.isEmpty else { throw .fault(.blobDamaged) }
  }
}
