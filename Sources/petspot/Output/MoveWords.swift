import ReportFlow

extension MoveSummary {
  /// The last line of `move --json`.
  var json: JSON {
    [
      "event": "summary", "done": .bool(isDone), "moved": .int(moved),
      "alreadyThere": .int(alreadyThere), "missing": .int(missing), "damaged": .int(damaged),
      "pictures": .int(pictures), "bytes": .int(bytes), "entries": .int(entries),
      "entriesAlreadyThere": .int(entriesThere), "entriesLeftOut": .int(leftOut),
      "entriesDiffering": .int(differing), "erased": .int(erased),
    ]
  }

  /// The same for people.
  var counts: String {
    let problems: [(Int, Text)] = [
      (missing, .movedMissing(missing)), (damaged, .movedDamaged(damaged)),
      (leftOut, .movedLeftOut(leftOut)), (differing, .movedDiffering(differing)),
      (erased, .movedErased(erased)),
    ]
    let parts = [.movedPhotos(self), .movedEntries(self)] + problems.filter { $0.0 > 0 }.map(\.1)
    return parts.map { L10n.words($0) }.joined(separator: ", ")
  }

  /// What to do when it is not done.
  var advice: String {
    L10n.words(
      isStopped
        ? .moveAgain
        : missing + damaged > 0
          ? .moveRepairSource : leftOut > 0 ? .moveAddedMeanwhile : .moveOtherState)
  }
}

extension UnmovedPhoto {
  /// Its line of `move --json`.
  var json: JSON {
    [
      "event": "photo", "id": .string(id), "fileName": .string(fileName),
      "problem": isMissing ? "missing" : "damaged",
    ]
  }

  /// The same for people.
  var line: String {
    let problem = L10n.words(isMissing ? .notMovedMissing : .notMovedDamaged)
    return L10n.words(.notMoved(fileName: DisplayText.name(fileName), id: id, problem: problem))
  }
}
