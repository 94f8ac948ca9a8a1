import GRDB
package import PhotoAttachments
import PhotoIngestion
import Synchronization

/// The database file as acts use it.
struct SQLiteDatabase: RecordsDatabase {
  let catalog: SQLiteCatalog
  var dialect: Dialect { .sqlite }
  var acts: WorkerPool { catalog.acts }

  func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [ResultRow] {
    try read(beside: false) { try $0.rows(sql, values) }
  }

  func read<T>(beside: Bool, _ act: (Transaction) throws -> T) throws(StoreError) -> T {
    let work: (Database) throws -> T = { try act(Transaction(SQLiteCommandSender($0), .sqlite)) }
    return beside ? try catalog.readBeside(blocking: work) : try catalog.read(work)
  }

  /// Nobody else writes meanwhile, so every act is alone.
  func write<T>(
    dryRun: Bool, alone _: Bool, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try catalog.write(dryRun: dryRun) { try catalog.run(act, $0) }
  }

  func reading<T: Sendable>(
    _ kind: ReadingKind, _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    let work: @Sendable (Database) throws -> T = {
      try act(Transaction(SQLiteCommandSender($0), .sqlite))
    }
    return switch kind {
    case .lookUp: try await catalog.readBeside(on: .lookUps, work)
    case .search: try await catalog.readBeside(on: .searches, work)
    case .health: try await catalog.readBeside(on: .health, work)
    case .shared(let question, let staysCurrent):
      try await catalog.readBeside(answering: question, staysCurrent: staysCurrent, work)
    }
  }
}

extension SQLiteCatalog {
  package var database: any RecordsDatabase { SQLiteDatabase(catalog: self) }

  func run<T>(_ act: (Transaction) throws -> T, _ db: Database) throws -> T {
    let t = Transaction(SQLiteCommandSender(db), .sqlite)
    let value = try act(t)
    if t.hasFailed { throw StoreError.fault(.transaction) }
    for happen in t.commitActions { whenCommitted(happen) }
    rollsBack.store(t.rollsBack, ordering: .relaxed)
    return value
  }
}
