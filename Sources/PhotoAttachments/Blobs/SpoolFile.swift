import Glibc
package import PhotoIngestion

/// A nameless file in the cache's `incoming` folder that holds the bytes of one upload. It disappears once this object
/// and all sources made from it are released, when the process ends, or on power loss.
///
/// Calls block.
///
/// `@unchecked` because one request owns it and uses it from one thread at a time.
package final class SpoolFile: @unchecked Sendable {
  private let descriptor: Int32
  /// The number of bytes written.
  package private(set) var count = 0

  /// Opens a new file.
  ///
  /// - Throws: `StoreError.storageFull`, `.storage`, `.photo(.shortage)`.
  package init(in folder: CacheFolder) throws {
    descriptor = try SystemCalls.openNameless(in: folder.incoming)
  }

  deinit { Glibc.close(descriptor) }

  package func write(_ bytes: [UInt8]) throws {
    try SystemCalls.write(bytes, to: descriptor, path: "incoming")
    count += bytes.count
  }

  /// Returns the file as the source of a photo. An empty name means that it has none. Readable as long as the source
  /// lives.
  package func source(name: String) throws(PhotoError) -> PhotoSource {
    .open(try PhotoFile(reopening: descriptor), name: name)
  }
}
