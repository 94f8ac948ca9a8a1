import GRDB
import Synchronization

/// Spares queries that many callers make at once, and never serves a stale answer: a caller gets what was so when it
/// asked, or later.
///
/// * A caller that asks what another one waits to read already gets the same, unless that read has begun.
/// * The last answer is given again while a transaction of this process is under way. SQLite allows no read
///   while it commits one, which takes as long as the disk does; what it changes can't be seen before it is
///   done, and no other process can commit meanwhile. It is forgotten once a transaction has changed `table`: one that
///   records photos leaves it as true as it was.
/// * What costs little is not forgotten then but read again by the transaction that changes it: the next
///   client to ask finds it, and waits for no disk.
struct QueryCache {
  /// The table that answers are read from, and nothing else.
  static let table = "announcement"

  /// What queries differ by.
  struct Key: Hashable, Sendable {
    let value: any Hashable & Sendable

    static func == (one: Self, other: Self) -> Bool {
      AnyHashable(one.value) == AnyHashable(other.value)
    }

    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
  }

  /// A read of a key, and how often answers were forgotten before it was asked.
  struct Read: Sendable {
    let key: Key
    fileprivate let changes: Int
  }

  /// How a caller comes to an answer.
  enum Lookup {
    /// This is one.
    case known(any Sendable)
    /// By reading it, and saying so: `begin(reading:)`.
    case reads(Read)
    /// By `join`.
    case joins
  }

  /// An answer, and how to read it again; nil where that would keep a transaction too long.
  struct Entry: Sendable {
    var value: any Sendable
    var reading: (@Sendable (Database) throws -> any Sendable)?
    /// Transactions that have read it again since it was last asked for.
    var unasked = 0
  }

  /// Gets an answer, or nil when there is none.
  typealias Receiver = @Sendable ((any Sendable)?) -> Void

  private var isUnderWay = false
  /// SQLite's number of what other connections committed, as the last transaction of this process began.
  private var version: Int64?
  private var changes = 0
  private var answers: [Key: Entry] = [:]
  private static let maxCount = 16
  /// How many answers one transaction reads again.
  private static let maxReadAgain = 4
  /// How many transactions read an answer again that no client asks for.
  private static let maxUnasked = 16
  /// Callers that wait for reads that have not begun, beside those that read.
  private var receivers: [Key: [Receiver]] = [:]

  /// A transaction of this process has begun: from now on no other process commits.
  mutating func begin(version: Int64?) {
    if version == nil || version != self.version { forget() }
    (self.version, isUnderWay) = (version, true)
  }

  /// It has ended, and no caller knows yet.
  ///
  /// - Parameters:
  ///   - hasChanged: whether it may have changed `table`.
  ///   - again: what it read of `worthReading` behind its last change; nothing unless it's committed.
  mutating func end(hasChanged: Bool, again: [Key: Entry] = [:]) {
    if hasChanged {
      forget()
      answers = again
    }
    isUnderWay = false
  }

  /// The answers that a transaction which has changed `table` reads again before it is committed.
  var worthReading: [Key: Entry] {
    let wanted = answers.filter { $1.reading != nil && $1.unasked < Self.maxUnasked }
      .sorted { $0.value.unasked < $1.value.unasked }.prefix(Self.maxReadAgain)
    return Dictionary(uniqueKeysWithValues: wanted.map { ($0.key, $0.value.unaskedOnceMore) })
  }

  /// The answer to a key without reading the file.
  mutating func answer(to key: Key) -> (any Sendable)? {
    guard isUnderWay else { return nil }
    answers[key]?.unasked = 0
    return answers[key]?.value
  }

  mutating func ask(_ key: Key) -> Lookup {
    if let answer = answer(to: key) { return .known(answer) }
    if receivers[key] != nil { return .joins }
    receivers[key] = []
    return .reads(Read(key: key, changes: changes))
  }

  /// - Returns: false when that read has begun: ask once more.
  mutating func join(_ key: Key, _ receiver: @escaping Receiver) -> Bool {
    receivers[key]?.append(receiver) != nil
  }

  /// Nothing was read yet, and now it is; or nothing will be.
  ///
  /// - Returns: those that wait for the answer.
  mutating func begin(reading asked: Read) -> [Receiver] {
    receivers.removeValue(forKey: asked.key) ?? []
  }

  mutating func keep(_ answer: Entry, to asked: Read) {
    guard asked.changes == changes else { return }
    // This one may have seen the end of the transaction that is under way; the others have not.
    if isUnderWay || answers.count >= Self.maxCount { answers = [:] }
    answers[asked.key] = answer
  }

  private mutating func forget() {
    answers = [:]
    changes += 1
  }
}

extension QueryCache.Entry {
  fileprivate var unaskedOnceMore: Self {
    var copy = self
    copy.unasked += 1
    return copy
  }
}

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
