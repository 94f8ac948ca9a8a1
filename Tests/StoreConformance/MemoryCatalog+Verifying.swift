package import Foundation
package import PhotoAttachments
import Synchronization

/// What verifying and repairing asks and changes.
extension MemoryCatalog {
  package func checkIntegrity() throws(StoreError) { try act { _ in } }

  package func hold<T>(
    dryRun: Bool, _ work: (any HeldRecords) throws(StoreError) -> T
  ) throws(StoreError) -> T {
    try act { state throws(StoreError) in try work(state) }
  }

  package func damages() throws(StoreError) -> [EntryDamage] { try act { $0.damages } }

  package func problem(of entry: CatalogEntry) throws(StoreError) -> StoreProblem? {
    try act { state in state.damages.first { $0.entry == entry }?.problem }
  }

  package func replace(
    _ old: SealedRecord, by new: SealedRecord, showing pictures: SealedRecord.Pictures?,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try act { state throws(StoreError) in
      let isThere = state.photos.contains(old) || fault == .replacesTheChanged
      guard isThere, try naming() else { return false }
      if let pictures { state.show(pictures, by: old) }
      state.replace(old, by: new)
      return true
    }
  }

  package func remake(
    _ photo: SealedRecord, naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try act { state throws(StoreError) in
      if fault == .namesBeforeChecks { guard try naming() else { return false } }
      guard state.library[photo.id] != nil, state.photo(photo.id) == nil,
        fault == .namesBeforeChecks ? true : try naming()
      else { return false }
      state.insert(photo)
      return true
    }
  }

  package func letGo(_ entry: CatalogEntry, at now: Date) throws(StoreError) {
    try act { state throws(StoreError) in
      let isDangling = state.damages.contains { $0.entry == entry && $0.problem == .reference }
      guard isDangling || fault == .letsGoOfTheSound else { return }
      switch entry {
      case .attachment(let draft):
        guard let gone = state.attachments[draft]?.machine.photo else { return }
        _ = state.apply(.forget(gone), to: draft, at: now)
      case .library(let photo):
        state.library[photo] = nil
        state.sources = state.sources.filter { $0.value.knowledge?.photo?.uuidString != photo }
      case .source(let path): state.sources[Array(path)] = nil
      case .asset(let id):
        guard let photo = state.photo(id) else { return }
        state.replace(photo, by: photo.with(["assetIdentifier": .null]))
      case .other: break
      }
    }
  }

  package func correctSource(path: Data) throws(StoreError) {
    try act { state in
      let damage = state.damages.first { $0.entry == .source(path: path) }
      guard damage?.problem == .record, let photo = state.sources[Array(path)]?.knowledge?.photo
      else { return }
      let digest = state.photo(photo.uuidString)?.text("sourceSHA256")
      state.sources[Array(path)]?.sha256 = digest
    }
  }

  package func librarySeal(photo: String) throws(StoreError) -> String? {
    try act { $0.library[photo]?.seal }
  }

  package func setPerceptualHash(_ hash: UInt64, photo: UUID) throws(StoreError) {
    try act { state in
      guard state.library[photo.uuidString] != nil else { return }
      state.library[photo.uuidString] = .init(photo.uuidString, hash)
      if fault == .hashesUnsealed { state.library[photo.uuidString]?.seal = "" }
    }
  }

  package func originals(
    ids: [String], sha256: String?
  ) throws(StoreError) -> [NotedOriginal] {
    try act { $0.originals(ids: ids, sha256: sha256) }
  }

  package func originalDigests(photo: String) throws(StoreError) -> Set<String> {
    try act { state in
      Set(
        state.sources.values.filter { $0.knowledge?.photo?.uuidString == photo }
          .compactMap(\.sha256))
    }
  }

  package func missedPhotos() throws(StoreError) -> [String] {
    try act { state in
      let missed = state.damages.compactMap(\.photo).filter { state.photo($0) == nil }
      return Set(missed).sorted()
    }
  }

  /// Loses the record of a photo and nothing else, as damage does.
  package func lose(photo: String) {
    memory.state.withLock { $0.photos.removeAll { $0.id == photo } }
  }
}
