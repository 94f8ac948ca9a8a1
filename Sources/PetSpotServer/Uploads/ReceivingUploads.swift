import Foundation
import PhotoAttachments
import Synchronization

/// Whose uploads are arriving: a photo is `loading` (seed 028) from its first byte, before it's attached.
final class ReceivingUploads: Sendable {
  /// Between two pieces an upload is still arriving for this long.
  private static let pause: TimeInterval = 15

  /// When the last bytes of each owner came.
  private let lasts = Mutex<[String: Date]>([:])

  /// Whether bytes of this owner's are arriving.
  ///
  /// - Parameter status: what is attached. A photo that was saved after the last bytes came here had its
  ///   rest sent to another server.
  func contains(_ owner: String, besides status: PhotoAttachmentStatus) -> Bool {
    guard let last = lasts.withLock({ $0[owner] }), Self.isArriving(last) else { return false }
    if case .confirmed(let photo) = status { return photo.savedAt < last }
    return true
  }

  /// Notes that some have arrived.
  func note(_ owner: String) {
    lasts.withLock { lasts in
      if lasts.count > 1000 { lasts = lasts.filter { Self.isArriving($0.value) } }
      lasts[owner] = .now
    }
  }

  /// Notes that no more will come.
  func end(_ owner: String) { lasts.withLock { $0[owner] = nil } }

  private static func isArriving(_ last: Date) -> Bool {
    // A clock that was set back ends it, too.
    (0..<pause).contains(Date.now.timeIntervalSince(last))
  }
}
