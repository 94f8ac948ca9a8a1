import Foundation
import Synchronization

/// A catalog for a dry run: what it records stays in memory, over any catalog, and is gone with it.
final class DryRunCatalog: LibraryCatalog {
  private let base: any LibraryCatalog
  private let recorded: Recorded

  /// A dry run over a catalog, in which nothing is changed.
  convenience init(over base: any LibraryCatalog) { self.init(base, Recorded()) }

  private init(_ base: any LibraryCatalog, _ recorded: Recorded) {
    (self.base, self.recorded) = (base, recorded)
  }

  func looks(
    at files: [(path: [UInt8], identity: FileIdentity)]
  ) throws(StoreError) -> [SourceLook?] {
    let known = try base.looks(at: files)
    return recorded.state.withLock { state in
      zip(files, known).map { file, known in
        if let record = state.paths[file.path], record.identity == file.identity {
          return SourceLook(record: record, isSamePath: true, blob: nil)
        }
        // What this run found under a path took the place of what was known of it.
        if let known, state.paths[known.record.path] == nil,
          !state.forgotten.contains(known.record.path)
        {
          return known
        }
        guard let record = state.identities[file.identity], state.paths[record.path] == record
        else { return nil }
        return SourceLook(record: record, isSamePath: false, blob: nil)
      }
    }
  }

  func known(sha256: String) throws(StoreError) -> KnownSource? {
    let known = try base.known(sha256: sha256)
    if known?.knowledge.photo != nil { return known }
    return recorded.state.withLock { state in
      state.knowledge.sources[sha256].map { KnownSource($0, blob: nil) } ?? known
    }
  }

  /// Pictures of this run are stored nowhere, so nothing can be compared with them.
  func candidates(
    for pictures: [(SealedRecord.Pictures, perceptualHash: UInt64)]
  ) throws(StoreError) -> [[SealedRecord]] {
    try base.candidates(for: pictures)
  }

  func knowledge(of question: GroupQuestion) throws(StoreError) -> GroupKnowledge {
    var knowledge = try base.knowledge(of: question)
    recorded.state.withLock { state in
      knowledge.sources.merge(
        state.knowledge.sources.filter { question.digests.contains($0.key) }
      ) { known, own in known.photo == nil ? own : known }
      knowledge.blobs.merge(
        state.knowledge.blobs.filter { question.blobs.contains($0.key) }
      ) { known, _ in known }
      knowledge.library.formUnion(state.knowledge.library.intersection(question.photos))
    }
    return knowledge
  }

  func record(
    _ question: GroupQuestion,
    decide: (GroupKnowledge) throws(StoreError) -> GroupDecision,
    naming: (GroupDecision) throws(StoreError) -> Void
  ) throws(StoreError) -> GroupDecision {
    let decision = try decide(try knowledge(of: question))
    try naming(decision)
    recorded.state.withLock { $0.take(decision) }
    return decision
  }

  func forLooks() throws(StoreError) -> any LibraryCatalog {
    DryRunCatalog(try base.forLooks(), recorded)
  }

  /// What this run would have recorded.
  private final class Recorded: Sendable {
    struct State {
      var paths: [[UInt8]: SourceRecord] = [:]
      /// Files that became or equal a photo.
      var identities: [FileIdentity: SourceRecord] = [:]
      var forgotten: Set<[UInt8]> = []
      var knowledge = GroupKnowledge()

      mutating func take(_ decision: GroupDecision) {
        for photo in decision.photos {
          guard let id = UUID(uuidString: photo.record.id) else { continue }
          knowledge.library.insert(id)
          if let blob = photo.record.place(.blob) { knowledge.blobs[blob] = id }
        }
        for source in decision.sources {
          paths[source.path] = source
          forgotten.remove(source.path)
          if case .photo? = source.knowledge { identities[source.identity] = source }
          if let digest = source.sha256, knowledge.sources[digest]?.photo == nil {
            knowledge.sources[digest] = source.knowledge
          }
        }
        for path in decision.forgotten {
          paths[path] = nil
          forgotten.insert(path)
        }
      }
    }
    let state = Mutex(State())
  }
}
