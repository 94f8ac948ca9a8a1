import Synchronization

/// A flag that requests work to stop.
package final class StopFlag: Sendable {
  private let value = Atomic(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .acquiring) }

  /// Sets the flag. It cannot be cleared.
  package func set() { value.store(true, ordering: .releasing) }
}
