import ImageContainers
import SystemPackage
import PhotoIngestion

/// What the workers do with one file; every function blocks.
struct ImportReader: Sendable {
  let cache: PhotoAttachmentCache
  let catalog: LibraryCatalog
  let pipeline: PhotoPipeline
  let options: ImportOptions

  enum Reading: Sendable {
    case refused(ImportRefusal)
    case known(SourceKnowledge, sha256: String)
    case new(ReceivedFile)
  }

  /// Reads a file whole, or only its beginning when it is no photo.
  ///
  /// - Parameters:
  ///   - isNewSize: whether nothing is known of bytes of its size.
  ///   - times: what it takes is added here.
  func read(
    _ file: FoundFile, _ open: OpenFile, isPhoto: Bool, isNewSize: Bool, _ times: inout StageTimes
  ) throws(StoreError) -> (Reading, bytesRead: Int) {
    var clock = StageClock(.read)
    defer { times += clock.stop() }
    let size = file.identity.size
    if size == 0 { return (.refused(.photo(.empty)), 0) }
    let limit = pipeline.policy.fileBytes
    if isPhoto, size > limit {
      return (.refused(.photo(.tooLarge(.fileBytes, actual: size, limit: limit))), 0)
    }
    let bytes: [UInt8]
    let wanted = isPhoto ? size : min(size, DecodeForecast.window)
    do throws(PhotoError) { bytes = try open.read(wanted) } catch {
      return (.refused(.photo(error)), 0)
    }
    guard bytes.count == wanted, open.isUnchanged(file.identity) else {
      return (.refused(.changing), bytes.count)
    }
    let name = PhotoSource.file(file.path).name.map(Receiver.displayName)
    guard isPhoto else {
      // The sniff will refuse it; no digest, because these are not all its bytes.
      return (.new(ReceivedFile(name: name, bytes: bytes, sha256: "")), bytes.count)
    }
    let digest = sha256(of: bytes)
    if !isNewSize, let knowledge = try knowledge(of: digest) {
      return (.known(knowledge, sha256: digest), bytes.count)
    }
    return (.new(ReceivedFile(name: name, bytes: bytes, sha256: digest)), bytes.count)
  }

  /// Stages 1 to 5 on a pool's threads, and the pictures taken in: there too, or where that is to wait for
  /// a far store on `uploadThreads`, so that the next photo is decoded meanwhile.
  ///
  /// - Returns: the photo, and what it took.
  /// - Throws: storage errors, which are no photo's fault.
  func prepare(
    _ received: ReceivedFile, on pool: WorkerPool, _ uploadThreads: WorkerPool?
  ) async throws -> (Result<StagedPhoto, PhotoError>, StageTimes) {
    let (made, times) = try await pool.run {
      var times = StageTimes()
      return (try make(received, isStoreFar: uploadThreads != nil, &times), times)
    }
    switch made {
    case .refused(let error): return (.failure(error), times)
    case .staged(let photo): return (.success(photo), times)
    case .prepared(let photo):
      return try await (uploadThreads ?? pool).run {
        var times = times
        return (.success(try stage(photo, &times)), times)
      }
    }
  }

  private enum Made {
    case refused(PhotoError)
    case prepared(PreparedPhoto)
    case staged(StagedPhoto)
  }

  private func make(
    _ received: ReceivedFile, isStoreFar: Bool, _ times: inout StageTimes
  ) throws(StoreError) -> Made {
    if options.dryRun { return try planForDryRun(received) }
    let photo: PreparedPhoto
    do throws(PhotoError) { photo = try pipeline.prepare(received, &times) } catch {
      return .refused(error)
    }
    return isStoreFar ? .prepared(photo) : .staged(try stage(photo, &times))
  }

  private func stage(
    _ photo: PreparedPhoto, _ times: inout StageTimes
  ) throws(StoreError) -> StagedPhoto {
    var clock = StageClock(.store)
    defer { times += clock.stop() }
    let blob = try cache.blobs.stage(photo.blob, kind: .blob)
    do throws(StoreError) {
      return StagedPhoto(
        facts: photo.facts, perceptualHash: photo.perceptualHash, blob: blob,
        preview: try cache.blobs.stage(photo.preview, kind: .preview))
    } catch {
      cache.blobs.discard(blob)
      throw error
    }
  }

  /// What a dry run has to know: whether it would be taken, and with which losses. Its pictures are
  /// never made; they are named by the digest of the file, so that equal files are recognized.
  private func planForDryRun(
    _ received: ReceivedFile
  ) throws(StoreError) -> Made {
    let (facts, format): (PhotoFacts, ImageFormat)
    do throws(PhotoError) { (facts, format) = try pipeline.planForDryRun(received) } catch {
      return .refused(error)
    }
    func none(_ kind: BlobPath.Kind, _ format: ImageFormat) throws(StoreError) -> StagedPicture {
      let picture = EncodedPicture(
        bytes: [], format: format, pixelWidth: facts.pixelWidth, pixelHeight: facts.pixelHeight,
        frameCount: 1, sha256: received.sha256)
      let place = try picture.place(kind)
      return StagedPicture(
        picture, at: place, url: cache.blobs.url(of: place), body: .bytes([]), handle: "rehearsed")
    }
    return .staged(
      StagedPhoto(
        facts: facts, perceptualHash: 0, blob: try none(.blob, format),
        preview: try none(.preview, .jpeg)))
  }

  /// A file that was written a moment ago and is damaged may only be incomplete: it is looked at
  /// again when it is two seconds old.
  func confirmed(
    _ refusal: ImportRefusal, _ file: FoundFile, _ open: OpenFile?
  ) async -> ImportRefusal {
    guard let open else { return refusal }
    switch refusal {
    case .photo(.corrupt), .photo(.incomplete), .photo(.empty), .photo(.unsupportedFormat): break
    default: return refusal
    }
    guard file.identity.isFresh else { return refusal }
    try? await Task.sleep(for: .seconds(2))
    return open.isUnchanged(file.identity) ? refusal : .changing
  }

  private func knowledge(
    of digest: String
  ) throws(StoreError) -> SourceKnowledge? {
    guard let known = try catalog.known(sha256: digest) else { return nil }
    switch known.knowledge {
    case .photo:
      // A file whose blob was lost is imported again.
      if options.dryRun { return known.knowledge }
      guard let blob = known.blob, try cache.blobs.holds(blob) else { return nil }
      return known.knowledge
    case .refused: return options.again ? nil : known.knowledge
    }
  }
}
