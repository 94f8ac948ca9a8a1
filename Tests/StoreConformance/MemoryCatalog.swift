package import Foundation
package import PhotoAttachments
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
    case tellsUnordered, tellsTwice, tellsNothingFirst, hearsForEver, tellsOnlyItsOwn
    case sealsOtherFields, losesForms
    case failsAfterTheAct, worksClosed, closesOverCalls
    case pagesTwice, newestWithTheCursor, attachedAreAll
    case expiresTheMomentItself, expiresInADryRun, believesAnything, touchesNothing
    case forgetsAttachments, keepsForgottenFiles, losesMarks
    case looksAtPathsOnly, knowsOtherDigests, similarUnordered, originalsUnordered
    case beginningsUnordered, beginningsWithinIDs
    case replacesTheChanged, letsGoOfTheSound, hashesUnsealed, twinsOfAnySize
    case keepsSizes, sizesOfAnyBlob, trimsTheNewest, forgetsDigests
  }

  /// What is on record.
  package final class Memory: Sendable {
    let state = Mutex(MemoryRecords())
    fileprivate let watchers = Mutex<[UUID: Watcher]>([:])
    package init() {}
  }

  package typealias Machine = AttachmentRecord.Machine
  fileprivate struct Watcher {
    let draft: String
    let catalog: ObjectIdentifier
    let hear: @Sendable (AttachmentRecord?) -> Bool
  }
  let memory: Memory
  let fault: Fault?
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
    _ call: String = #function, _ work: (inout MemoryRecords) throws(StoreError) -> T
  ) throws(StoreError) -> T {
    try enter()
    defer { calls.leave() }
    let isLate = fault == .failsAfterTheAct
    if !isLate { try faults.pass(call) }
    if fault == .namesUnheld,
      ["confirm", "record", "attach", "replace", "remake"].contains(
        where: call.hasPrefix)
    {
      return try unheld(work)
    }
    var late: [AttachmentRecord] = []
    let result: Result<T, StoreError> = memory.state.withLock { state in
      var copy = state
      copy.fault = fault
      do throws(StoreError) {
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
    _ work: (inout MemoryRecords) throws(StoreError) -> T
  ) throws(StoreError) -> T {
    var copy = memory.state.withLock { $0 }
    let value = try work(&copy)
    memory.state.withLock { $0 = copy }
    return value
  }

  private func enter() throws(StoreError) {
    let isEntered = isClosed.withLock { isClosed in
      if !isClosed || fault == .worksClosed { calls.enter() }
      return !isClosed || fault == .worksClosed
    }
    guard isEntered else { throw .database(what: "closed", detail: "") }
  }

  package func close() throws(StoreError) {
    isClosed.withLock { $0 = true }
    if fault != .closesOverCalls { calls.wait() }
  }

  private func tell(_ record: AttachmentRecord) {
    let hears = memory.watchers.withLock {
      $0.filter { [id = ObjectIdentifier(self)] _, watcher in
        watcher.draft == record.draft && (fault != .tellsOnlyItsOwn || watcher.catalog == id)
      }
    }
    for (id, watcher) in hears {
      if fault == .tellsTwice { _ = watcher.hear(record) }
      if !watcher.hear(record), fault != .hearsForEver {
        memory.watchers.withLock { $0[id] = nil }
      }
    }
  }

  package func watch(
    draft: String, _ hear: @escaping @Sendable (AttachmentRecord?) -> Bool
  ) -> @Sendable () -> Void {
    let id = UUID()
    memory.state.withLock { state in
      if fault == .tellsNothingFirst || hear(state.attachment(draft)) {
        memory.watchers.withLock {
          $0[id] = Watcher(draft: draft, catalog: ObjectIdentifier(self), hear: hear)
        }
      }
    }
    return { [memory] in memory.watchers.withLock { $0[id] = nil } }
  }

  // MARK: - Photos and pictures

  package func photo(id: String) throws(StoreError) -> SealedRecord? {
    try act { $0.photo(id) }
  }

  package func lookUp(photo id: String) async throws(StoreError) -> SealedRecord? {
    try photo(id: id)
  }

  package func ids(beginning text: String, limit: Int) throws(StoreError) -> [String] {
    try act { state in
      let ids = state.photos.map(\.id)
      let found = ids.filter {
        fault == .beginningsWithinIDs ? text.isEmpty || $0.contains(text) : $0.hasPrefix(text)
      }
      return Array((fault == .beginningsUnordered ? found : found.sorted()).prefix(limit))
    }
  }

  package func photo(sequence: Int64) throws(StoreError) -> SealedRecord? {
    try act { state in state.photos.first { $0.sequence == sequence } }
  }

  package func newest(
    _ limit: Int, before sequence: Int64
  ) throws(StoreError) -> [SealedRecord] {
    try act { state in
      Array(
        state.photos.filter {
          $0.sequence < sequence || fault == .newestWithTheCursor && $0.sequence == sequence
        }.reversed().prefix(limit))
    }
  }

  package func page(
    after sequence: Int64, limit: Int, attachedOnly: Bool
  ) throws(StoreError) -> [SealedRecord] {
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
  ) throws(StoreError) -> [(photo: SealedRecord, distance: Int)] {
    try act { state throws(StoreError) in
      guard let own = state.library[id.uuidString] else { throw .missingPhoto }
      let near = state.library.filter { $0.key != id.uuidString }
        .map { ($0.key, ($0.value.hash ^ own.hash).nonzeroBitCount) }
        .filter { $0.1 <= distance }
        .sorted { fault == .similarUnordered ? $0.1 > $1.1 : ($0.1, $0.0) < ($1.1, $1.0) }
      return near.prefix(max(0, limit)).compactMap { id, bits in state.photo(id).map { ($0, bits) }
      }
    }
  }

  package func unreferenced(_ places: [BlobPath]) throws(StoreError) -> [BlobPath] {
    try act { state in
      if fault == .deletesInBatchesOnly, places.count == 1 { return [] }
      return places.filter { !state.isReferenced($0) }
    }
  }

  package func release(
    _ places: [BlobPath], deleting: (BlobPath) throws(StoreError) -> Int?
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    if fault == .deletesUnheld {
      var removed = (files: 0, bytes: 0)
      for place in try unreferenced(places) {
        guard let bytes = try deleting(place) else { continue }
        removed = (removed.files + 1, removed.bytes + bytes)
      }
      return removed
    }
    return try act { state throws(StoreError) in
      var removed = (files: 0, bytes: 0)
      for place in places where !state.isReferenced(place) || fault == .deletesReferenced {
        guard let bytes = try deleting(place) else { continue }
        removed.files += 1
        removed.bytes += bytes
      }
      return removed
    }
  }

  package func isYoungerThanPictures() throws(StoreError) -> Bool {
    try act { $0.isYounger }
  }
}
