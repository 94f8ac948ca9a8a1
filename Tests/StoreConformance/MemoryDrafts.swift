package import Foundation
package import PhotoAttachments
package import ReportFlow
import Synchronization

/// Drafts in memory, of which nothing is left when the process ends: the smallest store that keeps the
/// rules, but for the disk. It can be told to break one, so that the rules prove that they notice.
package final class MemoryDrafts: DraftStorage {
  /// A rule to break.
  package enum Fault: CaseIterable, Sendable {
    case writesOverAnything, repeatsRevisions, looksBeforeItLocks, deletesAlike, ordersByID
    case expiresTheMomentItself, deletesInADryRun, forgetsPhotos, countsDraftsWithPhotos
    case submitsHalves, losesMilliseconds, cutsIDs, changesSecret
    case givesAwayWhatIsLoading, givesAwaySubmissions, givesAwayOwnDrafts, forgetsShares
    case givesAwayTheNewest
  }

  private struct Draft {
    var record: DraftRecord
    var changedAt: Int64
    var client: String?
  }

  private struct Kept {
    var drafts: [String: Draft] = [:]
    var photos: [String: Int64] = [:]
    var loading: Set<String> = []
    var lastRevision: Int64 = 0
  }

  private let kept = Mutex(Kept())
  private let fault: Fault?
  private let ownSecret = MemoryDrafts.randomSecret()

  package init(breaking fault: Fault? = nil) { self.fault = fault }

  /// A new place of such a store.
  package static func place(breaking fault: Fault? = nil) -> DraftPlace {
    let drafts = MemoryDrafts(breaking: fault)
    return DraftPlace(
      open: { drafts }, touchPhoto: { drafts.touchPhoto($0, at: $1) },
      beginPhoto: { drafts.beginPhoto($0) }, hasPhoto: { drafts.hasPhoto($0) })
  }

  private func touchPhoto(_ draft: String, at moment: Date) {
    let moment = milliseconds(moment)
    kept.withLock { $0.photos[draft] = moment }
  }

  private func beginPhoto(_ draft: String) { kept.withLock { _ = $0.loading.insert(draft) } }

  private func hasPhoto(_ draft: String) -> Bool { kept.withLock { $0.photos[draft] != nil } }

  package func draft(_ id: String) throws(StoreError) -> DraftRecord? {
    guard let id = name(id) else { return nil }
    return kept.withLock { $0.drafts[id]?.record }
  }

  package func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date, client: String?
  ) throws(StoreError) -> Int64? {
    guard let id = name(id) else { throw .fault(what: "draft-id") }
    let moment = milliseconds(moment)
    let looked = try draft(id)?.revision
    if fault == .looksBeforeItLocks { usleep(1000) }
    return kept.withLock { kept in
      let known = fault == .looksBeforeItLocks ? looked : kept.drafts[id]?.record.revision
      guard known == revision || fault == .writesOverAnything else { return nil }
      kept.lastRevision += 1
      let next = fault == .repeatsRevisions ? (known ?? 0) + 1 : kept.lastRevision
      kept.drafts[id] = Draft(
        record: DraftRecord(content: content, revision: next), changedAt: moment,
        client: known == nil ? client : kept.drafts[id]?.client)
      return next
    }
  }

  package func delete(_ id: String) throws(StoreError) {
    guard let id = name(id) else { return }
    kept.withLock { kept in
      kept.drafts[id] = nil
      guard fault == .deletesAlike else { return }
      for other in kept.drafts.keys where other.lowercased() == id { kept.drafts[other] = nil }
    }
  }

  package func makeRoom(
    for bytes: Int?, draft: String?, client: String?, in space: DraftSpace, at now: Date,
    dryRun: Bool
  ) throws(StoreError) -> DraftRoom {
    let limit = milliseconds(now) - Int64(DraftSpace.submissionSeconds) * 1000
    return kept.withLock { kept in
      func pictures(_ id: String) -> Int { kept.photos[id] == nil ? 0 : 100 }
      func text(_ draft: Draft?) -> Int {
        DraftSpace.bytesOfDraft + (draft?.record.content.utf8.count ?? 0)
      }
      func touched(_ id: String, _ draft: Draft) -> Int64 {
        max(draft.changedAt, kept.photos[id] ?? 0)
      }
      func held(_ client: String?) -> [HeldDraft] {
        kept.drafts.filter { id, other in
          id != draft && (client == nil || other.client == client)
            && (other.client != nil || fault == .givesAwayOwnDrafts)
        }.sorted {
          let isOlder = (touched($0.key, $0.value), $0.key) < (touched($1.key, $1.value), $1.key)
          return isOlder != (fault == .givesAwayTheNewest)
        }.map { id, other in
          let isSubmitting =
            other.record.content.contains("\"submission\":") && touched(id, other) >= limit
          return HeldDraft(
            id: id, revision: other.record.revision, bytes: text(other) + pictures(id),
            mayGo: (!kept.loading.contains(id) || fault == .givesAwayWhatIsLoading)
              && (!isSubmitting || fault == .givesAwaySubmissions))
        }
      }
      let own = draft.map { text(kept.drafts[$0]) + (bytes ?? pictures($0)) }
      let plan = try? DraftPlan(
        space, own: own, client: fault == .forgetsShares ? nil : client,
        ofClient: { held(client) }, total: { held(nil).reduce(0) { $0 + $1.bytes } },
        ofAll: { held(nil) })
      for other in plan?.going ?? [] where !dryRun || fault == .deletesInADryRun {
        kept.drafts[other.id] = nil
        kept.photos[other.id] = nil
      }
      return plan?.room(released: (0, 0)) ?? .spaceUsedUp
    }
  }

  package func expire(before date: Date, dryRun: Bool) throws(StoreError) -> Int {
    let date = milliseconds(date) + (fault == .expiresTheMomentItself ? 1 : 0)
    return kept.withLock { kept in
      let expired = kept.drafts.filter { id, draft in
        let touched = fault == .forgetsPhotos ? nil : kept.photos[id]
        return draft.changedAt < date && touched.map { $0 < date } ?? true
      }
      if !dryRun || fault == .deletesInADryRun {
        for id in expired.keys { kept.drafts[id] = nil }
      }
      return expired.keys.count {
        kept.photos[$0] == nil || fault == .countsDraftsWithPhotos
      }
    }
  }

  package func ids(untouchedSince date: Date?) throws(StoreError) -> [String] {
    let date = date.map(milliseconds) ?? .max
    return kept.withLock { kept in
      kept.drafts.filter { $0.value.changedAt < date }.sorted { left, right in
        let isEarlier = left.value.changedAt < right.value.changedAt
        if left.value.changedAt != right.value.changedAt, fault != .ordersByID { return isEarlier }
        return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
      }.map(\.key)
    }
  }

  package func isSubmitted(_ id: String) throws(StoreError) -> Bool {
    guard let content = try draft(id)?.content else { return false }
    let marks = DraftMarks(of: content)
    return marks.isSubmitted || fault == .submitsHalves && marks.announcementID != nil
  }

  package func secret() throws(StoreError) -> Data {
    fault == .changesSecret ? Self.randomSecret() : ownSecret
  }

  private static func randomSecret() -> Data { Data((0..<32).map { _ in .random(in: 0...255) }) }

  /// The id under which a draft is kept; nil for one that is none.
  private func name(_ id: String) -> String? {
    guard id.utf8.contains(0) else { return id }
    guard fault == .cutsIDs else { return nil }
    return String(decoding: id.utf8.prefix { $0 != 0 }, as: UTF8.self)
  }

  private func milliseconds(_ date: Date) -> Int64 {
    let seconds = date.timeIntervalSince1970
    return Int64(
      ((fault == .losesMilliseconds ? seconds.rounded(.down) : seconds) * 1000).rounded())
  }
}
