import ImageContainers
import SystemPackage
import PhotoIngestion

/// The steps of an import that run on worker threads. Every function blocks, except for the async ones.
struct ImportReader: Sendable {
  let cache: PhotoAttachmentCache
  let catalog: LibraryCatalog
  let pipeline: PhotoPipeline
  let options: ImportOptions

  /// The result of reading a file.
  enum Reading: Sendable {
    case refused(ImportRefusal)
    /// The catalog has a result for these bytes.
    case known(SourceKnowledge, sha256: String)
    case new(ReceivedFile)
  }

  /// Reads a whole file, or only its beginning if it isn't a photo.
  ///
  /// - Parameters:
  ///   - isNewSize: `true` if no recorded file has this size.
  ///   - times: the time spent is added here.
  func readFile(
    _ file: FoundFile, _ open: OpenFile, isPhoto: Bool, isNewSize: Bool, _ times: inout StageTimes
  ) throws(StoreError) -> (Reading, bytesRead: Int) {
    var clock = StageClock(.read)
    defer { times += clock.stop() }
    let (received, bytesRead) = file.received(
      from: open, isPhoto: isPhoto, limit: pipeline.policy.fileBytes)
    switch received {
    case .refused(let refusal): return (.refused(refusal), bytesRead)
    case .file(let received):
      // If it isn't a photo, `Sniffer` will refuse it.
      if isPhoto, !isNewSize, let knowledge = try knowledge(of: received.sha256) {
        return (.known(knowledge, sha256: received.sha256), bytesRead)
      }
      return (.new(received), bytesRead)
    }
  }

  /// Runs stages 1 to 5 of the pipeline and stores the pictures without names (`BlobStorage.stage`), on threads of
  /// `pool`. If the store is remote, the pictures are stored on `uploadThreads` instead, so that the next photo is
  /// decoded meanwhile.
  ///
  /// - Returns: the photo, and the time spent.
  /// - Throws: storage errors. Errors of the photo are part of the result.
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

  /// The result of `make`. A photo is `prepared` if its pictures have to be staged on other threads.
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

  /// Returns the result that a dry run reports: whether the photo would be imported, and with which losses. No pictures
  /// are made. They are named by the file's digest, so that equal files are recognized.
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

  /// Returns the final reason to refuse a file. A damaged file that was written a moment ago may just be incomplete, so
  /// it is checked again when it is two seconds old.
  static func confirmRefusal(
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
      // A file whose blob is missing is imported again.
      if options.dryRun { return known.knowledge }
      guard let blob = known.blob, try cache.blobs.holds(blob) else { return nil }
      return known.knowledge
    case .refused: return options.retriesRefused ? nil : known.knowledge
    }
  }
}
