import Foundation
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// A wrapper of a real database whose transactions fail on demand. It can also break a rule, by changing commands or by
/// running operations wrongly.
package final class FaultyDatabase: RecordsStore, RecordsDatabase {
  private let store: any RecordsStore
  private let faults: Faults
  private let fault: DatabaseFault?
  private let stumbling: @Sendable () -> Stumble
  private let isClosed = Mutex(false)

  /// The point at which a write fails.
  package enum Stumble: Sendable { case nowhere, before, afterCommit }

  /// - Parameter stumbling: returns the point at which the next write fails.
  package init(
    _ store: any RecordsStore, _ faults: Faults = Faults(), breaking fault: DatabaseFault? = nil,
    stumbling: @escaping @Sendable () -> Stumble = { .nowhere }
  ) {
    (self.store, self.faults, self.fault, self.stumbling) = (store, faults, fault, stumbling)
  }

  private func drives(_ driving: DatabaseFault.Driving) -> Bool { fault?.driving == driving }

  // MARK: - RecordsDatabase

  package var dialect: Dialect { store.database.dialect }
  package var threads: WorkerPool { store.database.threads }

  package func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow] {
    guard fault?.edits.isEmpty == false else { return try store.database.rows(sql, values) }
    return try read(beside: false) { try $0.rows(sql, values) }
  }

  package func read<T>(
    beside: Bool, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try enter()
    return try store.database.read(beside: beside) { try act(edited($0)) }
  }

  package func reading<T: Sendable>(
    _ kind: ReadingKind, _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    try await store.database.reading(kind) { [self] in try act(edited($0)) }
  }

  package func write<T>(
    dryRun: Bool, alone: Bool, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try enter()
    if !drives(.failsAfterTheAct) { try faults.pass("write") }
    let stumble = stumbling()
    if stumble == .before { throw .serviceFailed(service: "test", detail: "stumbled") }
    let value = try written(dryRun: dryRun && !drives(.keepsDryRuns), alone: alone, act)
    if drives(.failsAfterTheAct) { try faults.pass("write") }
    if stumble == .afterCommit { throw .serviceFailed(service: "test", detail: "stumbled") }
    return value
  }

  private func written<T>(
    dryRun: Bool, alone: Bool, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    switch fault?.driving {
    case .runsTwice where !dryRun:
      _ = try? store.database.write(dryRun: true, alone: alone) { try act(edited($0)) }
    case .looksThenWrites where !dryRun: return try unheld(alone: alone, act)
    case .recordsHalves:
      let result = try store.database.write(dryRun: dryRun, alone: alone) { t in
        Result { try act(edited(t)) }
      }
      do { return try result.get() } catch let error as StoreError { throw error } catch {
        throw .serviceFailed(service: "test", detail: "\(error)")
      }
    default: break
    }
    var late: [@Sendable () -> Void] = []
    let value = try store.database.write(dryRun: dryRun, alone: alone) { t in
      let value = try act(edited(t))
      switch fault?.driving {
      case .tellsTwice: t.commitActions += t.commitActions
      case .tellsUnordered: (late, t.commitActions) = (t.commitActions, [])
      default: break
      }
      return value
    }
    if !late.isEmpty { usleep(.random(in: 0...2000)) }
    for happen in late { happen() }
    return value
  }

  /// Runs an operation in two transactions: one to read and decide, and another to write.
  private func unheld<T>(
    alone: Bool, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    var (commands, news) = ([Command](), [@Sendable () -> Void]())
    let value = try store.database.write(dryRun: true, alone: alone) { t in
      let log = EditingCommandSender(t.sender, [])
      t.sender = log
      let value = try act(t)
      if !t.rollsBack { (commands, news) = (log.commands.withLock { $0 }, t.commitActions) }
      return value
    }
    try store.database.write(dryRun: false, alone: alone) { t in
      _ = try t.sender.send(commands)
      for happen in news { t.afterCommit(happen) }
    }
    return value
  }

  private func edited(_ t: Transaction) -> Transaction {
    if let fault, !fault.edits.isEmpty {
      t.sender = EditingCommandSender(t.sender, fault.edits, fault.found)
    }
    return t
  }

  // MARK: - RecordsStore

  package var database: any RecordsDatabase { self }
  package var workers: any WorkerRegistry {
    drives(.restoresTheLiving) ? DeadWorkers(store.workers) : store.workers
  }
  package var watchers: AttachmentWatchers { store.watchers }
  package var place: String { store.place }
  package var origins: (files: String, objects: String) { store.origins }

  package func watch(
    draft: String, _ receive: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    let isFirst = Mutex(true)
    switch fault?.driving {
    case .tellsNothingFirst:
      return store.watch(draft: draft) { record in
        isFirst.withLock { first in
          defer { first = false }
          return first
        } || receive(record)
      }
    case .hearsForEver:
      return store.watch(draft: draft) { record in
        _ = receive(record)
        return true
      }
    case .tellsOnlyItsOwn:
      let id = UUID()
      store.watchers.add(id, draft: draft, current: nil, receive)
      return { [watchers] in watchers.remove(id, draft: draft) }
    default: return store.watch(draft: draft, receive)
    }
  }

  package func giveBackSpace() throws(StoreError) { try store.giveBackSpace() }
  package func checkIntegrity() throws(StoreError) { try store.checkIntegrity() }
  package func releaseMemory() { store.releaseMemory() }

  package func close() throws(StoreError) {
    switch fault?.driving {
    case .worksClosed: break
    case .closesOverCalls: isClosed.withLock { $0 = true }
    default: try store.close()
    }
  }

  private func enter() throws(StoreError) {
    if isClosed.withLock({ $0 }) { throw .database(.closed, detail: "") }
  }
}

