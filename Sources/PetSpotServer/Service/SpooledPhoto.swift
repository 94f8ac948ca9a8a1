import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// A photo that is being written to disk while it arrives.
struct SpooledPhoto: Sendable {
  /// The number of bytes that are written at once.
  static let pieceBytes = 128 << 10

  /// The file's name. `nil` if the part has none.
  let name: String?
  /// The most bytes that the photo may have.
  let limit: Int
  private var count = 0
  private var pending: [UInt8] = []
  private var spool: SpoolFile?

  init(name: String?, limit: Int) { (self.name, self.limit) = (name, limit) }

  /// Keeps bytes in memory until the next `flush`. Throws if the photo exceeds its limit.
  mutating func add(_ bytes: some Collection<UInt8>) throws(PhotoError) {
    count += bytes.count
    guard count <= limit else { throw .tooLarge(.fileBytes, actual: count, limit: limit) }
    pending.append(contentsOf: bytes)
  }

  /// Writes the pending bytes if they make a large piece or are the last.
  mutating func flush(to stores: Stores, atEnd: Bool = false) async throws {
    guard atEnd || pending.count >= Self.pieceBytes else { return }
    let (bytes, before, folder) = (pending, spool, stores.photos.folder)
    pending.removeAll(keepingCapacity: true)
    spool = try await stores.files.run {
      let spool = try before ?? SpoolFile(in: folder)
      try spool.write(bytes)
      return spool
    }
  }

  /// Returns the photo, named `other` if it has no name. `nil` if nothing was flushed.
  func source(orNamed other: String) throws -> PhotoSource? {
    try spool?.source(name: name.flatMap { $0.isEmpty ? nil : $0 } ?? other)
  }
}
