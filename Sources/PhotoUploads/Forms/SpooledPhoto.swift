import ImageContainers
package import PhotoAttachments
package import PhotoIngestion
package import PhotoModel

/// The place where arriving photos are written, and the threads that write them.
package struct PhotoSpool: Sendable {
  let folder: CacheFolder
  let files: WorkerPool

  package init(_ folder: CacheFolder, on files: WorkerPool) {
    self.folder = folder
    self.files = files
  }
}

/// A photo that is being written to disk while it arrives.
package struct SpooledPhoto: Sendable {
  /// The number of bytes that are written at once.
  static let pieceBytes = 128 << 10

  /// The file's name. `nil` if the part has none.
  let name: String?
  /// The most bytes that the photo may have.
  let limit: Int
  private var count = 0
  private var pending: [UInt8] = []
  private var spool: SpoolFile?

  package init(name: String?, limit: Int) {
    self.name = name
    self.limit = limit
  }

  /// Keeps bytes in memory until the next `flush`. Throws if the photo exceeds its limit.
  package mutating func add(_ bytes: some Collection<UInt8>) throws(PhotoError) {
    count += bytes.count
    guard count <= limit else { throw .tooLarge(.fileBytes, actual: count, limit: limit) }
    pending.append(contentsOf: bytes)
  }

  /// Writes the pending bytes if they make a large piece or are the last.
  package mutating func flush(to place: PhotoSpool, atEnd: Bool = false) async throws {
    guard atEnd || pending.count >= Self.pieceBytes else { return }
    let bytes = pending
    let before = spool
    pending.removeAll(keepingCapacity: true)
    spool = try await place.files.run {
      let spool = try before ?? SpoolFile(in: place.folder)
      try spool.write(bytes)
      return spool
    }
  }

  /// Returns the photo, named `other` if it has no name. `nil` if nothing was flushed.
  package func source(orNamed other: String) throws -> PhotoSource? {
    try spool?.source(name: name.flatMap { $0.isEmpty ? nil : $0 } ?? other)
  }
}
