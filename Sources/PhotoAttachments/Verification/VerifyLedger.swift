/// Collects the findings of a verification and reports them as soon as they are final.
final class VerifyLedger {
  var report = VerifyReport()
  /// The damage that must be repaired before it is reported.
  private(set) var waiting: [PhotoVerifier.Damage] = []
  private let repairs: Bool
  private let onFinding: (VerifyReport.Finding) throws -> Void

  init(repairs: Bool, onFinding: @escaping (VerifyReport.Finding) throws -> Void) {
    self.repairs = repairs
    self.onFinding = onFinding
  }

  func recordDamage(_ damage: PhotoVerifier.Damage) throws(StoreError) {
    if repairs { waiting.append(damage) } else { try finish(damage) }
  }

  /// Counts and reports damage whose result is final.
  func finish(_ damage: PhotoVerifier.Damage) throws(StoreError) {
    let isUnavailable = damage.findings.contains { $0.problem == .unavailable }
    if damage.findings.contains(where: { $0.problem == .missing }) {
      report.missing += 1
    } else if isUnavailable {
      report.unavailable += 1
    } else {
      report.damaged += 1
    }
    let isRepaired = damage.findings.allSatisfy {
      if case .done = $0.repair { true } else { false }
    }
    if isRepaired { report.repaired += 1 } else if isUnavailable { report.isIncomplete = true }
    try StoreError.catching { for finding in damage.findings { try onFinding(finding) } }
  }
}
