import Synchronization

/// Whether work was asked to end.
package final class StopFlag: Sendable {
  private let value = Atomic(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .acquiring) }

  /// Asks for good.
  package func set() { value.store(true, ordering: .releasing) }
}
