import PhotoAttachments

/// Marks of what was erased or forgotten (decision 44).
enum ErasureRows {
  /// Holds the marks until the transaction ends, before anything is erased: a move that records what has
  /// no mark yet (`holdShared`) waits for it, and the other way round.
  static func hold(_ t: PostgresTransaction) throws {
    try t.rows("SELECT pg_advisory_xact_lock(1346720848, 2)")
  }

  static func holdShared(_ t: PostgresTransaction) throws {
    try t.rows("SELECT pg_advisory_xact_lock_shared(1346720848, 2)")
  }

  static func insert(_ marks: [String], _ t: PostgresTransaction) throws {
    try t.run(
      "INSERT INTO erasure (mark) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", [.list(marks)])
  }

  /// Those of the marks that are on record.
  static func among(_ marks: some Sequence<String>) -> PostgresQuestion<Set<String>> {
    PostgresQuestion(
      "SELECT mark FROM erasure WHERE mark = ANY($1)", [.list(Set(marks).sorted())]
    ) { answer in Set(answer.rows.compactMap { $0.text(0) }) }
  }

  /// SQL for the mark of `ErasureMark` of a kind whose identity is the text `column`.
  static func mark(_ kind: String, _ column: String) -> String {
    """
    encode(sha256(convert_to('petspot \(kind) ' || \(column), 'UTF8') || '\\x00'::bytea), 'hex')
    """
  }
}
