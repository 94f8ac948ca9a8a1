import Foundation
import PhotoModel
import Testing

/// The code of PhotoModel's front page, which `HouseTests` compares.
@Suite("PhotoModel's front page runs")
struct PhotoModelExamples {
  @Test("A status that an app kept")
  func status() throws {
    let kept = try JSONEncoder().encode(PhotoAttachmentStatus.loading)
    switch try JSONDecoder().decode(PhotoAttachmentStatus.self, from: kept) {
    case .empty: print("no photo")
    case .loading: print("working on it")
    case .confirmed(let photo): print(photo.fileName, photo.uti)
    }
  }
}
