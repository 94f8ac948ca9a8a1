import Announcements
import PhotoAttachments
import PhotoModel

/// The word index for searches, updated with each announcement. The cost of reading it depends on the length of the
/// search and not on the number of announcements.
enum AnnouncementWords {
  /// A search term that matches the beginnings of stored words, in one or more spellings.
  struct Term {
    let spellings: [String]
    /// `true` if the term is a species.
    var isSpecies = false
    /// Spellings that match less surely. Their announcements are listed after the others.
    var others: [String] = []
    /// Spellings that exclude an announcement, because it was listed before.
    var excluded: [String] = []
  }

  /// Replaces the stored words of an announcement.
  static func write(
    of id: String, _ text: String, _ species: String, _ t: Transaction
  ) throws {
    let words = text.split(separator: " ")
      .map { String($0.unicodeScalars.prefix(AnnouncementFilter.maxWordLength)) }
    try t.execute(
      """
      DELETE FROM announcement_word
      WHERE announcement IN (SELECT number FROM announcement WHERE id = $1)
      """, [.text(id)])
    let listed = t.dialect.rows("$2", [("word", "text")])
    try t.execute(
      """
      INSERT INTO announcement_word (word, announcement)
      SELECT word, number FROM announcement, \(listed) AS words WHERE id = $1
      """, [.text(id), .list(Set(words + ["=" + species]).sorted().map { [$0] })])
  }

  /// Returns the terms for the words and species of a filter, or `nil` if a word doesn't occur in the index.
  static func terms(_ filter: AnnouncementFilter, _ t: Transaction) throws -> [Term]? {
    var terms = filter.speciesID.map { [Term(spellings: ["=" + $0], isSpecies: true)] } ?? []
    for word in Set(filter.words) {
      guard let term = try term(for: word, t) else { return nil }
      terms.append(term)
    }
    return terms
  }

  /// Returns the term for a word, or `nil` if it doesn't occur in the index. Only words that aren't names of a species
  /// may be misspelled, and only names that aren't found otherwise.
  private static func term(for word: String, _ t: Transaction) throws -> Term? {
    let sure = SearchVocabulary.sure(word)
    let unsure = SearchVocabulary.unsure(word)
    let names = try indexed([sure, unsure], t)
    if !names.isEmpty {
      let others = names.count == 2 ? [unsure] : []
      return Term(spellings: [names.contains(sure) ? sure : unsure, word], others: others)
    }
    let spellings = AnnouncementFilter.spellings(of: word)
    for spellings in [spellings, spellings.map(SearchVocabulary.sure)] {
      let found = try indexed(spellings, t)
      if found.isEmpty { continue }
      // Drop longer spellings, because everything that "kotek" finds is also found by "kote".
      let shortest = Set(found).filter { spelling in
        !found.contains { $0 != spelling && spelling.hasPrefix($0) }
      }
      return Term(spellings: shortest.sorted())
    }
    return nil
  }

  /// Returns the terms for the announcements that match less surely, or `nil` if there are no such terms.
  static func others(_ terms: [Term]) -> [Term]? {
    if terms.allSatisfy(\.others.isEmpty) { return nil }
    return terms.map { term in
      term.others.isEmpty ? term : Term(spellings: term.others, excluded: term.spellings)
    }
  }

  /// Returns the spellings with which any indexed word begins.
  private static func indexed(_ spellings: [String], _ t: Transaction) throws -> [String] {
    let given = t.dialect.rows("$1", [("given", "text")])
    // If any word begins with a spelling, the first word at or after the spelling does.
    return try t.rows(
      """
      SELECT given FROM \(given) AS spellings WHERE (
        SELECT word FROM announcement_word WHERE word >= given\(t.dialect.byBytes)
        ORDER BY word LIMIT 1) < given || '\(last)'
      """, [.list(spellings.map { [$0] })]
    ).compactMap { $0.text(0) }
  }

  /// Sorts after every continuation of a prefix.
  private static let last = "\u{10FFFF}"

  /// Returns the numbers of the announcements with the rarest term, or `nil` if every term matches more than `most`.
  static func announcements(
    with terms: [Term], most: Int, _ t: Transaction
  ) throws -> Set<Int64>? {
    var rarest: [Int64]?
    for term in terms {
      let parts = term.spellings.indices.map { index in
        """
        SELECT announcement FROM announcement_word
        WHERE word >= $\(2 * index + 2) AND word <= $\(2 * index + 3)
        """
      }
      let ranges = term.spellings.flatMap {
        [FieldValue.text($0), .text(term.isSpecies ? $0 : $0 + last)]
      }
      let limit = rarest?.count ?? most + 1
      let found = try t.rows(
        "SELECT announcement FROM (\(parts.joined(separator: " UNION ALL "))) AS found LIMIT $1",
        [FieldValue(limit)] + ranges, isRepeated: term.spellings.count == 1
      ).compactMap { $0.number(0) }
      if found.count < limit { rarest = found }
    }
    return rarest.map(Set.init)
  }

  /// Returns the SQL condition that an announcement contains all terms. Folded words have only letters, digits
  /// and the prefixes of `SearchVocabulary`, so they contain no `LIKE` wildcards.
  static func condition(
    _ terms: [Term], firstValue: Int
  ) -> (sql: String, values: [FieldValue]) {
    var values: [FieldValue] = []
    func any(_ spellings: [String], isSpecies: Bool) -> String {
      let alternatives = spellings.map { spelling in
        values.append(.text(isSpecies ? String(spelling.dropFirst()) : "% \(spelling)%"))
        let value = "$\(firstValue + values.count - 1)"
        return isSpecies ? "species = \(value)" : "search LIKE \(value)"
      }
      return "(\(alternatives.joined(separator: " OR ")))"
    }
    let conditions = terms.map { term in
      any(term.spellings, isSpecies: term.isSpecies)
        + (term.excluded.isEmpty ? "" : " AND NOT " + any(term.excluded, isSpecies: false))
    }
    return (conditions.joined(separator: " AND "), values)
  }
}