/// A registry in which every process counts as dead, even this one.
private struct DeadWorkers: WorkerRegistry {
  let workers: any WorkerRegistry
  init(_ workers: any WorkerRegistry) { self.workers = workers }
  var place: String { workers.place }
  func start() throws(StoreError) { try workers.start() }
  func worker() throws(StoreError) -> String { try workers.worker() }
  func isThisProcess(_: String) -> Bool { false }
  func isAlive(_: String, isSeen _: Bool) -> Bool { false }
}

/// Changes commands before they are sent.
private final class EditingCommandSender: CommandSender {
  private let sender: any CommandSender
  private let edits: [DatabaseFault.Edit]
  private let found: DatabaseFault.Found?
  /// The original commands so far.
  let commands = Mutex<[Command]>([])

  init(
    _ sender: any CommandSender, _ edits: [DatabaseFault.Edit], _ found: DatabaseFault.Found? = nil
  ) {
    (self.sender, self.edits, self.found) = (sender, edits, found)
  }

  func send(_ commands: [Command]) throws -> [CommandResult] {
    self.commands.withLock { $0 += commands }
    var commands = commands
    for edit in edits {
      for index in commands.indices where commands[index].sql.contains(edit.text) {
        found?.note(edit)
        let command = commands[index]
        commands[index] = Command(
          command.sql.replacing(edit.text, with: edit.becomes), edit.values(command),
          isRepeated: command.isRepeated)
      }
    }
    return try sender.send(commands)
  }

  func mapped(_ error: any Error) -> StoreError { sender.mapped(error) }
}

extension StorePlace {
  /// Returns this place with a database whose transactions fail on demand.
  ///
  /// - Parameter fault: the rule that the database breaks.
  package func failing(breaking fault: DatabaseFault) -> StorePlace { failing(Faults(), fault) }

  /// Returns this place with a database whose writes fail on demand, and which keeps every rule.
  package func failingWrites() -> StorePlace { failing(Faults(), nil) }

  private func failing(_ faults: Faults, _ fault: DatabaseFault?) -> StorePlace {
    let open = open
    return StorePlace(
      open: {
        let stores = try open()
        let store = FaultyDatabase(stores.catalog.store, faults, breaking: fault)
        return Stores(catalog: Catalog(store), storage: stores.storage)
      },
      staged: staged, loseRecord: loseRecord, damage: damage,
      breakdowns: [
        Breakdown("a transaction fails", calls: Breakdown.catalogCalls) { _ in
          faults.fail(next: "write")
        } end: {
          faults.mend()
        }
      ] + breakdowns)
  }
}
