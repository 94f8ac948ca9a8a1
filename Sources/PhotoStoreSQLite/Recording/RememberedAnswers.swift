/// What readers were told last, to be told again while a transaction of ours is under way: SQLite lets
/// nobody read while it commits one, which takes as long as the disk does, and what it changes is nobody's
/// before it is done. Nobody is told what was no longer so when he asked.
struct RememberedAnswers {
  /// What tells questions apart.
  struct Question: Hashable, Sendable {
    let value: any Hashable & Sendable

    static func == (one: Self, other: Self) -> Bool {
      AnyHashable(one.value) == AnyHashable(other.value)
    }

    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
  }

  /// A question, and how often answers were forgotten before it was asked.
  struct Asked: Sendable {
    fileprivate var question: Question
    fileprivate var changes: Int
  }

  private var isUnderWay = false
  /// SQLite's number of what other connections committed, as the last transaction of ours began.
  private var version: Int64?
  private var changes = 0
  private var answers: [Question: any Sendable] = [:]
  private static let most = 16

  /// A transaction of ours has begun: from now on nobody else commits.
  mutating func begin(version: Int64?) {
    if version == nil || version != self.version { forget() }
    (self.version, isUnderWay) = (version, true)
  }

  /// It has ended, and nobody has been told so.
  mutating func end() {
    forget()
    isUnderWay = false
  }

  func ask(_ question: Question) -> (answer: (any Sendable)?, asked: Asked) {
    (isUnderWay ? answers[question] : nil, Asked(question: question, changes: changes))
  }

  mutating func keep(_ answer: any Sendable, to asked: Asked) {
    guard asked.changes == changes else { return }
    // This one may have seen the end of the transaction that is under way to us; the others have not.
    if isUnderWay || answers.count >= Self.most { answers = [:] }
    answers[asked.question] = answer
  }

  private mutating func forget() {
    answers = [:]
    changes += 1
  }
}
