import Foundation
import PhotoIngestion
import SystemPackage

/// Records the findings of an import in groups, which are batches of its files. Pictures are synced first, then named
/// and recorded in one transaction, so that other processes can't delete them in between.
struct LibraryWriter: Sendable {
  let cache: PhotoAttachmentCache
  let catalog: LibraryCatalog
  let pipeline: PhotoPipeline
  let options: ImportOptions
  /// `true` if the catalog counts the files of every group, including groups without new photos.
  let countsFiles: Bool
  /// The store of the originals; `nil` if they are files.
  let objects: (any ObjectSource)?
  let destination: SourceDestination?
  let dryRunPhotos = DryRunPhotos()
  let sidecars: Sidecars

  init(
    cache: PhotoAttachmentCache, catalog: LibraryCatalog, pipeline: PhotoPipeline,
    options: ImportOptions, countsFiles: Bool = false, objects: (any ObjectSource)? = nil,
    destination: SourceDestination? = nil
  ) {
    self.cache = cache
    self.catalog = catalog
    self.pipeline = pipeline
    self.options = options
    self.countsFiles = countsFiles
    self.objects = objects
    self.destination = destination
    sidecars = Sidecars(keepsAll: options.removesSource)
  }

  /// Records a group in order. Then removes originals whose photos are verified, if the options ask for that.
  ///
  /// - Parameter times: the time spent is added here.
  /// - Returns: the result of each file.
  /// - Throws: storage and catalog errors. In that case nothing of the group is recorded.
  func write(
    _ group: [ImportFinding], _ times: inout StageTimes
  ) throws(StoreError) -> [ImportedFile] {
    // There is nothing new, so don't wait for a transaction or for another process's lock.
    let settled = group.compactMap(\.settled)
    if settled.count == group.count, !countsFiles {
      return try withDeletedSources(sidecars.recognized(settled, in: group), group)
    }
    var clock = StageClock(.store)
    defer { times += clock.stop() }
    let pictures = group.map(\.pictures)
    do throws(StoreError) {
      if !options.dryRun {
        try cache.blobs.sync(Array(pictures.joined()))
      }
      clock.enter(.record)
      let twins = try pixelTwins(in: group)
      let files = try record(group, twins: twins, &clock)
      for picture in pictures.joined() { cache.blobs.discard(picture) }
      return try withDeletedSources(files, group)
    } catch {
      // Pictures that were already named stay. `sweep` deletes them.
      for picture in pictures.joined() { cache.blobs.discard(picture) }
      throw error
    }
  }

  private func withDeletedSources(
    _ files: [ImportedFile], _ group: [ImportFinding]
  ) throws(StoreError) -> [ImportedFile] {
    guard options.removesSource else { return files }
    // In parallel, because most of the time is spent waiting for the store.
    if objects != nil, !options.dryRun {
      return try Array(zip(files, group)).concurrentMap { removingSource($0, $1) }
    }
    return zip(files, group).map(removingSource)
  }

  private func removingSource(_ file: ImportedFile, _ finding: ImportFinding) -> ImportedFile {
    var file = file
    removeSource(of: finding, &file)
    return file
  }

  private func record(
    _ group: [ImportFinding], twins: [PixelTwin?], _ clock: inout StageClock
  ) throws(StoreError) -> [ImportedFile] {
    var judgement: GroupResolver?
    let now = cache.now()
    let dates = group.map { date(of: $0, now: now) }
    try catalog.record(GroupResolver.query(group, twins: twins)) { knowledge in
      let made = try GroupResolver(
        group, twins: twins, knowledge: knowledge, lost: try lost(knowledge, group),
        dates: dates, takesForgotten: options.retriesRefused, newPhoto: newPhoto)
      judgement = made
      return countsFiles ? withResults(made, group) : made.decision
    } naming: { _ in
      guard let judgement, !options.dryRun else { return }
      clock.enter(.store)
      try cache.blobs.name(
        judgement.pictures + judgement.spares.filter { !cache.blobs.isIntact($0.place) })
      clock.enter(.record)
    }
    return judgement.map { sidecars.recognized($0.files, in: group) } ?? []
  }

