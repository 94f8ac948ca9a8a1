/// Marks of erased or forgotten photos (decision 44), as rows of `erasure`.
package enum Erasures {
  package static func insert(_ marks: some Collection<String>, _ t: Transaction) throws {
    for some in PhotoRows.groups(Array(marks), of: 500) {
      let places = some.indices.map { "($\($0 + 1))" }.joined(separator: ", ")
      try t.execute(
        "INSERT INTO erasure (mark) VALUES \(places) ON CONFLICT (mark) DO NOTHING",
        some.map(FieldValue.text), isRepeated: some.count < 3)
    }
  }

  /// Returns those of the marks that are on record.
  package static func among(
    _ marks: some Sequence<String>, _ dialect: Dialect
  ) -> Query<Set<String>> {
    Query(
      "SELECT mark FROM erasure WHERE mark \(dialect.among("$1"))", [.list(Set(marks).sorted())]
    ) { answer in Set(answer.rows.compactMap { $0.text(0) }) }
  }
}
