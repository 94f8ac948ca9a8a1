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

  /// The same for people, in the language that the command speaks.
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

  /// What a verification of attached photos does not say.
  static var leftOut: String { L10n.words("verify.leftOut") }

  /// What to do about it.
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
  /// A line of `verify --json`, with the name and the original that its owner knows.
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

  /// The same for people: the file as its owner knows it, and what it is in the store.
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
  /// What is wrong, in a few words.
  var words: String { L10n.words(TextKey(rawValue: "verify.problem.\(rawValue)")) }
}

extension VerifyReport.Repair {
  /// What came of repairing, in a few words.
  var words: String {
    switch self {
    case .done(let method): L10n.words(TextKey(rawValue: "verify.repaired.\(method.rawValue)"))
    case .failed(let reason): L10n.words(TextKey(rawValue: "verify.notRepaired.\(reason.rawValue)"))
    }
  }
}
