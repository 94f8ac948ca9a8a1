import Glibc
import Synchronization
public import SystemPackage

/// How far an import is.
public struct ImportProgress: Sendable, Equatable {
  /// The input that was recorded last.
  public var file: ImportedFile
  /// The totals up to it.
  public var totals: ImportSummary
  /// How many inputs there were when the import began; `totals.files` counts up to it.
  public var expectedFiles: Int
}

extension PhotoImporter {
  /// Imports files and folders, and reports every input once it is recorded, in the order of the walk.
  ///
  /// The import begins with this call and goes on while the caller works on an element, up to 1,024 inputs
  /// ahead of it. It ends early, with what is in flight recorded, when the loop ends early or its task is
  /// cancelled.
  ///
  /// - Parameter paths: files, and folders that are walked in the order of their names.
  /// - Returns: a stream to be read once, which throws what `run(_:onFile:)` throws.
  public func progress(
    importing paths: [FilePath]
  ) -> AsyncThrowingStream<ImportProgress, any Error> {
    progress(importing: paths, buffering: 1_024)
  }

  func progress(
    importing paths: [FilePath], buffering count: Int
  ) -> AsyncThrowingStream<ImportProgress, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingOldest(count)) { continuation in
      let totals = Mutex(ImportSummary())
      let task = Task {
        do {
          let expected = await survey(paths).files
          _ = try await run(paths) { file in
            let totals = totals.withLock {
              $0.count(file)
              return $0
            }
            let progress = ImportProgress(file: file, totals: totals, expectedFiles: expected)
            // The recording thread may block: it waits here for a caller that is slow.
            while case .dropped = continuation.yield(progress) { usleep(10_000) }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
