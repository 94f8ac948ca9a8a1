import Glibc
import Synchronization
public import SystemPackage

/// The progress of an import.
public struct ImportProgress: Sendable, Equatable {
  /// The last recorded input.
  public var file: ImportedFile
  /// The totals, including this input.
  public var totals: ImportSummary
  /// The number of inputs when the import began. `totals.files` counts up to it.
  public var expectedFiles: Int
}

extension PhotoImporter {
  /// Imports files and folders, and streams each input after it is recorded, in walk order.
  ///
  /// The import begins with this call. It continues while the caller processes an element, up to 1,024 inputs ahead of
  /// it. If the loop ends early or its task is cancelled, the import ends too, after the files in progress are
  /// recorded.
  ///
  /// - Parameter paths: files and folders. Folders are walked in the order of their names.
  /// - Returns: a stream that can be read once. It throws the errors of `importPhotos(_:onFile:)`.
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
          _ = try await importPhotos(paths) { file in
            let totals = totals.withLock {
              $0.count(file)
              return $0
            }
            let progress = ImportProgress(file: file, totals: totals, expectedFiles: expected)
            // Wait for a slow caller. The recording thread may block.
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
