/// Bringing back what is damaged: from the original, which gives the same bytes again, or from
/// another copy of them. Every picture is locked to the digest on record, and every record to its seal,
/// before it is put back.
extension PhotoVerifier {
  /// Tries to repair what waits, photos before the entries that point at them. What is gone
  /// meanwhile is no finding.
  func repair(_ ledger: VerifyLedger) async throws(StoreError) {
    let damages = ledger.waiting
    if damages.isEmpty { return }
    let repairer = try await cache.run {
      PhotoRepairer(
        verifier: self, originals: try OriginalFinder(self, for: damages),
        exchanged: try cache.blobs.list(.quarantine))
    }
    for var damage in damages {
      let subject = damage.subject
      guard let repair = try await cache.run({ try repairer.repair(subject) }) else { continue }
      for index in damage.findings.indices { damage.findings[index].repair = repair }
      try ledger.finish(damage)
    }
  }

  /// Ends attempts whose process is gone, as the next look at their draft would.
  func endAbandoned() async throws(StoreError) {
    for draft in try await cache.run({ try cache.catalog.abandonedDrafts() }) {
      do throws(StoreError) { _ = try await cache.status(draft: draft) } catch .database {
        continue  // its record is reported as what could not be repaired
      }
    }
  }
}
