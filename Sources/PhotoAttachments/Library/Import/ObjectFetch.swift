import Glibc
import PhotoIngestion

/// Downloads an object of a store into a file without a name, which disappears with its descriptor.
struct ObjectFetch: Sendable {
  let key: String
  let source: any ObjectSource

  /// The size in bytes above which only the beginning is read first, so that a video isn't downloaded just to be
  /// refused.
  private static let small = 4 << 20

  /// Downloads an object into a spool file: all of it if it may be a photo, or else its beginning.
  ///
  /// - Parameters:
  ///   - file: the listed object. If it has changed since, it is refused.
  ///   - folder: the cache folder in which the file is created.
  ///   - limit: the size in bytes of the largest file that is imported.
  /// - Throws: errors of the store and of the spool file. Errors of the photo are part of the result.
  func open(
    _ file: FoundFile, in folder: CacheFolder, limit: Int
  ) throws(StoreError) -> Result<OpenFile, PhotoError> {
    let size = file.identity.size
    var answer = try source.readObject(key, first: size > Self.small ? DecodeForecast.window : nil)
    if size > Self.small, size <= limit, let head = answer?.bytes,
      DecodeForecast(head: head, fileSize: size).isPhoto
    {
      answer = try source.readObject(key, first: nil)
    }
    guard let answer else { return .failure(.unreadable(.system(errno: ENOENT))) }
    guard answer.object.identity == file.identity else { return .failure(.unreadable(.changed)) }
    return .success(OpenFile(fetched: try Self.spool(answer.bytes, in: folder)))
  }

  private static func spool(
    _ bytes: [UInt8], in folder: CacheFolder
  ) throws(StoreError) -> Int32 {
    let descriptor = try SystemCalls.openNameless(in: folder.incoming)
    do throws(StoreError) {
      try SystemCalls.write(bytes, to: descriptor, path: folder.incoming)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }
}
