import Synchronization

/// Whose uploads are arriving: a photo is `loading` (seed 028) from its first byte, before it's attached.
final class ReceivingUploads: Sendable {
  /// Between two pieces an upload is still arriving for this long.
  private static let pause = Duration.seconds(5)

  private let ends = Mutex<[String: ContinuousClock.Instant]>([:])

  /// Whether bytes of this owner's are arriving.
  func contains(_ owner: String) -> Bool {
    ends.withLock { $0[owner].map { $0 > .now } ?? false }
  }

  /// Notes that some have arrived.
  func note(_ owner: String) {
    let now = ContinuousClock.now
    ends.withLock { ends in
      if ends.count > 1000 { ends = ends.filter { $0.value > now } }
      ends[owner] = now + Self.pause
    }
  }

  /// Notes that no more will come.
  func end(_ owner: String) { ends.withLock { $0[owner] = nil } }
}
