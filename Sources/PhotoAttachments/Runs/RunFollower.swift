import Glibc
import PhotoIngestion
package import SystemPackage

/// Reports the inputs of a shared import (a run) as they are counted, whichever worker imports them. Optionally removes
/// their originals afterwards.
package struct RunFollower: Sendable {
  private let cache: PhotoAttachmentCache
  private let runs: ImportRuns
  /// Removes originals. `nil` keeps them.
  let originalRemover: LibraryWriter?

  package init(_ cache: PhotoAttachmentCache, _ runs: ImportRuns) {
    self.init(cache, runs, originalRemover: nil)
  }

  init(_ cache: PhotoAttachmentCache, _ runs: ImportRuns, originalRemover: LibraryWriter?) {
    self.cache = cache
    self.runs = runs
    self.originalRemover = originalRemover
  }

  /// The number of the first part that isn't fully reported, and the positions reached in it and in later parts.
  private struct Place: Sendable {
    var part: Int64 = 0
    var reported: [Int64: Int64] = [:]
    var sources = ImportSummary()

    /// Returns the totals of a run, including the number of originals removed.
    func totals(_ facts: RunFacts) -> ImportSummary {
      var totals = facts.totals
      totals.deletedSources = sources.deletedSources
      totals.movedSources = sources.movedSources
      totals.keptSources = sources.keptSources
      if totals.imported > 0 { totals.run = facts.id }
      return totals
    }
  }

  /// Follows a run from its beginning to its end, or until the task is cancelled. The run itself continues in either
  /// case.
  ///
  /// - Parameters:
  ///   - onFacts: a closure called with the progress after each pass, on a thread that may block.
  ///   - onFile: a closure called once with every input, in the order within its part, on a thread that may block.
  /// - Returns: the run's totals.
  package func follow(
    _ run: Int64, onFacts: @escaping @Sendable (RunFacts) -> Void,
    onFile: @escaping @Sendable (ImportedFile) throws -> Void
  ) async throws(StoreError) -> ImportSummary {
    var place = Place()
    while true {
      let begin = ContinuousClock.now
      // Read the facts first. If the run is done by then, the report that follows is complete.
      let (facts, next) = try await cache.threads.finish { [self, place] in
        guard let facts = try runs.facts(of: run).first else {
          throw StoreError.database(.failed, detail: "run \(run) no longer exists")
        }
        onFacts(facts)
        return (facts, try report(run, from: place, onFile))
      }
      place = next
      if facts.state == .done { return place.totals(facts) }
      // Reading the facts of a large run is costly, so pause in proportion. A pass that removes originals takes long
      // for other reasons and isn't counted.
      let pause = originalRemover == nil ? (ContinuousClock.now - begin) * 4 : .zero
      do { try await Task.sleep(for: max(.milliseconds(300), pause)) } catch {
        var totals = place.totals(facts)
        totals.stopped = .interrupted
        return totals
      }
    }
  }

  /// Reports the inputs that were counted since `place`.
  private func report(
    _ run: Int64, from place: Place, _ onFile: (ImportedFile) throws -> Void
  ) throws -> Place {
    var place = place
    for part in try runs.cursors(run, from: place.part) {
      let first = place.reported[part.number] ?? part.inputs.lowerBound
      if first < part.cursor {
        let results = try runs.results(run, first..<part.cursor)
        let files =
          originalRemover == nil
          ? try results.map(file)
          : try results.concurrentMap { result in
            takingOriginal(of: result, try file(result))
          }
        for file in files {
          place.sources.count(file)
          try onFile(file)
        }
      }
      place.reported[part.number] = part.cursor
      if part.number == place.part, part.cursor == part.inputs.upperBound {
        place.reported[part.number] = nil
        place.part += 1
      }
    }
    return place
  }

  /// Returns the input as its import reported it. If the library has lost the photo since, returns only its ID.
  private func file(_ result: RunResult) throws(StoreError) -> ImportedFile {
    let outcome: ImportOutcome =
      switch result.outcome {
      case .imported(_, let record?): .imported(try cache.metadata(of: record))
      case .imported(let id, nil), .unchanged(let id): .unchanged(id)
      case .duplicate(let id, let tier): .duplicate(of: id, tier: tier)
      case .refused(let refusal): refusal.outcome
      }
    return ImportedFile(
      path: FilePath(bytes: result.path), sizeBytes: result.sizeBytes, outcome: outcome)
  }
}

extension PhotoImporter {
  /// Returns a follower for runs that were requested with these options. It deletes or moves originals if the options
  /// request it.
  ///
  /// - Parameters:
  ///   - paths: the imported paths, unless objects are imported.
  ///   - source: the store that contains the objects.
  /// - Throws: `StoreError.storage` if originals must not be moved to the destination folder.
  package func follower(
    of runs: ImportRuns, _ paths: [FilePath], in source: (any ObjectSource)?
  ) throws(StoreError) -> RunFollower {
    guard options.removesSource else { return RunFollower(cache, runs) }
    return RunFollower(
      cache, runs,
      originalRemover: LibraryWriter(
        cache: cache, catalog: LibraryCatalog(cache.catalog), pipeline: pipeline, options: options,
        objects: source, destination: try destination(importing: paths)))
  }
}

/// Removes the originals of a run that many workers share. An input is reported once it is counted, and it is counted
/// in the transaction that records its photo, protected by the claim's token. Everything that a follower removes is
/// therefore on record. Workers remove nothing.
extension RunFollower {
  /// Deletes or moves the original of an input by the rules of every import. Returns the input as it should be
  /// reported.
  func takingOriginal(of result: RunResult, _ imported: ImportedFile) -> ImportedFile {
    guard let originalRemover, let listed = result.file,
      let file = found(listed, imported, originalRemover.objects)
    else {
      return imported
    }
    var imported = imported
    let finding = ImportFinding(path: .file(file, sha256: nil), verdict: .known(imported.outcome))
    originalRemover.removeSource(of: finding, &imported)
    return imported
  }

  /// Returns the current original of a photo. `nil` if it is gone, because a process that followed the run before may
  /// have removed it.
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
        guard try objects.readObject(key, first: 1) != nil else { return nil }
      } catch {
        // The deletion reports the error.
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
