/// Repairs damage with the original, which produces the same bytes again, or with another copy of the bytes. Every
/// picture is compared with its recorded digest and every record with its seal before it is restored.
extension PhotoVerifier {
  /// Tries to repair the collected damage, photos before the entries that refer to them. Drops findings whose item no
  /// longer exists.
  func repair(_ ledger: VerifyLedger) async throws(StoreError) {
    let damages = ledger.waiting
    if damages.isEmpty { return }
    let repairer = try await cache.runBlocking {
      PhotoRepairer(
        verifier: self, originals: try OriginalFinder(self, for: damages),
        quarantined: try cache.blobs.list(.quarantine))
    }
    for var damage in damages {
      let subject = damage.subject
      guard let repair = try await cache.runBlocking({ try repairer.repair(subject) }) else {
        continue
      }
      for index in damage.findings.indices { damage.findings[index].repair = repair }
      try ledger.finish(damage)
    }
  }

  /// Ends attempts whose process is gone, as the next check of the draft's status would.
  func endAbandoned() async throws(StoreError) {
    for draft in try await cache.runBlocking({ try cache.catalog.abandonedDrafts() }) {
      do throws(StoreError) { _ = try await cache.status(draft: draft) } catch .database {
        continue  // its record is reported as not repaired
      }
    }
  }
}
