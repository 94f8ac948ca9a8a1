package import Foundation
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// A catalog in memory, which fails on demand: the smallest one that keeps the promises. Several may
/// share one memory, as processes share a database. It can be told to break a rule, so that the rules
/// prove that they notice.
package final class MemoryCatalog: PhotoCatalog {
  /// A rule to break.
  package enum Fault: CaseIterable, Sendable {
    case namesBeforeChecks, namesTwice, recordsUnnamed, namesUnheld, recordsHalves
    case deletesReferenced, deletesUnheld, deletesInBatchesOnly, takesSharedPhotos
    case repeatsTickets, takesAnyTicket, restoresTheLiving, losesFailures
    case tellsUnordered, tellsTwice, tellsNothingFirst, hearsForEver
    case sealsOtherFields, losesForms
    case failsAfterTheAct, worksClosed, closesOverCalls
    case pagesTwice, newestWithTheCursor, attachedAreAll
    case expiresTheMomentItself, expiresInADryRun, believesAnything, touchesNothing
    case forgetsAttachments, keepsForgottenFiles
    case looksAtPathsOnly, knowsOtherDigests, similarUnordered, originalsUnordered
    case replacesTheChanged, letsGoOfTheSound, hashesUnsealed, twinsOfAnySize
  }

  /// What is on record.
  package final class Memory: Sendable {
    let state = Mutex(MemoryRecords())
    package init() {}
  }

  package typealias Machine = AttachmentRecord.Machine
  private typealias Hear = @Sendable (AttachmentRecord?) -> Bool
  let memory: Memory
  let fault: Fault?
  private let watchers = Mutex<[UUID: (draft: String, hear: Hear)]>([:])
  private let isClosed = Mutex(false)
  private let calls = DispatchGroup()
  package let faults: Faults

  package init(
    _ memory: Memory = Memory(), faults: Faults = Faults(), breaking fault: Fault? = nil
  ) {
    (self.memory, self.faults, self.fault) = (memory, faults, fault)
  }

  /// An act: it happens whole, or not at all.
  func act<T>(
    _ call: String = #function, _ work: (inout MemoryRecords) throws(PhotoError) -> T
  ) throws(PhotoError) -> T {
    try enter()
    defer { calls.leave() }
    let isLate = fault == .failsAfterTheAct
    if !isLate { try faults.pass(call) }
    if fault == .namesUnheld, ["confirm", "record", "attach", "replace", "remake"].contains(
      where: call.hasPrefix)
    {
      return try unheld(work)
    }
    var late: [AttachmentRecord] = []
    let result: Result<T, PhotoError> = memory.state.withLock { state in
      var copy = state
      copy.fault = fault
      do throws(PhotoError) {
        let value = try work(&copy)
        let changed = copy.changed
        copy.changed = []
        state = copy
        // Here, so that they are heard in the order in which they happened.
        if fault == .tellsUnordered { late = changed } else { changed.forEach(tell) }
        return .success(value)
      } catch {
        if fault == .recordsHalves { state = copy }
        return .failure(error)
      }
    }
    if !late.isEmpty { usleep(.random(in: 0...2000)) }
    late.forEach(tell)
    if isLate { try faults.pass(call) }
    return try result.get()
  }

  /// The act of a broken store, which looks and then writes.
  private func unheld<T>(
    _ work: (inout MemoryRecords) throws(PhotoError) -> T
  ) throws(PhotoError) -> T {
    var copy = memory.state.withLock { $0 }
    let value = try work(&copy)
    memory.state.withLock { $0 = copy }
    return value
  }

  private func enter() throws(PhotoError) {
    let isEntered = isClosed.withLock { isClosed in
      if !isClosed || fault == .worksClosed { calls.enter() }
      return !isClosed || fault == .worksClosed
    }
    guard isEntered else { throw .database(what: "closed", detail: "") }
  }

  package func close() throws(PhotoError) {
    isClosed.withLock { $0 = true }
    if fault != .closesOverCalls { calls.wait() }
  }

  private func tell(_ record: AttachmentRecord) {
    let hears = watchers.withLock { $0.filter { $0.value.draft == record.draft } }
    for (id, watcher) in hears {
      if fault == .tellsTwice { _ = watcher.hear(record) }
      if !watcher.hear(record), fault != .hearsForEver { watchers.withLock { $0[id] = nil } }
    }
  }

  package func watch(
    draft: String, _ hear: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    let id = UUID()
    memory.state.withLock { state in
      if fault == .tellsNothingFirst || hear(state.attachment(draft)) {
        watchers.withLock { $0[id] = (draft, hear) }
      }
    }
    return { [weak self] in _ = self?.watchers.withLock { $0.removeValue(forKey: id) } }
  }

  // MARK: - What drafts show

  package func attachment(draft: String) throws(PhotoError) -> AttachmentRecord? {
    try act { $0.attachment(draft) }
  }

  package func begin(draft: String, at now: Date) throws(PhotoError) -> Machine.Ticket {
    try act { state throws(PhotoError) in
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
  ) throws(PhotoError) -> Applied {
    try act { $0.apply(event, to: draft, at: now) }
  }

  package func restore(draft: String, at now: Date) throws(PhotoError) {
    try act { state throws(PhotoError) in
      guard let record = state.attachment(draft) else { return }
      let event =
        fault == .restoresTheLiving ? .restore(ownerAlive: false) : try record.restored()
      _ = state.apply(event, to: draft, at: now)
    }
  }

  package func confirm(
    _ photo: SealedRecord, draft: String, ticket: Machine.Ticket, at now: Date,
    naming: () throws(PhotoError) -> Bool
  ) throws(PhotoError) -> Applied? {
    guard let id = UUID(uuidString: photo.id) else { throw .fault(what: "record") }
    return try act { state throws(PhotoError) in
      if state.photo(photo.id) != nil { throw .database(what: "failed", detail: "id") }
      if fault == .namesTwice { _ = try naming() }
      guard try naming() || fault == .recordsUnnamed else { return nil }
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
      if state.photo(id.uuidString) != nil { throw .database(what: "failed", detail: "id") }
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

  package func touch(draft: String, at now: Date) throws(PhotoError) {
    try act { state in
      if fault != .touchesNothing { state.attachments[draft]?.updated = now.milliseconds }
    }
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
    return try act { state throws(PhotoError) in
      if !dryRun || fault == .expiresInADryRun { return try expired(&state) }
      var copy = state
      return try expired(&copy)
    }
  }

  package func abandonedDrafts() throws(PhotoError) -> [String] {
    try act { state in
      state.attachments.keys.filter { draft in
        guard let record = state.attachment(draft), case .loading = record.machine.state else {
          return false
        }
        return !record.isOwnerAlive
      }.sorted()
    }
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
      Array(state.photos.filter {
        $0.sequence < sequence || fault == .newestWithTheCursor && $0.sequence == sequence
      }.reversed().prefix(limit))
    }
  }

  package func page(
    after sequence: Int64, limit: Int, attachedOnly: Bool
  ) throws(PhotoError) -> [SealedRecord] {
    try act { state in
      Array(
        state.photos.filter {
          $0.sequence > sequence - (fault == .pagesTwice ? 1 : 0)
            && (!attachedOnly || state.isAttached($0.id) || fault == .attachedAreAll)
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
        .filter { $0.1 <= distance }
        .sorted { fault == .similarUnordered ? $0.1 > $1.1 : ($0.1, $0.0) < ($1.1, $1.0) }
      return near.prefix(max(0, limit)).compactMap { id, bits in state.photo(id).map { ($0, bits) } }
    }
  }

  package func unreferenced(_ places: [BlobPath]) throws(PhotoError) -> [BlobPath] {
    try act { state in
      if fault == .deletesInBatchesOnly, places.count == 1 { return [] }
      return places.filter { !state.isReferenced($0) }
    }
  }

  package func release(
    _ places: [BlobPath], deleting: (BlobPath) throws(PhotoError) -> Int?
  ) throws(PhotoError) -> (files: Int, bytes: Int) {
    if fault == .deletesUnheld {
      var removed = (files: 0, bytes: 0)
      for place in try unreferenced(places) {
        guard let bytes = try deleting(place) else { continue }
        removed = (removed.files + 1, removed.bytes + bytes)
      }
      return removed
    }
    return try act { state throws(PhotoError) in
      var removed = (files: 0, bytes: 0)
      for place in places where !state.isReferenced(place) || fault == .deletesReferenced {
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
}
