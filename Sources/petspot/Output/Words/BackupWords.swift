import PetSpotStores
import ReportFlow

extension BackupSummary {
  /// The line of `backup --json`.
  var json: JSON {
    [
      "event": "summary", "snapshot": snapshot, "complete": isComplete, "photos": moved.moved,
      "entries": moved.entries, "pictures": moved.pictures, "bytes": moved.bytes,
      "missing": moved.missing, "unreadable": moved.unreadable, "damaged": moved.damaged,
      "leftOut": moved.leftOut, "expiredSnapshots": expired, "damagedFiles": damagedFiles,
      "newerFiles": newerFiles, "cleanedSnapshots": cleaned, "removedPictures": removedPictures,
      "provedPictures": proved, "replacedPictures": replaced,
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
    let others = L10n.counts([
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
    return ([done] + problemCounts + L10n.counts([(erased, "move.count.erased")]))
      .joined(separator: ", ")
  }
}
