import Foundation
public import SystemPackage
public import PhotoIngestion

/// Imports folders of photos into the library, from which reports can attach them. Photos are prepared as by `attach`,
/// but many at a time.
///
///     walk → known? → read → same bytes? → prepare (stages 1 to 5) → stage ┐
///                                                                          ├→ write a group
///     everything else that the walk finds ─────────────────────────────────┘
///
/// A prefetcher walks ahead. Workers read and prepare as many photos as threads and memory allow. One writer records
/// groups. Decisions and records follow the order of the walk regardless of concurrency, so that an import that was
/// killed and restarted has the same result as one that wasn't.
public struct PhotoImporter: Sendable {
  /// The maximum number of photos in progress. Groups of half this size are recorded, so a killed import repeats no
  /// more than these photos.
  static let groupSize = 64

  /// The name suffix, before the extension, of pictures that belong to a report. They are never imported.
  package static let pictureSuffix = ".petspot-preview"

  let cache: PhotoAttachmentCache
  let pipeline: PhotoPipeline
  let options: ImportOptions
  /// The import's own record in the catalog. It is inserted together with the first photo.
  package let libraryRun: LibraryRun

  /// Creates an importer into the library of `cache` that uses the threads of its pool.
  ///
  /// - Parameters:
  ///   - cache: the cache that is imported into.
  ///   - pipeline: runs stages 1 to 5. Its policy should use one thread per photo, because photos are prepared in
  ///     parallel.
  ///   - options: the selection of files and the treatment of originals.
  ///   - names: the names under which the import is listed.
  public init(
    cache: PhotoAttachmentCache, pipeline: PhotoPipeline, options: ImportOptions = .init(),
    names: [String] = []
  ) {
    libraryRun = LibraryRun(names: names, begun: cache.now())
    self.cache = cache
    self.pipeline = pipeline
    self.options = options
  }

  /// Imports files and folders. After the task is cancelled, no further file is started. Files in progress are finished
  /// and recorded.
  ///
  /// - Parameters:
  ///   - paths: files and folders. Folders are walked in the order of their names.
  ///   - onFile: receives every input after it is recorded, in walk order, on a thread that it may block. An error that
  ///     it throws ends the import.
  /// - Throws: storage and catalog errors, which end the import. Problems with single files never do.
  public func importPhotos(
    _ paths: [FilePath],
    onFile: @escaping @Sendable (ImportedFile) throws -> Void = { _ in }
  ) async throws(StoreError) -> ImportSummary {
    try await stoppably { stop in
      if !options.dryRun { try await insertRoots(paths) }
      let walk = try FolderWalk(
        paths, options: options, cache: cache.folder, restores: !options.dryRun)
      return try await runToEnd(
        walk, catalog, destination: options.dryRun ? nil : try destination(importing: paths),
        stop: stop, onFile: onFile)
    }
  }

  /// Imports the objects of a store as if they were files of a folder.
  package func importObjects(
    _ source: any ObjectSource,
    onFile: @escaping @Sendable (ImportedFile) throws -> Void
  ) async throws(StoreError) -> ImportSummary {
    try await stoppably { stop in
      return try await runToEnd(
        ObjectWalk(source, options), catalog, in: source, destination: nil, stop: stop,
        onFile: onFile)
    }
  }

  /// Imports one part of a shared import, whose entries were listed before. `catalog` counts every file.
  ///
  /// - Parameters:
  ///   - source: the store of the entries; `nil` if they are files.
  ///   - catalog: records and counts the files.
  package func importEntries(
    _ entries: [ListedEntry], in source: (any ObjectSource)? = nil,
    counting catalog: LibraryCatalog
  ) async throws(StoreError) -> ImportSummary {
    try await stoppably { stop in
      try await runToEnd(
        ListedFiles(entries, in: source), catalog, countsFiles: true, in: source, destination: nil,
        stop: stop, onFile: { _ in })
    }
  }

  /// Records the imported folders. Photos' folders are shown relative to them.
  func insertRoots(_ paths: [FilePath]) async throws(StoreError) {
    try await cache.threads.finish {
      try cache.catalog.insert(roots: Self.folders(of: paths).map(\.path))
    }
  }

  var catalog: LibraryCatalog {
    LibraryCatalog(cache.catalog, run: libraryRun, dryRun: options.dryRun)
  }

  /// Runs `work` in a separate task that cancellation only stops softly, so that finished work can still be recorded.
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
    // One thread for the prefetcher and one for the writer. Neither decodes.
    let recordThreads = WorkerPool(threadCount: 2)
    // Parts of shared imports leave this to `sweep`, because it lists a whole object store.
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
    var summary = try await line.importAll()
    if options.dryRun { summary.bytesWritten = 0 }
    summary.run = libraryRun.number
    summary.seconds = (ContinuousClock.now - start) / .seconds(1)
    return summary
  }

  /// Threads that wait for a remote store, shared by all imports of this process. Otherwise each part of a shared
  /// import would start and end its own threads, and libraries free their per-thread caches when a thread ends.
  private static let uploadThreads = WorkerPool(threadCount: 8)

  func destination(importing paths: [FilePath]) throws(StoreError) -> SourceDestination? {
    guard let path = options.moveSource else { return nil }
    return try SourceDestination(path, importing: paths)
  }

  /// The memory in bytes that all photos together may need while they are prepared.
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
