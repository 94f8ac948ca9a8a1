/// What a database has to offer. Every act of writing and reading is written once, over this.
package protocol RecordsDatabase: Sendable {
  var dialect: any Dialect { get }
  /// Where async functions wait for it.
  var acts: ActQueue { get }

  /// The rows of one command that changes nothing; it sees one moment. Blocks.
  func rows(_ sql: String, _ values: [FieldValue]) throws(StoreError) -> [AnswerRow]

  /// Reads one moment in several commands. Blocks.
  ///
  /// - Parameter beside: whether it doesn't wait while a transaction of writing works; it sees what was
  ///   committed.
  func read<T>(beside: Bool, _ act: (Transaction) throws -> T) throws(StoreError) -> T

  /// Runs one transaction, durable when it returns; a dry run is rolled back. It may run again from its
  /// beginning, unless it was told (`Transaction.isTold`). Whether a commit happened whose answer was
  /// lost is cleared up. Blocks.
  ///
  /// - Parameter alone: whether no other act of writing runs beside it.
  func write<T>(
    dryRun: Bool, alone: Bool, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T

  /// `read` beside what is being recorded, without blocking the caller's thread.
  ///
  /// - Parameter question: tells all acts apart that have other answers, so that equal ones may share
  ///   one; nil for one that is not asked by many.
  /// - Parameter staysCurrent: whether it may be asked again in the transaction that changes its answer.
  func reading<T: Sendable>(
    answering question: (any Hashable & Sendable)?, staysCurrent: Bool,
    _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T
}

extension RecordsDatabase {
  package func rows(_ sql: String) throws(StoreError) -> [AnswerRow] { try rows(sql, []) }

  package func read<T>(_ act: (Transaction) throws -> T) throws(StoreError) -> T {
    try read(beside: false, act)
  }

  package func reading<T: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    try await reading(answering: nil, staysCurrent: false, act)
  }

  /// `write` without blocking the caller's thread. A cancelled task's act runs all the same: the way out
  /// has to be recorded too.
  package func writing<T: Sendable>(
    _ act: @escaping @Sendable (Transaction) throws -> T
  ) async throws(StoreError) -> T {
    try await acts.act { () throws(StoreError) in try write(act) }
  }

  package func write<T>(
    dryRun: Bool = false, _ act: (Transaction) throws -> T
  ) throws(StoreError) -> T {
    try write(dryRun: dryRun, alone: false, act)
  }
}

/// All that databases say differently; everything else of their SQL is one text, in which names of a
/// photo's fields are quoted and `$1` is the first value.
package protocol Dialect: Sendable {
  /// Behind a SELECT: holds its rows, so that no other transaction changes or deletes them.
  var forUpdate: String { get }
  /// The same for many at a time.
  var forShare: String { get }
  /// The same so that only what refers to them stays possible.
  var forKeyShare: String { get }
  /// Holds those rows that no other transaction holds, and leaves out the others.
  var forUpdateOfFree: String { get }
  /// Behind a text: compares it by its bytes.
  var byBytes: String { get }
  /// The table with the column `secret`.
  var secretTable: String { get }
  /// Holds what no row stands for; nothing where transactions of writing never run beside each other.
  func holding(_ lock: Lock) -> [Command]
  /// Holds pictures.
  func holding(_ pictures: Set<BlobPath>) -> Question<HeldPictures>
  /// Columns of a photo that say the numbers of its pictures, blob and preview.
  var pictureColumns: [String] { get }
  /// Gives up what stands for held pictures that no photo refers to.
  func dropping(_ held: HeldPictures) -> [Command]
  /// Those of the pictures that records refer to by their numbers.
  func numbered(_ pictures: Set<BlobPath>) -> Question<Set<BlobPath>>
  /// Whether a value is in a list (`FieldValue.list`), from the operator on.
  func among(_ list: String) -> String
  /// A table of the rows in a list (`FieldValue.list`) of lists of texts.
  func rows(_ list: String, _ columns: [(name: String, type: String)]) -> String
  /// A value that is of a type by no other word: `text`, `bigint`, `double precision`, `bytea`, `boolean`.
  func typed(_ value: String, _ type: String) -> String
  /// How many bits of two numbers differ.
  func differingBits(_ one: String, _ other: String) -> String
  /// Answers a ticket that was never given before.
  var ticket: Command { get }
  /// Whether the process of a column `worker` was seen alive lately.
  func isSeen(_ worker: String) -> String
  /// Tells other processes that a draft's state has changed, once it is committed.
  func telling(_ draft: String) -> [Command]
  /// Lets a transaction wait for as long as a disk takes.
  var waiting: [Command] { get }
  /// Forgets what its own tables need no more, with every sweep.
  var tidying: [Command] { get }
  /// Whether an announcement shows the photo `$1`, where nothing else keeps that photo.
  var isAnnounced: String { get }
  /// Answers which columns refer to photos: table and column.
  var photoReferences: Command { get }
  /// See `Catalog.looks`.
  func looks(
    at files: [(path: [UInt8], identity: FileIdentity)], origin: String, _ t: Transaction
  ) throws -> [SourceLook?]
  /// See `Catalog.knownSizes`; no command where `known` costs no more.
  func knownSizes(among sizes: Set<Int>) -> Question<Set<Int>>
}
