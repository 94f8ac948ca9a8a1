import Foundation
import PhotoIngestion

/// Decides the results of a group (a batch of an import's files) from its findings and from the catalog's knowledge,
/// for `LibraryWriter`. It has no side effects. Other imports may have recorded the same pictures meanwhile.
struct GroupResolver {
  /// The changes to record.
  private(set) var decision = GroupDecision()
  /// The results of the files, in the group's order.
  private(set) var files: [ImportedFile] = []
  /// The staged pictures of new photos, which have to be named.
  private(set) var pictures: [StagedPicture] = []
  /// Pictures that photos on record have too. They are named if the recorded ones are missing or damaged.
  private(set) var spares: [StagedPicture] = []

  /// The catalog's knowledge before the group, and the decisions of the group so far.
  private var knowledge: GroupKnowledge
  private let lost: Set<UUID>
  private let newPhoto: (StagedPhoto) -> PhotoAttachmentMetadata
  private let takesForgotten: Bool
  /// The dates of the files, in the group's order.
  private let dates: [TakenDate?]

  /// Resolves a group.
  ///
  /// - Parameters:
  ///   - twins: a picture with the same pixels in another encoding, for each finding.
  ///   - knowledge: the result of `query` for the group.
  ///   - lost: the photos in `knowledge.records` whose blob is missing.
  ///   - dates: the date of each finding. Empty without dates.
  ///   - takesForgotten: `true` to import files again whose photos were forgotten.
  ///   - newPhoto: returns the metadata of a new photo.
  init(
    _ group: [ImportFinding], twins: [PixelTwin?], knowledge: GroupKnowledge, lost: Set<UUID>,
    dates: [TakenDate?] = [], takesForgotten: Bool = false,
    newPhoto: @escaping (StagedPhoto) -> PhotoAttachmentMetadata
  ) throws(StoreError) {
    self.takesForgotten = takesForgotten
    self.dates = dates
    self.knowledge = knowledge
    self.lost = lost
    self.newPhoto = newPhoto
    for (finding, twin) in zip(group, twins) { try resolve(finding, twin) }
  }

  /// Returns the lookups that resolving a group needs.
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
    // A forgotten file is only refused at this path. If the same bytes are elsewhere, they are imported.
    var source = SourceRecord(
      path: file.key, identity: file.identity,
      sha256: outcome == .skipped(.forgotten) ? nil : sha256, knowledge: nil)
    switch outcome {
    case .imported(let photo): source.knowledge = .photo(photo.id, nil)
    case .duplicate(let photo, let tier): source.knowledge = .photo(photo, tier)
    case .unchanged(let photo):
      if case .moved(_, let tier) = finding.verdict { source.knowledge = .photo(photo, tier) }
    case .failed(let refusal), .skipped(let refusal):
      source.knowledge = refusal.isPermanent ? .refused(refusal) : nil
    }
    addSource(source)
    let isNew = if case .imported = outcome { true } else { false }
    if isNew {
      pictures += finding.pictures
    } else {
      spares += finding.pictures.filter { knowledge.referenced.contains($0.place) }
    }
    files.append(
      ImportedFile(path: file.path, sizeBytes: file.identity.size, outcome: outcome))
  }

  private mutating func addSource(_ source: SourceRecord) {
    guard let known = source.knowledge else {
      // The existing record of this path belongs to an older file.
      return decision.forgotten.append(source.path)
    }
    decision.sources.append(source)
    if let photo = known.photo, dates.indices.contains(files.count), let date = dates[files.count],
      date.isBetter(than: decision.dates[photo])
    {
      decision.dates[photo] = date
    }
    if let digest = source.sha256, knowledge.sources[digest] == nil {
      knowledge.sources[digest] = known
    }
  }

  /// Returns the result of a file whose bytes occurred before in this import, or in another one meanwhile.
  private func duplicate(
    of photo: UUID?, _ tier: ImportOutcome.DuplicateTier, sha256: String?
  ) -> ImportOutcome {
    if let photo, knowledge.library.contains(photo) { return .duplicate(of: photo, tier: tier) }
    switch sha256.flatMap({ knowledge.sources[$0] }) {
    case .photo(let id, _)?: return .duplicate(of: id, tier: tier)
    case .refused(let refusal)?: return refusal.outcome
    // Its photo was forgotten a moment ago. The next import takes it.
    case nil: return ImportRefusal.changing.outcome
    }
  }

  private mutating func resolve(
    _ staged: StagedPhoto, _ twin: PixelTwin?, _ mark: String?
  ) throws(StoreError) -> ImportOutcome {
    // Another import may have recorded the same file meanwhile.
    if case .photo(let id, _)? = knowledge.sources[staged.facts.source.sha256] {
      renew(id, with: staged)
      return .duplicate(of: id, tier: .bytes)
    }
    if let mark, !takesForgotten, knowledge.erased.contains(mark) {
      return .skipped(.forgotten)
    }
    // Equal blobs have equal pixels, so only the metadata differs.
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

  /// Replaces the missing blob of a photo with one that was just made from the same original. The bytes may differ from
  /// the missing ones, because it may be made in another form.
  private mutating func renew(_ id: UUID, with staged: StagedPhoto) {
    guard lost.contains(id), let photo = knowledge.records[id], photo.isSealed,
      photo.place(.blob) != staged.blob.place
    else { return }
    decision.renewals.append(.init(old: photo, pictures: staged.pictures))
    knowledge.referenced.formUnion([staged.blob.place, staged.preview.place])
    knowledge.records[id] = nil
  }
}

/// A picture with equal pixels in another encoding.
enum PixelTwin: Equatable {
  case inLibrary(UUID)
  /// The index of the picture in the group.
  case inGroup(Int)
}