  /// Returns the date on which a file's photo was taken. `nil` if the file isn't recorded with a photo.
  private func date(of finding: ImportFinding, now: Date) -> TakenDate? {
    guard case .file(let file, _) = finding.path else { return nil }
    var exif: TakenDate?
    switch finding.verdict {
    case .staged(let staged):
      exif = staged.facts.source.capturedAt.map { TakenDate($0, from: .exif) }
    case .duplicate, .moved: break
    case .known, .refused: return nil
    }
    // Most photos have their own date, so files beside them don't need to be read.
    if let exif = TakenDate.best(of: [exif], now: now) { return exif }
    let sidecar = objects == nil ? sidecars.takenDate(of: file) : nil
    let name = file.path.lastComponent.flatMap { TakenDate(fileName: $0.string) }
    return TakenDate.best(of: [sidecar, name], now: now)
  }

  private func withResults(_ judgement: GroupResolver, _ group: [ImportFinding]) -> GroupDecision {
    var decision = judgement.decision
    decision.results = zip(sidecars.recognized(judgement.files, in: group), group).map {
      .init($0.outcome, sizeBytes: $0.sizeBytes, bytesRead: $1.bytesRead)
    }
    return decision
  }

  /// Returns the photos whose blob is missing and whose original is in the group again.
  private func lost(
    _ knowledge: GroupKnowledge, _ group: [ImportFinding]
  ) throws(StoreError) -> Set<UUID> {
    var lost: Set<UUID> = []
    for case .staged(let staged) in group.map(\.verdict) {
      guard case .photo(let id, _)? = knowledge.sources[staged.facts.source.sha256],
        let photo = knowledge.records[id]
      else { continue }
      if let blob = photo.recorded(.blob), try cache.blobs.holds(blob) { continue }
      lost.insert(id)
    }
    return lost
  }

  private func newPhoto(_ staged: StagedPhoto) -> PhotoAttachmentMetadata {
    cache.newPhoto(
      staged.facts, id: cache.newID(), blob: staged.blob.picture, preview: staged.preview.picture,
      url: staged.blob.url)
  }

  /// For each new picture, returns one that has equal pixels although its blob differs (for example the same
  /// screenshot, compressed again). Candidates have equal previews, or the same perceptual hash if they were made in
  /// another form. The digests of all their pixels are compared.
  private func pixelTwins(in group: [ImportFinding]) throws(StoreError) -> [PixelTwin?] {
    var twins = [PixelTwin?](repeating: nil, count: group.count)
    if options.dryRun { return twins }
    let new = group.enumerated().compactMap { index, finding -> (Int, StagedPhoto)? in
      guard case .staged(let staged) = finding.verdict, staged.blob.picture.frameCount == 1 else {
        return nil
      }
      return (index, staged)
    }
    let stored = try catalog.candidates(for: new.map { ($1.pictures, $1.perceptualHash) })
    for ((index, staged), stored) in zip(new, stored) {
      twins[index] = twin(of: staged, among: stored, before: index, in: group)
    }
    return twins
  }

  private func twin(
    of staged: StagedPhoto, among stored: [SealedRecord], before index: Int,
    in group: [ImportFinding]
  ) -> PixelTwin? {
    let blob = staged.blob.picture
    let preview = staged.preview.picture
    let earlier = group[..<index].indices.filter { other in
      guard case .staged(let other) = group[other].verdict else { return false }
      let candidate = other.blob.picture
      return other.preview.picture.sha256 == preview.sha256 && candidate.sha256 != blob.sha256
        && candidate.frameCount == 1 && candidate.pixelWidth == blob.pixelWidth
        && candidate.pixelHeight == blob.pixelHeight
    }.prefix(4)
    guard !stored.isEmpty || !earlier.isEmpty, let own = digest(of: staged.blob) else { return nil }
    for photo in stored {
      guard let place = photo.place(.blob), let bytes = try? cache.blobs.readPicture(place),
        let digest = try? pipeline.pixelDigest(of: bytes, as: place.format), digest == own,
        let id = UUID(uuidString: photo.id)
      else { continue }
      return .inLibrary(id)
    }
    for other in earlier {
      if case .staged(let photo) = group[other].verdict, digest(of: photo.blob) == own {
        return .inGroup(other)
      }
    }
    return nil
  }

  /// Returns `nil` if the picture can't be read. Then the pictures count as different.
  private func digest(of staged: StagedPicture) -> String? {
    guard let bytes = try? staged.body.all() else { return nil }
    return try? pipeline.pixelDigest(of: bytes, as: staged.picture.format)
  }
}
