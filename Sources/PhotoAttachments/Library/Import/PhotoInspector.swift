import Foundation
package import PhotoIngestion
import Synchronization
package import SystemPackage

/// Inspects the files that an import of the same paths would find, and stores nothing. Finds damage that only decoding
/// shows, too.
package struct PhotoInspector: Sendable {
  private let pipeline: PhotoPipeline
  private let options: ImportOptions
  private let cache: CacheFolder
  private let jobs: Int
  private let threads: WorkerPool

  /// The maximum number of files between the first one that isn't reported yet and the last one that was begun.
  private static let window = 256

  /// Creates an inspector.
  ///
  /// - Parameters:
  ///   - pipeline: runs stages 1 to 3. Its policy should use one thread per photo.
  ///   - options: the selection of files.
  ///   - cache: this user's cache folder, whose pictures are left out.
  ///   - jobs: the number of files that are inspected, and held in memory, at the same time.
  package init(pipeline: PhotoPipeline, options: ImportOptions, cache: CacheFolder, jobs: Int) {
    self.pipeline = pipeline
    self.options = options
    self.cache = cache
    self.jobs = max(1, jobs)
    threads = WorkerPool(threadCount: self.jobs + 1)
  }

  /// Inspects the files below paths. If the task is cancelled, no further file is started.
  ///
  /// - Parameter onFile: receives each file in the order of the walk, on a thread that it may block. An error that it
  ///   throws ends the inspection.
  /// - Returns: `false` if the task was cancelled before the end.
  /// - Throws: errors of `onFile`. Problems with files are findings.
  package func inspect(
    _ paths: [FilePath], onFile: @escaping @Sendable (InspectedFile) throws -> Void
  ) async throws(StoreError) -> Bool {
    let walk = Walk(try FolderWalk(paths, options: options, cache: cache))
    do {
      try await withThrowingTaskGroup(of: (Int, InspectedFile).self) { tasks in
        var begun = 0
        var running = 0
        var reported = 0
        var isWalkDone = false
        var done: [Int: InspectedFile] = [:]
        while true {
          while !isWalkDone, running < jobs, begun - reported < Self.window {
            try Task.checkCancellation()
            guard let entry = try await threads.run({ walk.next() }) else {
              isWalkDone = true
              break
            }
            let index = begun
            tasks.addTask { (index, try await inspect(entry)) }
            begun += 1
            running += 1
          }
          guard let (index, file) = try await tasks.next() else { return }
          running -= 1
          done[index] = file
          while let file = done.removeValue(forKey: reported) {
            try await threads.run { try onFile(file) }
            reported += 1
          }
        }
      }
      return true
    } catch is CancellationError {
      return false
    } catch {
      throw StoreError(error)
    }
  }

  private func inspect(_ entry: WalkedEntry) async throws -> InspectedFile {
    let (file, wayIn): (FoundFile, FileAccess)
    switch entry {
    case .refused(let path, let refusal):
      return InspectedFile(path: path, sizeBytes: 0, result: .refused(refusal))
    case .file(let found, let way): (file, wayIn) = (found, way)
    }
    let (result, open) = try await threads.run { try inspect(file, wayIn) }
    guard case .refused(let refusal) = result else {
      return InspectedFile(path: file.path, sizeBytes: file.identity.size, result: result)
    }
    let confirmed = await ImportReader.confirmRefusal(refusal, file, open)
    return InspectedFile(
      path: file.path, sizeBytes: file.identity.size, result: .refused(confirmed))
  }

  private func inspect(
    _ file: FoundFile, _ wayIn: FileAccess
  ) throws -> (InspectedFile.Result, OpenFile?) {
    switch file.opened(by: wayIn) {
    case .refused(let refusal): return (.refused(refusal), nil)
    case .open(let open, let forecast):
      let received = file.received(
        from: open, isPhoto: forecast.isPhoto, limit: pipeline.policy.fileBytes
      ).0
      switch received {
      case .refused(let refusal): return (.refused(refusal), open)
      case .file(let received):
        do throws(PhotoError) {
          return (.photo(try pipeline.inspect(received, decodes: true)), open)
        } catch .cancelled {
          throw CancellationError()
        } catch {
          return (.refused(.photo(error)), open)
        }
      }
    }
  }

  /// A walk that one task after another advances on different threads.
  private final class Walk: Sendable {
    private let walk: Mutex<FolderWalk>
    init(_ walk: sending FolderWalk) { self.walk = Mutex(walk) }
    func next() -> WalkedEntry? { walk.withLock { $0.next() } }
  }
}

/// The result of inspecting one file.
package struct InspectedFile: Sendable {
  /// The facts of a photo, or the reason why the file isn't a photo that can be used.
  package enum Result: Sendable {
    case photo(PhotoInspection)
    case refused(ImportRefusal)
  }

  /// The kinds of results, which the totals count. The raw values are the words for JSON.
  package enum Verdict: String, Sendable, CaseIterable {
    /// All pixels are there, and the stored photo would have everything.
    case whole
    /// All pixels are there, but the stored photo would lack something, such as a film or a depth map.
    case lossy
    /// Pixels are missing, or the file doesn't have the form of a photo.
    case damaged
    /// The file can't be read, or is over a limit.
    case failed
    /// The file isn't a photo.
    case skipped
  }

  package var path: FilePath
  package var sizeBytes: Int
  package var result: Result

  package init(path: FilePath, sizeBytes: Int, result: Result) {
    self.path = path
    self.sizeBytes = sizeBytes
    self.result = result
  }

  package var verdict: Verdict {
    switch result {
    // Frames of a broken animation are left out.
    case .photo(let inspection) where inspection.plan.losses.contains("frames"): .damaged
    case .photo(let inspection): inspection.plan.losses.isEmpty ? .whole : .lossy
    case .refused(.photo(.corrupt)), .refused(.photo(.incomplete)): .damaged
    // A photo whose copy failed may have lost all of its bytes, or its beginning.
    case .refused(.photo(.unsupportedFormat("application/octet-stream"))),
      .refused(.photo(.empty)):
      isNamedPhoto ? .damaged : .skipped
    case .refused(let refusal):
      if case .failed = refusal.outcome { .failed } else { .skipped }
    }
  }

  private var isNamedPhoto: Bool {
    path.lastComponent.map { Sidecars.isPhoto(Array($0.string.utf8)) } ?? false
  }
}
