import Hashing
import PhotoIngestion
import Synchronization

/// A stored picture that is sent from an object store to a client in pieces, once and in order; the
/// whole picture is never in memory or on a disk. Between two pieces nothing is open, so a slow
/// client costs the store nothing.
///
/// Its digest is taken on the way. The last piece is handed out only when all of them have the digest on
/// record: a picture that was changed in the store, or on its way, is cut off before its end. Its length was
/// announced, so a client or a CDN takes what came for the broken answer that it is, keeps none of it, and
/// asks again.
package final class RemotePicture: Sendable {
  /// How many bytes it has.
  package let sizeBytes: Int
  /// Bytes of a piece, which is all that is in memory; a picture of one piece is proved before it begins.
  package static let pieceBytes = 256 << 10

  private let sha256: String
  private let fetch: @Sendable (Range<Int>) throws -> [UInt8]
  private let state = Mutex(State())

  private struct State {
    var digest = SHA256()
    /// The piece that is handed out, and where it begins.
    var piece: [UInt8] = []
    var start = 0
    var end: Int { start + piece.count }
  }

  /// Fetches the first piece. Blocks.
  ///
  /// - Parameter fetch: fetches bytes of the picture.
  package init(
    sizeBytes: Int, sha256: String,
    fetch: @escaping @Sendable (Range<Int>) throws -> [UInt8]
  ) throws(StoreError) {
    self.sizeBytes = sizeBytes
    self.sha256 = sha256
    self.fetch = fetch
    try advance()
  }

  func read(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
    try await PictureBody.threads.finish { [self] in try bytes(range) }
  }

  /// Bytes that begin in the piece that was handed out last, or right behind it. Blocks.
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

  /// Takes the next piece in the place of the last one.
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
