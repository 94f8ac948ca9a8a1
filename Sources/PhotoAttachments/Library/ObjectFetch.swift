import Glibc
import PhotoIngestion

/// An object of a store, brought here as a file that has no name and is gone with its descriptor.
struct ObjectFetch: Sendable {
  let key: String
  let source: any ObjectSource

  /// Of larger objects the beginning is looked at first: a film is not fetched to find out that it is one.
  private static let small = 4 << 20

  /// Brings an object to the spool, whole when it may be a photo, else its beginning.
  ///
  /// - Parameters:
  ///   - file: as it was listed; another one by now is refused.
  ///   - folder: the spool.
  ///   - limit: bytes of the largest file that is taken.
  /// - Throws: errors of the store and of the spool, which are no photo's fault.
  func open(
    _ file: FoundFile, in folder: CacheFolder, limit: Int
  ) throws(StoreError) -> Result<OpenFile, PhotoError> {
    let size = file.identity.size
    var answer = try source.read(key, first: size > Self.small ? DecodeForecast.window : nil)
    if size > Self.small, size <= limit, let head = answer?.bytes,
      DecodeForecast(head: head, fileSize: size).isPhoto
    {
      answer = try source.read(key, first: nil)
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
