import ReportFlow

extension MoveSummary {
  /// The last line of `move --json`.
  var json: JSON {
    [
      "event": "summary", "done": isDone, "moved": moved, "alreadyThere": alreadyThere,
      "missing": missing, "unreadable": unreadable, "damaged": damaged, "pictures": pictures,
      "bytes": bytes, "entries": entries, "entriesAlreadyThere": entriesThere,
      "entriesLeftOut": leftOut, "entriesDiffering": differing, "erased": erased,
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
    let others = L10n.counts([
      (differing, "move.count.differing"), (erased, "move.count.erased"),
    ])
    return (totals + problemCounts + others).joined(separator: ", ")
  }

  /// Texts with the counts of photos and entries that were not moved.
  var problemCounts: [String] {
    L10n.counts([
      (missing, "move.count.missing"), (unreadable, "move.count.unreadable"),
      (damaged, "move.count.damaged"), (leftOut, "move.count.leftOut"),
    ])
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
    ["event": "entry", "kind": kind?.rawValue ?? "secret", "key": name, "fields": fields]
  }

  /// A line about the entry as text.
  var line: String {
    guard let kind else { return L10n.words("move.differingSecret") }
    if fields == ["forgotten"] { return L10n.words("move.onlyCopy", ["photo": name]) }
    return L10n.words(
      "move.differing",
      [
        "entry": L10n.words(TextKey(rawValue: "move.kind.\(kind.rawValue)")),
        "name": DisplayText.name(name), "fields": fields.joined(separator: ", "),
      ])
  }
}

extension UnmovedPhoto {
  /// A line of `move --json` about the photo.
  var json: JSON {
    ["event": "photo", "id": id, "fileName": fileName, "problem": "\(problem)"]
  }

  /// Returns a line about the photo as text.
  ///
  /// - Parameter key: the text that describes what the command couldn't do with the photo.
  func line(_ key: TextKey = "move.photo") -> String {
    let text = L10n.words.text(named: "move.problem.\(problem)")
    return L10n.words(
      key,
      [
        "fileName": DisplayText.name(fileName), "id": id,
        "problem": text ?? L10n.words("move.problem.damaged"),
      ])
  }
}
