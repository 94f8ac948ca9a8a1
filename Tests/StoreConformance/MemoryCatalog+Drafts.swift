package import Foundation
package import PhotoAttachments
import Synchronization

/// What drafts show.
extension MemoryCatalog {
  package func attachment(draft: String) throws(StoreError) -> AttachmentRecord? {
    try act { $0.attachment(draft) }
  }

  package func begin(draft: String, at now: Date) throws(StoreError) -> Machine.Ticket {
    try act { state throws(StoreError) in
      if fault != .repeatsTickets || state.attachments[draft] == nil { state.lastTicket += 1 }
      _ = state.apply(.pick(state.lastTicket), to: draft, at: now)
      state.live.insert(state.lastTicket)
      return state.lastTicket
    }
  }

  package func end(_ ticket: Machine.Ticket) {
    memory.state.withLock { _ = $0.live.remove(ticket) }
  }

  package func handle(
    _ event: Machine.Event, draft: String, at now: Date
  ) throws(StoreError) -> Applied {
    try act { $0.apply(event, to: draft, at: now) }
  }

  package func restore(draft: String, at now: Date) throws(StoreError) {
    try act { state throws(StoreError) in
      guard let record = state.attachment(draft) else { return }
      let event =
        fault == .restoresTheLiving ? .restore(ownerAlive: false) : try record.restored()
      _ = state.apply(event, to: draft, at: now)
    }
  }

  package func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket?, at now: Date,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Applied? {
    guard let id = UUID(uuidString: photo.id) else { throw .fault(what: "record") }
    return try act { state throws(StoreError) in
      if state.photo(photo.id) != nil { throw .database(what: "failed", detail: "id") }
      if fault == .namesTwice { _ = try naming() }
      guard try naming() || fault == .recordsUnnamed else { return nil }
      state.insert(photo)
      let ticket = ticket ?? state.pick(draft, at: now)
      return state.apply(.succeeded(ticket, id), to: draft, at: now)
    }
  }

  package func attach(
    asset: UUID, as id: UUID, draft: String, at now: Date,
    naming: (SealedRecord) throws(StoreError) -> Void
  ) throws(StoreError) -> (photo: SealedRecord, applied: Applied) {
    try act { state throws(StoreError) in
      guard state.library[asset.uuidString] != nil, let original = state.photo(asset.uuidString)
      else { throw .missingPhoto }
      if state.photo(id.uuidString) != nil { throw .database(what: "failed", detail: "id") }
      try naming(original)
      let photo = original.picked(as: id, from: asset, at: now)
      state.insert(photo)
      let ticket = state.pick(draft, at: now)
      return (photo, state.apply(.succeeded(ticket, id), to: draft, at: now))
    }
  }

  package func remove(photo: UUID, at now: Date) throws(StoreError) -> [BlobPath] {
    try act { state throws(StoreError) in
      var gone: [BlobPath] = []
      for (draft, attachment) in state.attachments where attachment.machine.photo == photo {
        gone += state.apply(.forget(photo), to: draft, at: now).gone
      }
      return gone + state.deleteUnreferenced(photo.uuidString)
    }
  }

  package func forget(
    asset: UUID
  ) throws(StoreError) -> (drafts: [String], gone: [BlobPath]) {
    try act { state throws(StoreError) in
      let id = asset.uuidString
      guard state.library.removeValue(forKey: id) != nil else { throw .missingPhoto }
      for source in state.sources.values where source.knowledge?.photo == asset {
        guard let digest = source.sha256 else { continue }
        state.erased.insert(ErasureMark.file(path: source.path, sha256: digest))
      }
      if fault != .keepsForgottenFiles {
        state.sources = state.sources.filter { $0.value.knowledge?.photo != asset }
      }
      var drafts: [String] = []
      for photo in state.photos where photo.text("assetIdentifier") == id {
        state.replace(photo, by: photo.with(["assetIdentifier": .null]))
        for (draft, attachment) in state.attachments
        where attachment.machine.photo?.uuidString == photo.id {
          drafts.append(draft)
          state.attachments[draft]?.machine = Machine(
            fault == .forgetsAttachments ? .empty : attachment.machine.state,
            failure: "asset-forgotten")
          state.note(draft)
        }
      }
      return (drafts.sorted(), state.deleteUnreferenced(id))
    }
  }

  package func touch(draft: String, at now: Date) throws(StoreError) {
    try act { state in
      if fault != .touchesNothing { state.attachments[draft]?.updated = now.milliseconds }
    }
  }

  package func expire(
    before limit: Date, believable: ClosedRange<Date>, dryRun: Bool
  ) throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
    let now = believable.upperBound
    let range = believable.lowerBound.milliseconds...now.milliseconds
    func expired(
      _ state: inout MemoryRecords
    ) throws(StoreError) -> (drafts: Int, gone: [BlobPath]) {
      var (drafts, gone) = (0, [BlobPath]())
      for (draft, attachment) in state.attachments {
        guard let record = state.attachment(draft) else { continue }
        let restored = state.apply(try record.restored(), to: draft, at: now)
        gone += restored.gone
        guard range.contains(attachment.updated) || fault == .believesAnything else {
          state.attachments[draft]?.updated = now.milliseconds
          continue
        }
        let isLast = fault == .expiresTheMomentItself && attachment.updated == limit.milliseconds
        if attachment.updated >= limit.milliseconds, !isLast { continue }
        if case .loading = restored.machine.state { continue }
        gone += state.apply(.expire, to: draft, at: now).gone
        state.attachments[draft] = nil
        drafts += 1
      }
      return (drafts, Set(gone).filter { !state.isReferenced($0) })
    }
    return try act { state throws(StoreError) in
      if !dryRun || fault == .expiresInADryRun { return try expired(&state) }
      var copy = state
      return try expired(&copy)
    }
  }

  package func abandonedDrafts() throws(StoreError) -> [String] {
    try act { state in
      state.attachments.keys.filter { draft in
        guard let record = state.attachment(draft), case .loading = record.machine.state else {
          return false
        }
        return !record.isOwnerAlive
      }.sorted()
    }
  }
}
