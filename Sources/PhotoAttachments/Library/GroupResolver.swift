import Foundation
import PhotoIngestion

/// What becomes of a group of an import, decided of what was found and of what is known: a pure
/// function. Other imports may have recorded the same picture meanwhile.
struct GroupResolver {
  private(set) var decision = GroupDecision()
  /// What became of each file, in the order of the group.
  private(set) var files: [ImportedFile] = []
  private(set) var pictures: [StagedPicture] = []
  /// Pictures that photos on record show too: named when theirs are lost or damaged.
  private(set) var spares: [StagedPicture] = []

  /// By what is known before the group, and by what it decided so far.
  private var knowledge: GroupKnowledge
  private let lost: Set<UUID>
  private let newPhoto: (StagedPhoto) -> PhotoAttachmentMetadata
  private let takesForgotten: Bool

  /// Resolves a group.
  ///
  /// - Parameters:
  ///   - twins: for each finding a picture that has the same pixels in another coding.
  ///   - knowledge: what is known of the group (`query`).
  ///   - lost: photos of `knowledge.records` whose blob is not there.
  ///   - takesForgotten: whether files are taken in anew whose photos were forgotten.
  ///   - newPhoto: the photo that a new picture becomes.
  init(
    _ group: [ImportFinding], twins: [PixelTwin?], knowledge: GroupKnowledge, lost: Set<UUID>,
    takesForgotten: Bool = false, newPhoto: @escaping (StagedPhoto) -> PhotoAttachmentMetadata
  ) throws(StoreError) {
    self.takesForgotten = takesForgotten
    self.knowledge = knowledge
    self.lost = lost
    self.newPhoto = newPhoto
    for (finding, twin) in zip(group, twins) { try resolve(finding, twin) }
  }

  static func query(_ group: [ImportFinding], twins: [PixelTwin?]) -> GroupQuery {
    var query = GroupQuery()
    for (finding, twin) in zip(group, twins) {
      if case .inLibrary(let id)? = twin { query.photos.insert(id) }
      switch finding.verdict {
      case .staged(let staged):
        query.digests.insert(staged.facts.source.sha256)
        query.blobs.insert(staged.blob.place)
        query.pictures.formUnion(finding.pictures.map(\.place))
        if let mark = finding.mark { query.marks.insert(mark) }
      case .duplicate(let photo, _):
        if let photo { query.photos.insert(photo) }
        if case .file(_, let digest?) = finding.path { query.digests.insert(digest) }
      case .known, .moved, .refused: continue
      }
    }
    return query
  }

  private mutating func resolve(_ finding: ImportFinding, _ twin: PixelTwin?) throws(StoreError) {
    if let settled = finding.settled { return files.append(settled) }
    guard case .file(let file, let sha256) = finding.path else { throw .fault(.importFinding) }
    let outcome =
      switch finding.verdict {
      case .known(let known): known
      case .moved(let photo, _): ImportOutcome.unchanged(photo)
      case .refused(let refusal): refusal.outcome
      case .duplicate(let photo, let tier): duplicate(of: photo, tier, sha256: sha256)
      case .staged(let staged): try resolve(staged, twin, finding.mark)
      }
    // A forgotten file is refused for where it lies: the same bytes elsewhere are not.
    var source = SourceRecord(
      path: file.key, identity: file.identity,
      sha256: outcome == .skipped(.forgotten) ? nil : sha256, knowledge: nil)
    switch outcome {
    case .imported(let photo): source.knowledge = .photo(photo.id, nil)
    case .duplicate(let photo, let tier): source.knowledge = .photo(photo, tier)
    case .unchanged(let photo):
      if case .moved(_, let tier) = finding.verdict { source.knowledge = .photo(photo, tier) }
    case .failed(let refusal), .skipped(let refusal):
      source.knowledge = refusal.isLasting ? .refused(refusal) : nil
    }
    note(source)
    let isNew = if case .imported = outcome { true } else { false }
    if isNew {
      pictures += finding.pictures
    } else {
      spares += finding.pictures.filter { knowledge.referenced.contains($0.place) }
    }
    files.append(
      ImportedFile(path: file.path, sizeBytes: file.identity.size, outcome: outcome))
  }

  private mutating func note(_ source: SourceRecord) {
    guard let known = source.knowledge else {
      // What was known of this path is of an older file.
      return decision.forgotten.append(source.path)
    }
    decision.sources.append(source)
    if let digest = source.sha256, knowledge.sources[digest] == nil {
      knowledge.sources[digest] = known
    }
  }

  /// Bytes that came before in this run, or by another import meanwhile.
  private func duplicate(
    of photo: UUID?, _ tier: ImportOutcome.DuplicateTier, sha256: String?
  ) -> ImportOutcome {
    if let photo, knowledge.library.contains(photo) { return .duplicate(of: photo, tier: tier) }
    switch sha256.flatMap({ knowledge.sources[$0] }) {
    case .photo(let id, _)?: return .duplicate(of: id, tier: tier)
    case .refused(let refusal)?: return refusal.outcome
    // Its photo was forgotten a moment ago; the next run takes it.
    case nil: return ImportRefusal.changing.outcome
    }
  }

  private mutating func resolve(
    _ staged: StagedPhoto, _ twin: PixelTwin?, _ mark: String?
  ) throws(StoreError) -> ImportOutcome {
    // Another import may have been faster.
    if case .photo(let id, _)? = knowledge.sources[staged.facts.source.sha256] {
      renew(id, with: staged)
      return .duplicate(of: id, tier: .bytes)
    }
    if let mark, !takesForgotten, knowledge.erased.contains(mark) {
      return .skipped(.forgotten)
    }
    // Equal blobs have equal pixels: only metadata differed.
    if let id = knowledge.blobs[staged.blob.place] { return .duplicate(of: id, tier: .pixels) }
    switch twin {
    case .inLibrary(let id)? where knowledge.library.contains(id):
      return .duplicate(of: id, tier: .pixels)
    case .inGroup(let index)?:
      switch files[index].outcome {
      case .imported(let photo): return .duplicate(of: photo.id, tier: .pixels)
      case .duplicate(let id, _): return .duplicate(of: id, tier: .pixels)
      case .unchanged, .skipped, .failed: break
      }
    default: break
    }
    let photo = newPhoto(staged)
    decision.photos.append(
      .init(record: try SealedRecord(photo), perceptualHash: staged.perceptualHash))
    knowledge.sources[photo.source.sha256] = .photo(photo.id, nil)
    knowledge.blobs[staged.blob.place] = photo.id
    knowledge.library.insert(photo.id)
    return .imported(photo)
  }

  /// Gives a photo on record that has lost its blob the one just made from the same original. Its
  /// bytes may differ from the lost ones, because it may be made in another form.
  private mutating func renew(_ id: UUID, with staged: StagedPhoto) {
    guard lost.contains(id), let photo = knowledge.records[id], photo.isSealed,
      photo.place(.blob) != staged.blob.place
    else { return }
    decision.renewals.append(.init(old: photo, pictures: staged.pictures))
    knowledge.referenced.formUnion([staged.blob.place, staged.preview.place])
    knowledge.records[id] = nil
  }
}

/// A picture with equal pixels in another coding.
enum PixelTwin: Equatable {
  case inLibrary(UUID)
  /// By its place in the group.
  case inGroup(Int)
}
