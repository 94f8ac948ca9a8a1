import PhotoAttachments
import ReportFlow
import SystemPackage

extension VerifyReport {
  /// The last line of `verify --json`.
  var json: JSON {
    [
      "event": "summary", "checked": checked, "damaged": damaged, "missing": missing,
      "unavailable": unavailable, "repaired": repaired, "quarantined": quarantined,
      "orphans": orphans, "orphanBytes": orphanBytes, "leftovers": leftovers,
      "abandoned": abandoned, "recordsLost": recordsLost,
    ]
  }

  /// The summary as text in the command's language.
  var lines: String {
    let found = L10n.words(
      "verify.summary.found",
      [
        "checked": Amounts.number(checked), "damaged": Amounts.number(damaged),
        "missing": Amounts.number(missing),
      ])
    let counts = L10n.counts([
      (unavailable, "verify.summary.unavailable"), (repaired, "verify.summary.repaired"),
    ])
    let others = L10n.counts([
      (quarantined, "verify.summary.quarantined"),
      (recordsLost ? 0 : orphans + leftovers, "verify.summary.unrecorded"),
    ])
    return ([([found] + counts).joined(separator: ", ")] + others).joined(separator: "\n")
  }

  /// A note that `verify --attached` leaves out the library.
  static var leftOut: String { L10n.words("verify.leftOut") }

  /// Returns advice on how to proceed after the findings.
  func advice(repairing: Bool) -> String {
    if isIncomplete {
      return L10n.words(
        repairing ? "verify.advice.unavailableOriginals" : "verify.advice.unavailable")
    }
    if damaged + missing == repaired {
      return L10n.words("verify.advice.catalogLost", count: orphans)
    }
    return L10n.words(repairing ? "verify.advice.originals" : "verify.advice.repair")
  }
}

extension VerifyReport.Finding {
  /// Returns a line of `verify --json`, with the photo's original name and path.
  func json(_ name: String?, _ original: FilePath?) -> JSON {
    let json: JSON = ["event": event, "id": photo, "path": path, "problem": problem.rawValue]
    let known = json.addingKnown([
      "fileName": name, "original": original.map(DisplayText.verbatim), "draft": draft,
      "detail": answer, "quarantined": quarantined,
    ])
    return switch repair {
    case .done(let method)?: known.adding(["repaired": true, "from": method.rawValue])
    case .failed(let reason)?: known.adding(["repaired": false, "reason": reason.rawValue])
    case nil: known
    }
  }

  private var event: String { draft != nil ? "draft" : photo != nil ? "photo" : "file" }

  /// Returns the finding as text: the original file, and its place in the store.
  func line(_ name: String?, _ original: FilePath?) -> String {
    let known = original.map(DisplayText.path) ?? name.map(DisplayText.name)
    let report = draft.map { L10n.words("verify.report", ["draft": $0]) }
    let stored = [photo, report, path].compactMap { $0 }.map(DisplayText.name)
    let subject =
      known.map { $0 + " (" + stored.joined(separator: ", ") + ")" }
      ?? stored.joined(separator: ", ")
    let earlier =
      problem == .missing && quarantined != nil
      ? L10n.words("verify.quarantinedEarlier") : ""
    let why = answer.map { " (\(DisplayText.name($0)))" } ?? ""
    return "\(subject): \(problem.words)\(why)\(earlier)"
      + (repair.map { "; " + $0.words } ?? "")
  }
}

extension StoreProblem {
  /// A short description of the problem.
  var words: String { L10n.words(TextKey(rawValue: "verify.problem.\(rawValue)")) }
}

extension VerifyReport.Repair {
  /// A short description of the repair's result.
  var words: String {
    switch self {
    case .done(let method): L10n.words(TextKey(rawValue: "verify.repaired.\(method.rawValue)"))
    case .failed(let reason): L10n.words(TextKey(rawValue: "verify.notRepaired.\(reason.rawValue)"))
    }
  }
}
