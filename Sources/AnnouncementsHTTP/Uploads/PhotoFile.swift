import Announcements
import Foundation

/// A photo's blob, read piece by piece on a queue of its own. Threads of Swift's pool must not block.
struct PhotoFile: Sendable {
  private static let queue = DispatchQueue(label: "petspot.sent-photos")

  let photo: AnnouncementPhoto
  /// The size in bytes.
  let count: Int

  /// Opens the blob. Throws `AnnouncementError.missingPhoto` if it isn't on this machine.
  init(_ photo: AnnouncementPhoto) async throws {
    self.photo = photo
    let path = photo.file.path
    guard photo.file.isFileURL,
      let size = try? await Self.runBlocking({
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      })
    else { throw AnnouncementError.missingPhoto }
    count = size.intValue
  }

  /// Returns at most `most` bytes from `offset`, fewer at the end.
  func bytes(from offset: Int, most: Int) async throws -> Data {
    let file = photo.file
    do {
      return try await Self.runBlocking {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        return try handle.read(upToCount: most) ?? Data()
      }
    } catch {
      throw AnnouncementError.missingPhoto
    }
  }

  /// A file name that reveals only the format.
  var name: String { "photo." + (Self.endings[photo.uti] ?? "bin") }

  private static let endings = [
    "public.jpeg": "jpg", "public.png": "png", "com.compuserve.gif": "gif",
    "org.webmproject.webp": "webp", "public.heic": "heic",
  ]

  private static func runBlocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}
