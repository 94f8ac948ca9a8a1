import PhotoAttachments
import ReportFlow
import SystemPackage

extension VerifyReport {
  /// The last line of `verify --json`.
  var json: JSON {
    [
      "event": "summary", "checked": .int(checked), "damaged": .int(damaged),
      "missing": .int(missing), "unavailable": .int(unavailable), "repaired": .int(repaired),
      "quarantined": .int(quarantined),
      "orphans": .int(orphans), "orphanBytes": .int(orphanBytes), "leftovers": .int(leftovers),
      "abandoned": .int(abandoned), "recordsLost": .bool(recordsLost),
    ]
  }

  /// The summary as text in the command's language.
  var lines: String {
    var counts = [
      L10n.words(
        "verify.summary.found",
        [
          "checked": Amounts.number(checked), "damaged": Amounts.number(damaged),
          "missing": Amounts.number(missing),
        ])
    ]
    if unavailable > 0 {
      counts.append(L10n.words("verify.summary.unavailable", count: unavailable))
    }
    if repaired > 0 { counts.append(L10n.words("verify.summary.repaired", count: repaired)) }
    var lines = [counts.joined(separator: ", ")]
    if quarantined > 0 {
      lines.append(L10n.words("verify.summary.quarantined", count: quarantined))
    }
    if orphans + leftovers > 0, !recordsLost {
      lines.append(L10n.words("verify.summary.unrecorded", count: orphans + leftovers))
    }
    return lines.joined(separator: "\n")
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
    var json: JSON = [
      "event": .string(event), "id": .optional(photo), "path": .optional(path),
      "problem": .string(problem.rawValue),
    ]
    if let name { json = json.adding(["fileName": .string(name)]) }
    if let original {
      json = json.adding(["original": .string(DisplayText.verbatim(original))])
    }
    if let draft { json = json.adding(["draft": .string(draft)]) }
    if let answer { json = json.adding(["detail": .string(answer)]) }
    if let quarantined { json = json.adding(["quarantined": .string(quarantined)]) }
    switch repair {
    case .done(let method)?:
      json = json.adding(["repaired": true, "from": .string(method.rawValue)])
    case .failed(let reason)?:
      json = json.adding(["repaired": false, "reason": .string(reason.rawValue)])
    case nil: break
    }
    return json
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
