import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization
import ReportFlow

/// Photos whose sizes are made after their import (`--sizes`).
final class SizeQueue: Sendable {
  private let isWanted: Bool
  private let photos = Mutex<[UUID]>([])

  init(isWanted: Bool) { self.isWanted = isWanted }

  func enqueue(_ file: ImportedFile) {
    guard isWanted, case .imported(let photo) = file.outcome else { return }
    photos.withLock { $0.append(photo.id) }
  }

  /// Makes them, several photos at once, until the task is cancelled. What fails is reported, and made when it
  /// is asked for.
  func make(in cache: PhotoAttachmentCache, by pipeline: PhotoPipeline, atOnce count: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<max(1, count) {
        group.addTask { [self] in
          while !Task.isCancelled, let id = photos.withLock({ $0.popLast() }) {
            do {
              guard let photo = try await cache.photo(id: id) else { continue }
              _ = try await cache.pool.run {
                try cache.makeSizes(
                  SizeForm.all(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight),
                  of: photo, by: pipeline)
              }
            } catch {
              Output.note(text: "command.sizesNotMade", ["id": id.uuidString])
            }
          }
        }
      }
    }
  }
}
