import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

struct Failure: Error {
  var error: StoreError
  var path: FilePath?

  init(_ error: StoreError, about path: FilePath? = nil) {
    self.error = error
    self.path = path
  }

  /// Tells people on standard error, programs on standard output, and returns the exit code.
  @discardableResult
  func report(json: Bool) -> Int32 {
    if json { try? Output.line(error.json(path: path).line) }
    Output.note("petspot: " + error.sentence(about: path))
    return error.facts.exitCode
  }
}

extension ReportFailure {
  /// A picture could not be deleted, though nothing refers to it any more.
  init(_ kept: PhotoAttachmentCache.NotDeleted, in words: Words) {
    let reason = kept.error.systemErrno.map { Amounts.reason($0) } ?? "\(kept.error)"
    self.init(
      code: kept.error.facts.code,
      message: words(
        "command.error.pictureKept", ["file": kept.place.relativePath, "reason": reason]),
      exitCode: 74)
  }
}

/// Runs `body`; its error becomes one about `path`.
func about<T>(_ path: FilePath?, _ body: () throws(StoreError) -> T) throws(Failure) -> T {
  do { return try body() } catch { throw Failure(error, about: path) }
}

/// The same where it waits.
func about<T>(
  _ path: FilePath?, _ body: () async throws(StoreError) -> T
) async throws(Failure) -> T {
  do { return try await body() } catch { throw Failure(error, about: path) }
}
