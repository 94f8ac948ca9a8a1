import Foundation
package import PhotoAttachments
import Synchronization

/// The owners whose uploads are arriving. A photo is `loading` (seed 028) from its first byte, before it's attached.
package final class ReceivingUploads: Sendable {
  /// An upload counts as arriving for this many seconds after its last bytes.
  private static let pause: TimeInterval = 15

  /// The time of the last bytes, by owner.
  private let lasts = Mutex<[String: Date]>([:])

  /// Returns `true` if bytes of an owner's photo are arriving.
  ///
  /// - Parameter status: the attached photo. If it was saved after the last bytes arrived here, another server has
  ///   received the rest.
  package func contains(_ owner: String, besides status: PhotoAttachmentStatus) -> Bool {
    guard let last = lasts.withLock({ $0[owner] }), Self.isArriving(last) else { return false }
    if case .confirmed(let photo) = status { return photo.savedAt < last }
    return true
  }

  /// Records that bytes have arrived.
  func recordArrival(_ owner: String) {
    lasts.withLock { lasts in
      if lasts.count > 1000 { lasts = lasts.filter { Self.isArriving($0.value) } }
      lasts[owner] = .now
    }
  }

  /// Records that no more bytes will arrive.
  func end(_ owner: String) { lasts.withLock { $0[owner] = nil } }

  private static func isArriving(_ last: Date) -> Bool {
    // If the clock was set back, the upload doesn't count as arriving either.
    (0..<pause).contains(Date.now.timeIntervalSince(last))
  }
}
