import Foundation
public import SystemPackage
public import PhotoIngestion

/// Imports folders of photos into the library, from which reports can attach them. It prepares
/// photos as `attach` does, many at a time.
///
///     walk → known? → read → same bytes? → prepare (stages 1 to 5) → stage ┐
///                                                                           ├→ write a group
///     everything else that was walked upon ─────────────────────────────────┘
///
/// A prefetcher walks ahead; the workers read and prepare as many photos as threads and memory allow; one
/// writer records groups. Whatever runs at the same time, decisions and records follow the order of
/// the walk, so that an import that was killed and started again ends like one that was not.
public struct PhotoImporter: Sendable {
  /// Photos that are on their way at the same time, at most, and recorded in groups of half of them;
  /// a killed run repeats no more than these.
  static let groupSize = 64

  /// The end of names, before the extension, of pictures that belong to a report: no import takes them.
  package static let pictureSuffix = ".petspot-preview"

  let cache: PhotoAttachmentCache
  let pipeline: PhotoPipeline
  let options: ImportOptions
  /// The import on record, from its first photo on.
  package let libraryRun: LibraryRun

  /// An importer into the library of `cache`, working on the threads of its pool.
  ///
  /// - Parameters:
  ///   - cache: where photos are kept.
  ///   - pipeline: stages 1 to 5. Its policy should use one thread a photo, because photos are
  ///     prepared side by side.
  ///   - options: what becomes of the originals, and what is only reported.
  ///   - names: what the import is listed as.
  public init(
    cache: PhotoAttachmentCache, pipeline: PhotoPipeline, options: ImportOptions = .init(),
    names: [String] = []
  ) {
    libraryRun = LibraryRun(names: names, begun: cache.now())
    self.cache = cache
    self.pipeline = pipeline
    self.options = options
  }

  /// Imports files and folders. When the task is cancelled no further file is begun; what is in
  /// flight is finished and recorded.
  ///
  /// - Parameters:
  ///   - paths: files, and folders that are walked in the order of their names.
  ///   - onFile: is called with every input once it is recorded, in the order of the walk, on a thread
  ///     where it may block; what it throws ends the import.
  /// - Throws: storage and catalog errors, which end the import. What is wrong with a file never does.
  public func run(
    _ paths: [FilePath],
    onFile: @escaping @Sendable (ImportedFile) throws -> Void = { _ in }
  ) async throws(StoreError) -> ImportSummary {
    try await stoppably { stop in
      if !options.dryRun { try await insertRoots(paths) }
      let walk = FolderWalk(
        paths, options: options, cache: cache.folder, restores: !options.dryRun)
      return try await runToEnd(
        walk, catalog, destination: options.dryRun ? nil : try destination(importing: paths),
        stop: stop, onFile: onFile)
    }
  }

  /// Imports the objects of a store as if they were files of a folder.
  package func run(
    _ source: any ObjectSource,
    onFile: @escaping @Sendable (ImportedFile) throws -> Void
  ) async throws(StoreError) -> ImportSummary {
    try await stoppably { stop in
      return try await runToEnd(
        ObjectWalk(source, options), catalog, in: source, destination: nil, stop: stop,
        onFile: onFile)
    }
  }

  /// Imports what was listed, as part of a run that counts every file.
  ///
  /// - Parameters:
  ///   - source: where it lies, unless it is files.
  ///   - catalog: records and counts.
  package func run(
    _ entries: [ListedEntry], in source: (any ObjectSource)? = nil,
    counting catalog: LibraryCatalog
  ) async throws(StoreError) -> ImportSummary {
    try await stoppably { stop in
      try await runToEnd(
        ListedFiles(entries, in: source), catalog, countsFiles: true, in: source, destination: nil,
        stop: stop, onFile: { _ in })
    }
  }

  /// Records the folders from which on people see where photos come from.
  func insertRoots(_ paths: [FilePath]) async throws(StoreError) {
    try await cache.threads.finish {
      try cache.catalog.insert(roots: Self.folders(of: paths).map(\.path))
    }
  }

  var catalog: LibraryCatalog {
    LibraryCatalog(cache.catalog, run: libraryRun, dryRun: options.dryRun)
  }

  /// A task of its own: cancelling it would also cancel the recording of what is done.
  func stoppably(
    _ work: @escaping @Sendable (StopFlag) async throws -> ImportSummary
  ) async throws(StoreError) -> ImportSummary {
    let stop = StopFlag()
    let task = Task { try await work(stop) }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      stop.set()
    }
    return try StoreError.catching { try result.get() }
  }

  func runToEnd(
    _ walk: sending any EntryWalk, _ catalog: LibraryCatalog, countsFiles: Bool = false,
    in objects: (any ObjectSource)? = nil, destination: SourceDestination?, stop: StopFlag,
    onFile: @escaping @Sendable (ImportedFile) throws -> Void
  ) async throws(StoreError) -> ImportSummary {
    let prefetcher = ImportPrefetcher(walk, in: cache, catalog: catalog, options: options)
    // The prefetcher's thread and the writer's: neither decodes.
    let recordThreads = WorkerPool(threadCount: 2)
    // Workers leave it to `sweep`: a store of objects is listed for it from end to end.
    if !options.dryRun, !countsFiles {
      _ = try? await recordThreads.run { [cache] in cache.clearIncoming() }
    }
    // A dry run stores nothing.
    let waits = cache.blobs.isRemote && !options.dryRun
    let line = ImportPipeline(
      importer: self, recordThreads: recordThreads, uploadThreads: waits ? Self.uploadThreads : nil,
      stop: stop, prefetcher: prefetcher,
      reader: ImportReader(
        cache: cache, catalog: catalog, pipeline: pipeline, options: options),
      writer: LibraryWriter(
        cache: cache, catalog: catalog, pipeline: pipeline, options: options,
        countsFiles: countsFiles, objects: objects, destination: destination),
      onFile: onFile)
    let start = ContinuousClock.now
    var summary = try await line.run()
    if options.dryRun { summary.bytesWritten = 0 }
    summary.run = libraryRun.number
    summary.seconds = (ContinuousClock.now - start) / .seconds(1)
    return summary
  }

  /// Threads that wait for a far store, of all imports of this process: a worker would begin and end its
  /// own with every part, and when a thread ends libraries free what they kept for it.
  private static let uploadThreads = WorkerPool(threadCount: 8)

  func destination(importing paths: [FilePath]) throws(StoreError) -> SourceDestination? {
    guard let path = options.moveSource else { return nil }
    return try SourceDestination(path, importing: paths)
  }

  /// Bytes that photos may need at the same time while they are prepared.
  var memoryBytes: Int {
    options.memoryBytes ?? max(64 << 20, min(512 << 20, Self.availableMemory() / 2))
  }

  private static func availableMemory() -> Int {
    let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
    let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (kibibytes ?? 1 << 20) << 10
  }
}
