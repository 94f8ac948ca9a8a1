import SystemPackage

/// Reports a run's inputs as they are counted, whichever worker had them, and takes originals away then.
package struct RunFollower: Sendable {
  private let cache: PhotoAttachmentCache
  private let runs: ImportRuns
  /// Takes originals away; nil leaves them.
  let taker: LibraryWriter?

  package init(_ cache: PhotoAttachmentCache, _ runs: ImportRuns) {
    self.init(cache, runs, taker: nil)
  }

  init(_ cache: PhotoAttachmentCache, _ runs: ImportRuns, taker: LibraryWriter?) {
    (self.cache, self.runs, self.taker) = (cache, runs, taker)
  }

  /// Parts that were reported to the end, and how far the others were.
  private struct Place: Sendable {
    var part: Int64 = 0
    var reported: [Int64: Int64] = [:]
    /// What became of originals.
    var sources = ImportSummary()

    /// A run's totals with what became of originals.
    func totals(_ facts: RunFacts) -> ImportSummary {
      var totals = facts.totals
      totals.deletedSources = sources.deletedSources
      totals.movedSources = sources.movedSources
      totals.keptSources = sources.keptSources
      return totals
    }
  }

  /// Follows a run to its end, from its beginning, or until the task is cancelled; the run goes on
  /// without it.
  ///
  /// - Parameters:
  ///   - onFacts: receives each time how far the run is, on a thread where it may block.
  ///   - onFile: receives every input once, in the order of its part, on such a thread.
  /// - Returns: the run's totals.
  package func follow(
    _ run: Int64, onFacts: @escaping @Sendable (RunFacts) -> Void,
    onFile: @escaping @Sendable (ImportedFile) throws(StoreError) -> Void
  ) async throws(StoreError) -> ImportSummary {
    var place = Place()
    while true {
      let begin = ContinuousClock.now
      // In this order: what is reported last is all of a run that was done before.
      let (facts, next) = try await cache.act { [self, place] () throws(StoreError) in
        guard let facts = try runs.facts(of: run).first else {
          throw .database(what: "failed", detail: "run \(run) is not known any more")
        }
        onFacts(facts)
        return (facts, try report(run, from: place, onFile))
      }
      place = next
      if facts.state == .done { return place.totals(facts) }
      // Reading the facts of a large run costs something. A pass that takes originals away is not counted.
      let pause = taker == nil ? (ContinuousClock.now - begin) * 4 : .zero
      do { try await Task.sleep(for: max(.milliseconds(300), pause)) } catch {
        var totals = place.totals(facts)
        totals.stopped = .interrupted
        return totals
      }
    }
  }

  /// Reports the inputs that were counted since `place`.
  private func report(
    _ run: Int64, from place: Place, _ onFile: (ImportedFile) throws(StoreError) -> Void
  ) throws(StoreError) -> Place {
    var place = place
    for part in try runs.cursors(run, from: place.part) {
      let first = place.reported[part.number] ?? part.inputs.lowerBound
      if first < part.cursor {
        let results = try runs.results(run, first..<part.cursor)
        let files =
          taker == nil
          ? try results.map { result throws(StoreError) in try file(result) }
          : try results.concurrentMap { result throws(StoreError) in
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

  /// The input as its import reported it. A photo that was forgotten since is reported by its id.
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
