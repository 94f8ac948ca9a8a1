import Foundation
import Synchronization

/// The catalog as an import sees it. It serves ordinary imports, parts of shared imports, and dry runs, which only
/// record in memory. Calls block.
package struct LibraryCatalog: Sendable {
  private let catalog: Catalog
  private let part: ImportPart?
  private let run: LibraryRun?
  private let dryRunRecords: DryRunRecords?

  /// Creates the catalog of one import.
  ///
  /// - Parameters:
  ///   - part: the part of a shared import that counts the recorded files.
  ///   - run: the import that adds photos, unless it is a part of a shared one.
  ///   - dryRun: `true` to record in memory only.
  package init(
    _ catalog: Catalog, part: ImportPart? = nil, run: LibraryRun? = nil, dryRun: Bool = false
  ) {
    self.catalog = catalog
    self.part = part
    self.run = run
    dryRunRecords = dryRun ? DryRunRecords() : nil
  }

  /// See `Catalog.lookups`. Supports both objects and files.
  package func lookups(
    of files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLookup?] {
    let known: [SourceLookup?]
    if let part {
      let listed = files.map { (path: $0.path, identity: part.asListed($0.identity, $0.path)) }
      known = zip(try catalog.lookups(of: listed, origin: part.origin), files).map {
        part.asSeenHere($0, $1.path, $1.identity)
      }
    } else {
      known = try catalog.lookups(of: files)
    }
    return dryRunRecords?.lookups(of: files, known) ?? known
  }

  func knownSizes(among sizes: [Int]) throws(StoreError) -> Set<Int> {
    try catalog.knownSizes(among: sizes)
  }

  package func known(sha256: String) throws(StoreError) -> KnownSource? {
    let known = try catalog.known(sha256: sha256)
    guard let dryRunRecords, known?.knowledge.photo == nil else { return known }
    return dryRunRecords.source(sha256).map { KnownSource($0, blob: nil) } ?? known
  }

  /// See `Catalog.candidates`. A dry run doesn't use this, because it stores no pictures that could be compared.
  func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    try catalog.candidates(for: pictures)
  }

  package func knowledge(of query: GroupQuery) throws(StoreError) -> GroupKnowledge {
    let knowledge = try catalog.knowledge(of: query)
    return dryRunRecords?.knowledge(of: query, beside: knowledge) ?? knowledge
  }

  /// See `Catalog.record`.
  @discardableResult
  package func record(
    _ query: GroupQuery,
    decide: (GroupKnowledge) throws -> GroupDecision,
    naming: (GroupDecision) throws -> Void
  ) throws(StoreError) -> GroupDecision {
    if let dryRunRecords {
      let knowledge = try knowledge(of: query)
      let decision = try StoreError.catching {
        let decision = try decide(knowledge)
        try naming(decision)
        return decision
      }
      dryRunRecords.apply(decision)
      return decision
    }
    return try catalog.record(
      query, in: part, by: run,
      decide: { knowledge in
        var decision = try decide(knowledge)
        guard let part else { return decision }
        for index in decision.sources.indices {
          let source = decision.sources[index]
          decision.sources[index].identity = part.asListed(source.identity, source.path)
        }
        return decision
      }, naming: naming)
  }
}

extension ImportPart {
  /// Returns a file's identity with the device number that the listing machine uses.
  fileprivate func asListed(_ identity: FileIdentity, _ key: [UInt8]) -> FileIdentity {
    var listed = identity
    listed.device = devices[key] ?? identity.device
    return listed
  }

  /// Returns a lookup with the device number that this machine uses.
  fileprivate func asSeenHere(
    _ look: SourceLookup?, _ key: [UInt8], _ identity: FileIdentity
  ) -> SourceLookup? {
    guard var look else { return nil }
    if look.record.identity.device == devices[key] { look.record.identity.device = identity.device }
    return look
  }
}

/// The records that a dry run would have made, on top of the catalog.
private final class DryRunRecords: Sendable {
  private struct State {
    var paths: [[UInt8]: SourceRecord] = [:]
    /// Files that became or equal a photo.
    var identities: [FileIdentity: SourceRecord] = [:]
    var forgotten: Set<[UInt8]> = []
    var knowledge = GroupKnowledge()
  }
  private let state = Mutex(State())

  func lookups(
    of files: [(path: [UInt8], identity: FileIdentity)], _ known: [SourceLookup?]
  ) -> [SourceLookup?] {
    state.withLock { state in
      zip(files, known).map { file, known in
        if let record = state.paths[file.path], record.identity == file.identity {
          return SourceLookup(record: record, isSamePath: true, blob: nil)
        }
        // A result of this dry run for a path overrides the recorded one.
        if let known, state.paths[known.record.path] == nil,
          !state.forgotten.contains(known.record.path)
        {
          return known
        }
        guard let record = state.identities[file.identity], state.paths[record.path] == record
        else { return nil }
        return SourceLookup(record: record, isSamePath: false, blob: nil)
      }
    }
  }

  func source(_ digest: String) -> SourceKnowledge? {
    state.withLock { $0.knowledge.sources[digest] }
  }

  func knowledge(of query: GroupQuery, beside known: GroupKnowledge) -> GroupKnowledge {
    var knowledge = known
    state.withLock { state in
      knowledge.sources.merge(
        state.knowledge.sources.filter { query.digests.contains($0.key) }
      ) { known, own in known.photo == nil ? own : known }
      knowledge.blobs.merge(
        state.knowledge.blobs.filter { query.blobs.contains($0.key) }
      ) { known, _ in known }
      knowledge.library.formUnion(state.knowledge.library.intersection(query.photos))
    }
    return knowledge
  }

  func apply(_ decision: GroupDecision) {
    state.withLock { state in
      for photo in decision.photos {
        guard let id = UUID(uuidString: photo.record.id) else { continue }
        state.knowledge.library.insert(id)
        if let blob = photo.record.place(.blob) { state.knowledge.blobs[blob] = id }
      }
      for source in decision.sources {
        state.paths[source.path] = source
        state.forgotten.remove(source.path)
        if case .photo? = source.knowledge { state.identities[source.identity] = source }
        if let digest = source.sha256, state.knowledge.sources[digest]?.photo == nil {
          state.knowledge.sources[digest] = source.knowledge
        }
      }
      for path in decision.forgotten {
        state.paths[path] = nil
        state.forgotten.insert(path)
      }
    }
  }
}
