import Glibc
package import PhotoIngestion

/// A file without a name in the cache's `incoming` folder, for the bytes of one upload. It is gone
/// with this object and the sources made of it, with this process, and with the power.
///
/// Calls block.
///
/// `@unchecked` because one request owns it and asks it for one thing after the other, on whichever thread.
package final class SpoolFile: @unchecked Sendable {
  private let descriptor: Int32
  /// Bytes that were written.
  package private(set) var count = 0

  /// Opens a new one.
  ///
  /// - Throws: `StoreError.storageFull`, `.storage`, `.photo(.shortage)`.
  package init(in folder: CacheFolder) throws {
    descriptor = try SystemCalls.openNameless(in: folder.incoming)
  }

  deinit { Glibc.close(descriptor) }

  /// Adds bytes at the end.
  package func write(_ bytes: [UInt8]) throws {
    try SystemCalls.write(bytes, to: descriptor, path: "incoming")
    count += bytes.count
  }

  /// It as the source of a photo, an empty name for none, readable while the source lives.
  package func source(name: String) throws(PhotoError) -> PhotoSource {
    .open(try PhotoFile(reopening: descriptor), name: name)
  }
}
