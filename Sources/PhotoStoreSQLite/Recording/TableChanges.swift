import GRDB
import Synchronization

/// Whether one connection changed a table, be it by a trigger. What is rolled back counts too: a commit can
/// be done although SQLite says that it failed.
final class TableChanges: TransactionObserver, Sendable {
  private let table: String
  private let areThere = Atomic(false)

  init(of table: String) { self.table = table }

  /// Whether any happened since `haveHappened` was asked last.
  var areSeen: Bool { areThere.load(ordering: .relaxed) }

  /// Whether any happened since this was asked last.
  func haveHappened() -> Bool { areThere.exchange(false, ordering: .relaxed) }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == table }

  func databaseDidChange(with event: DatabaseEvent) {
    areThere.store(true, ordering: .relaxed)
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_: Database) {}
  func databaseDidRollback(_: Database) {}
}
