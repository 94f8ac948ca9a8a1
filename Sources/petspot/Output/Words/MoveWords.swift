import ReportFlow

extension MoveSummary {
  /// The last line of `move --json`.
  var json: JSON {
    [
      "event": "summary", "done": .bool(isDone), "moved": .int(moved),
      "alreadyThere": .int(alreadyThere), "missing": .int(missing), "unreadable": .int(unreadable),
      "damaged": .int(damaged),
      "pictures": .int(pictures), "bytes": .int(bytes), "entries": .int(entries),
      "entriesAlreadyThere": .int(entriesThere), "entriesLeftOut": .int(leftOut),
      "entriesDiffering": .int(differing), "erased": .int(erased),
    ]
  }

  /// The counts as text.
  var counts: String {
    let totals = [
      L10n.words(
        "move.photos", count: moved,
        ["size": Amounts.size(bytes), "there": Amounts.number(alreadyThere)]),
      L10n.words("move.entries", count: entries, ["there": Amounts.number(entriesThere)]),
    ]
    let others = Self.words([
      (differing, "move.count.differing"), (erased, "move.count.erased"),
    ])
    return (totals + problemCounts + others).joined(separator: ", ")
  }

  /// Texts with the counts of photos and entries that were not moved.
  var problemCounts: [String] {
    Self.words([
      (missing, "move.count.missing"), (unreadable, "move.count.unreadable"),
      (damaged, "move.count.damaged"), (leftOut, "move.count.leftOut"),
    ])
  }

  /// Returns texts for the counts that are not zero.
  static func words(_ counts: [(count: Int, key: TextKey)]) -> [String] {
    counts.filter { $0.count > 0 }.map { L10n.words($0.key, count: $0.count) }
  }

  /// Advice for a move that isn't done.
  var advice: String {
    L10n.words(
      isStopped
        ? "move.advice.again"
        : problems > 0
          ? "move.advice.repairSource"
          : leftOut > 0 ? "move.advice.addedMeanwhile" : "move.advice.otherState")
  }
}

extension DifferingEntry {
  /// A line of `move --json` about the entry, which is a record other than a photo.
  var json: JSON {
    [
      "event": "entry", "kind": .string(kind?.rawValue ?? "secret"), "key": .string(name),
      "fields": .strings(fields),
    ]
  }

  /// A line about the entry as text.
  var line: String {
    guard let kind else { return L10n.words("move.differingSecret") }
    if fields == ["forgotten"] { return L10n.words("move.onlyCopy", ["photo": name]) }
    return L10n.words(
      "move.differing",
      [
        "entry": L10n.words(TextKey(rawValue: "move.kind.\(kind.rawValue)")),
        "name": DisplayText.name(name),
        "fields": fields.joined(separator: ", "),
      ])
  }
}

extension UnmovedPhoto {
  /// A line of `move --json` about the photo.
  var json: JSON {
    [
      "event": "photo", "id": .string(id), "fileName": .string(fileName),
      "problem": .string("\(problem)"),
    ]
  }

  /// Returns a line about the photo as text.
  ///
  /// - Parameter key: the text that describes what the command couldn't do with the photo.
  func line(_ key: TextKey = "move.photo") -> String {
    let problem: TextKey =
      switch problem {
      case .missing: "move.photoMissing"
      case .unreadable: "move.photoUnreadable"
      case .unstored: "backup.photoUnstored"
      case .present, .copied, .damaged: "move.photoDamaged"
      }
    return L10n.words(
      key,
      ["fileName": DisplayText.name(fileName), "id": id, "problem": L10n.words(problem)])
  }
}
