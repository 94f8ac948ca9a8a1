package import Foundation
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// A catalog in memory, which fails on demand: the smallest one that keeps the promises. Several may
/// share one memory, as processes share a database.
package final class MemoryCatalog: PhotoCatalog {
  /// What is on record.
  package final class Memory: Sendable {
    let state = Mutex(MemoryRecords())
    package init() {}
  }

  private let memory: Memory
  private let watchers = Mutex<[UUID: (draft: String, hear: Hear)]>([:])
  private typealias Hear = @Sendable (AttachmentRecord?) -> Bool
  package let faults: Faults

  package init(_ memory: Memory = Memory(), faults: Faults = Faults()) {
    (self.memory, self.faults) = (memory, faults)
  }

  /// An act: it happens whole, or not at all.
  func act<T>(
    _ call: String = #function, _ work: (inout MemoryRecords) throws(PhotoError) -> T
  ) throws(PhotoError) -> T {
    try faults.pass(call)
    var changed: [AttachmentRecord] = []
    let result: Result<T, PhotoError> = memory.state.withLock { state in
      var draft = state
      do throws(PhotoError) {
        let value = try work(&draft)
        changed = draft.changed.compactMap { draft.attachment($0) }
        draft.changed = []
        state = draft
        return .success(value)
      } catch { return .failure(error) }
    }
    for record in changed { tell(record) }
    return try result.get()
  }

  private func tell(_ record: AttachmentRecord) {
    let hears = watchers.withLock { $0.filter { $0.value.draft == record.draft } }
    for (id, watcher) in hears where !watcher.hear(record) {
      watchers.withLock { $0[id] = nil }
    }
  }

  // MARK: - What drafts show

  package func attachment(draft: String) throws(PhotoError) -> AttachmentRecord? {
    try act { $0.attachment(draft) }
  }

  package func begin(draft: String, at now: Date) throws(PhotoError) -> Machine.Ticket {
    try act { state throws(PhotoError) in
      state.lastTicket += 1
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
  ) throws(PhotoError) -> Applied {
    try act { $0.apply(event, to: draft, at: now) }
  }

  package func restore(draft: String, at now: Date) throws(PhotoError) {
    try act { state throws(PhotoError) in
      guard let record = state.attachment(draft) else { return }
      _ = state.apply(try record.restored(), to: draft, at: now)
    }
  }

  package func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket, at now: Date,
    naming: () throws(PhotoError) -> Bool
  ) throws(PhotoError) -> Applied? {
    guard let id = UUID(uuidString: photo.id) else { throw .fault(what: "record") }
    return try act { state throws(PhotoError) in
      guard try naming() else { return nil }
      state.insert(photo)
      return state.apply(.succeeded(ticket, id), to: draft, at: now)
    }
  }

  package func attach(
    asset: UUID, as id: UUID, draft: String, at now: Date,
    naming: (SealedRecord) throws(PhotoError) -> Void
  ) throws(PhotoError) -> (photo: SealedRecord, applied: Applied) {
    try act { state throws(PhotoError) in
      guard state.library[asset.uuidString] != nil, let original = state.photo(asset.uuidString)
      else { throw .missingPhoto }
      try naming(original)
      let photo = original.with([
        "id": .text(id.uuidString), "assetIdentifier": .text(asset.uuidString),
        "savedAtMilliseconds": .int(now.milliseconds),
      ]).sealedAnew
      state.insert(photo)
      state.lastTicket += 1
      let ticket = state.lastTicket
      _ = state.apply(.pick(ticket), to: draft, at: now)
      return (photo, state.apply(.succeeded(ticket, id), to: draft, at: now))
    }
  }

  package func remove(photo: UUID, at now: Date) throws(PhotoError) -> [BlobPath] {
    try act { state throws(PhotoError) in
      var gone: [BlobPath] = []
      for (draft, attachment) in state.attachments where attachment.machine.photo == photo {
        gone += state.apply(.forget(photo), to: draft, at: now).gone
      }
      return gone + state.deleteUnreferenced(photo.uuidString)
    }
  }

  package func forget(
    asset: UUID
  ) throws(PhotoError) -> (drafts: [String], gone: [BlobPath]) {
    try act { state throws(PhotoError) in
      let id = asset.uuidString
      guard state.library.removeValue(forKey: id) != nil else { throw .missingPhoto }
      state.sources = state.sources.filter { $0.value.knowledge?.photo != asset }
      var drafts: [String] = []
      for photo in state.photos where photo.text("assetIdentifier") == id {
        state.replace(photo, by: photo.with(["assetIdentifier": .null]))
        for (draft, attachment) in state.attachments
        where attachment.machine.photo?.uuidString == photo.id {
          drafts.append(draft)
          state.attachments[draft]?.machine = Machine(
            attachment.machine.state, failure: "asset-forgotten")
        }
      }
      state.changed += drafts
      return (drafts.sorted(), state.deleteUnreferenced(id))
    }
  }

  package func touch(draft: String, at now: Date) throws(PhotoError) {
    try act { $0.attachments[draft]?.updated = now.milliseconds }
  }

  package func expire(
    before limit: Date, believable: ClosedRange<Date>, dryRun: Bool
  ) throws(PhotoError) -> (drafts: Int, gone: [BlobPath]) {
    let now = believable.upperBound
    let range = believable.lowerBound.milliseconds...now.milliseconds
    func expired(
      _ state: inout MemoryRecords
    ) throws(PhotoError) -> (drafts: Int, gone: [BlobPath]) {
      var (drafts, gone) = (0, [BlobPath]())
      for (draft, attachment) in state.attachments {
        guard let record = state.attachment(draft) else { continue }
        let restored = state.apply(try record.restored(), to: draft, at: now)
        guard range.contains(attachment.updated) else {
          state.attachments[draft]?.updated = now.milliseconds
          continue
        }
        if attachment.updated >= limit.milliseconds { continue }
        if case .loading = restored.machine.state { continue }
        gone += state.apply(.expire, to: draft, at: now).gone
        state.attachments[draft] = nil
        drafts += 1
      }
      return (drafts, Set(gone).filter { !state.isReferenced($0) })
    }
    if !dryRun { return try act { state throws(PhotoError) in try expired(&state) } }
    var copy = memory.state.withLock { $0 }
    return try expired(&copy)
  }

  package func abandonedDrafts() throws(PhotoError) -> [String] {
    try act { state in
      state.attachments.keys.filter { draft in
        guard let record = state.attachment(draft), case .loading = record.machine.state else {
          return false
        }
        return !record.isOwnerAlive
      }
    }
  }

  package func watch(
    draft: String, _ hear: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    let id = UUID()
    watchers.withLock { $0[id] = (draft, hear) }
    let isOver = memory.state.withLock { !hear($0.attachment(draft)) }
    if isOver { watchers.withLock { $0[id] = nil } }
    return { [weak self] in _ = self?.watchers.withLock { $0.removeValue(forKey: id) } }
  }

  // MARK: - Photos and pictures

  package func photo(id: String) throws(PhotoError) -> SealedRecord? {
    try act { $0.photo(id) }
  }

  package func photo(sequence: Int64) throws(PhotoError) -> SealedRecord? {
    try act { state in state.photos.first { $0.sequence == sequence } }
  }

  package func newest(
    _ limit: Int, before sequence: Int64
  ) throws(PhotoError) -> [SealedRecord] {
    try act { state in
      Array(state.photos.filter { $0.sequence < sequence }.reversed().prefix(limit))
    }
  }

  package func page(
    after sequence: Int64, limit: Int, attachedOnly: Bool
  ) throws(PhotoError) -> [SealedRecord] {
    try act { state in
      Array(
        state.photos.filter {
          $0.sequence > sequence && (!attachedOnly || state.isAttached($0.id))
        }.prefix(limit))
    }
  }

  package func similar(
    to id: UUID, distance: Int, limit: Int
  ) throws(PhotoError) -> [(photo: SealedRecord, distance: Int)] {
    try act { state throws(PhotoError) in
      guard let own = state.library[id.uuidString] else { throw .missingPhoto }
      let near = state.library.filter { $0.key != id.uuidString }
        .map { ($0.key, ($0.value.hash ^ own.hash).nonzeroBitCount) }
        .filter { $0.1 <= distance }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
      return near.prefix(limit).compactMap { id, bits in state.photo(id).map { ($0, bits) } }
    }
  }

  package func unreferenced(_ places: [BlobPath]) throws(PhotoError) -> [BlobPath] {
    try act { state in places.filter { !state.isReferenced($0) } }
  }

  package func release(
    _ places: [BlobPath], deleting: (BlobPath) throws(PhotoError) -> Int?
  ) throws(PhotoError) -> (files: Int, bytes: Int) {
    try act { state throws(PhotoError) in
      var removed = (files: 0, bytes: 0)
      for place in places where !state.isReferenced(place) {
        guard let bytes = try deleting(place) else { continue }
        removed.files += 1
        removed.bytes += bytes
      }
      return removed
    }
  }

  package func isYoungerThanPictures() throws(PhotoError) -> Bool {
    try act { $0.isYounger }
  }

  package func close() throws(PhotoError) {
    faults.close()
  }
}
