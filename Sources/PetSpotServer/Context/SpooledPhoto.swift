import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// A photo on its way to the disk.
struct SpooledPhoto: Sendable {
  /// The number of bytes that are written at once.
  static let pieceBytes = 128 << 10

  /// The file's name; nil for a part without one.
  let name: String?
  /// The most bytes it may have.
  let limit: Int
  private var count = 0
  private var pending: [UInt8] = []
  private var spool: SpoolFile?

  init(name: String?, limit: Int) { (self.name, self.limit) = (name, limit) }

  mutating func add(_ bytes: some Collection<UInt8>) throws(PhotoError) {
    count += bytes.count
    guard count <= limit else { throw .tooLarge(.fileBytes, actual: count, limit: limit) }
    pending.append(contentsOf: bytes)
  }

  /// Writes what came, as soon as it's a large piece or the last.
  mutating func flush(to site: Site, atEnd: Bool = false) async throws {
    guard atEnd || pending.count >= Self.pieceBytes else { return }
    let (bytes, before, folder) = (pending, spool, site.photos.folder)
    pending.removeAll(keepingCapacity: true)
    spool = try await site.files.run {
      let spool = try before ?? SpoolFile(in: folder)
      try spool.write(bytes)
      return spool
    }
  }

  /// The photo; nil before it was flushed.
  ///
  /// - Parameter other: its name if it has none.
  func source(orNamed other: String) throws -> PhotoSource? {
    try spool?.source(name: name.flatMap { $0.isEmpty ? nil : $0 } ?? other)
  }
}
