import Glibc
package import SystemPackage
import PhotoIngestion

extension PhotoImporter {
  /// Follows runs that were asked for with these options, which say what becomes of originals.
  ///
  /// - Parameters:
  ///   - paths: what is imported, unless it is objects.
  ///   - source: where objects lie.
  /// - Throws: `StoreError.storage` for a folder that originals may not be moved to.
  package func follower(
    of runs: ImportRuns, _ paths: [FilePath], in source: (any ObjectSource)?
  ) throws(StoreError) -> RunFollower {
    guard options.takesSource else { return RunFollower(cache, runs) }
    return RunFollower(
      cache, runs,
      taker: LibraryWriter(
        cache: cache, catalog: LibraryCatalog(cache.catalog), pipeline: pipeline, options: options,
        objects: source, destination: try destination(importing: paths)))
  }
}

/// What becomes of originals of a run that many workers share. An input is reported once it is counted, and
/// it is counted in the transaction that records its photo, under its claim's fence. So what a follower
/// takes away is on record; workers take nothing.
extension RunFollower {
  /// The input as it is reported, its original deleted or moved by the rules of every import.
  func takingOriginal(of result: RunResult, _ imported: ImportedFile) -> ImportedFile {
    guard let taker, let listed = result.file, let file = found(listed, imported, taker.objects)
    else {
      return imported
    }
    var imported = imported
    let finding = ImportFinding(path: .file(file, sha256: nil), verdict: .known(imported.outcome))
    taker.takeSource(of: finding, &imported)
    return imported
  }

  /// The original of a photo as it lies there now. Nil when it is gone: a process that followed the run before
  /// may have taken it.
  private func found(
    _ listed: ListedEntry.File, _ imported: ImportedFile, _ objects: (any ObjectSource)?
  ) -> FoundFile? {
    switch imported.outcome {
    case .skipped, .failed: return nil
    case .imported, .duplicate, .unchanged: break
    }
    var identity = listed.identity
    if let objects {
      guard let key = objects.key(known: listed.key) else { return nil }
      do throws(StoreError) {
        guard try objects.read(key, first: 1) != nil else { return nil }
      } catch {
        // Reported when it is deleted.
      }
    } else {
      var status = stat()
      let isThere = listed.key.withPath { lstat($0, &status) } == 0
      if !isThere, [ENOENT, ENOTDIR].contains(errno) { return nil }
      if isThere { identity = FileIdentity(status) }
    }
    return FoundFile(
      path: imported.path, key: listed.key, identity: identity, throughLink: listed.throughLink)
  }
}
