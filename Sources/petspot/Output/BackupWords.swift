import ReportFlow

extension BackupSummary {
  /// The line of `backup --json`.
  var json: JSON {
    [
      "event": "summary", "snapshot": .string(snapshot), "complete": .bool(isComplete),
      "photos": .int(photos), "entries": .int(entries), "pictures": .int(pictures),
      "bytes": .int(bytes), "missing": .int(missing), "damaged": .int(damaged),
      "expiredSnapshots": .int(expired), "damagedSnapshots": .int(unreadable),
      "cleanedSnapshots": .int(cleaned), "removedPictures": .int(removedPictures),
    ]
  }

  /// The same for people.
  var lines: String {
    let done = L10n.words(
      "backup.done", count: photos,
      [
        "snapshot": snapshot, "pictures": L10n.words("count.files", count: pictures),
        "size": Amounts.size(bytes),
      ])
    let others: [(Int, TextKey)] = [
      (missing, "move.count.missing"), (damaged, "move.count.damaged"),
      (expired, "backup.count.expired"), (cleaned, "backup.count.cleaned"),
      (unreadable, "backup.count.unreadable"),
    ]
    return ([done] + others.filter { $0.0 > 0 }.map { L10n.words($0.1, count: $0.0) })
      .joined(separator: "\n")
  }
}

extension MoveSummary {
  /// What a restore brought, for people.
  var restoredCounts: String {
    let problems: [(Int, TextKey)] = [
      (missing, "move.count.missing"), (damaged, "move.count.damaged"),
      (leftOut, "move.count.leftOut"), (erased, "move.count.erased"),
    ]
    let done = L10n.words(
      "restore.done", count: moved + alreadyThere, ["size": Amounts.size(bytes)])
    return ([done] + problems.filter { $0.0 > 0 }.map { L10n.words($0.1, count: $0.0) })
      .joined(separator: ", ")
  }
}
