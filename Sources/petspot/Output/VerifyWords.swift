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
  var lines: String { L10n.words(.verifySummary(self)) }

  /// What a verification of attached photos does not say.
  static var leftOut: String { L10n.words(.verifyLeftOut) }

  /// What to do about it.
  func advice(repairing: Bool) -> String {
    L10n.words(.verifyAdvice(self, repairing: repairing))
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

  private var event: String {
    draft != nil ? "draft" : photo != nil ? "photo" : "file"
  }

  /// The same for people: the file as its owner knows it, and what it is in the store.
  func line(_ name: String?, _ original: FilePath?) -> String {
    let known = original.map(DisplayText.path) ?? name.map(DisplayText.name)
    let report = draft.map { L10n.words(.verifyReportName(draft: $0)) }
    let stored = [photo, report, path].compactMap { $0 }.map(DisplayText.name)
    let subject =
      known.map { $0 + " (" + stored.joined(separator: ", ") + ")" }
      ?? stored.joined(separator: ", ")
    let earlier =
      problem == .missing && quarantined != nil
      ? L10n.words(.verifyQuarantined) : ""
    let why = answer.map { " (\(DisplayText.name($0)))" } ?? ""
    return "\(subject): \(L10n.words(.problem(problem)))\(why)\(earlier)"
      + (repair.map { "; " + L10n.words(.repair($0)) } ?? "")
  }
}
