import PetSpotStores
import ReportFlow

extension BackupSummary {
  /// The line of `backup --json`.
  var json: JSON {
    [
      "event": "summary", "snapshot": .string(snapshot), "complete": .bool(isComplete),
      "photos": .int(moved.moved), "entries": .int(moved.entries),
      "pictures": .int(moved.pictures), "bytes": .int(moved.bytes),
      "missing": .int(moved.missing), "unreadable": .int(moved.unreadable),
      "damaged": .int(moved.damaged), "leftOut": .int(moved.leftOut),
      "expiredSnapshots": .int(expired), "damagedFiles": .int(damagedFiles),
      "newerFiles": .int(newerFiles), "cleanedSnapshots": .int(cleaned),
      "removedPictures": .int(removedPictures), "provedPictures": .int(proved),
      "replacedPictures": .int(replaced),
    ]
  }

  /// The summary as text.
  var lines: String {
    let done = L10n.words(
      "backup.done", count: moved.moved,
      [
        "snapshot": snapshot.isEmpty ? "" : String(snapshot.prefix(24)),
        "pictures": L10n.words("count.files", count: moved.pictures),
        "size": Amounts.size(moved.bytes),
      ])
    let others = MoveSummary.words([
      (expired, "backup.count.expired"), (cleaned, "backup.count.cleaned"),
      (damagedFiles, "backup.count.damaged"), (newerFiles, "backup.count.newer"),
      (proved, "backup.count.proved"), (replaced, "backup.count.replaced"),
    ])
    return ([done] + moved.problemCounts + others).joined(separator: "\n")
  }
}

extension MoveSummary {
  /// The result of a restore as text.
  var restoredCounts: String {
    let done = L10n.words(
      "restore.done", count: moved + alreadyThere, ["size": Amounts.size(bytes)])
    return ([done] + problemCounts + Self.words([(erased, "move.count.erased")]))
      .joined(separator: ", ")
  }
}
