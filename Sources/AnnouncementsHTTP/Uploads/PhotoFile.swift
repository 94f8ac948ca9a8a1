import Announcements
import Foundation

/// A photo's blob, read piece by piece and never on Swift's own threads.
struct PhotoFile: Sendable {
  private static let queue = DispatchQueue(label: "petspot.sent-photos")

  let photo: AnnouncementPhoto
  /// Bytes.
  let count: Int

  /// Throws `AnnouncementError.missingPhoto` when the blob is not on this machine.
  init(_ photo: AnnouncementPhoto) async throws {
    self.photo = photo
    let path = photo.file.path
    guard photo.file.isFileURL,
      let size = try? await Self.run({
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      })
    else { throw AnnouncementError.missingPhoto }
    count = size.intValue
  }

  /// At most `most` bytes from `offset` on, fewer at the end.
  func bytes(from offset: Int, most: Int) async throws -> Data {
    let file = photo.file
    do {
      return try await Self.run {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        return try handle.read(upToCount: most) ?? Data()
      }
    } catch {
      throw AnnouncementError.missingPhoto
    }
  }

  /// A name that says the format and nothing else.
  var name: String { "photo." + (Self.endings[photo.uti] ?? "bin") }

  private static let endings = [
    "public.jpeg": "jpg", "public.png": "png", "com.compuserve.gif": "gif",
    "org.webmproject.webp": "webp", "public.heic": "heic",
  ]

  private static func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}
