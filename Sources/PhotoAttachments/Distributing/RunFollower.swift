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

  /// What is reported while a run is followed; all of it on a thread where it may block.
  package struct Observer: Sendable {
    /// Receives each time how far the run is.
    package var facts: @Sendable (RunFacts) -> Void
    /// Receives every input once, in the order of its part.
    package var file: @Sendable (ImportedFile) throws(StoreError) -> Void

    package init(
      facts: @escaping @Sendable (RunFacts) -> Void,
      file: @escaping @Sendable (ImportedFile) throws(StoreError) -> Void
    ) {
      (self.facts, self.file) = (facts, file)
    }
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
  /// - Returns: the run's totals.
  package func follow(_ run: Int64, _ output: Observer) async throws(StoreError) -> ImportSummary {
    var place = Place()
    while true {
      let begin = ContinuousClock.now
      // In this order: what is reported last is all of a run that was done before.
      let (facts, next) = try await cache.act { [self, place] () throws(StoreError) in
        guard let facts = try runs.facts(of: run).first else {
          throw .database(what: "failed", detail: "run \(run) is not known any more")
        }
        output.facts(facts)
        return (facts, try tell(run, from: place, output))
      }
      place = next
      if facts.state == .done { return place.totals(facts) }
      // Of a large run even a look costs something. What takes originals away is no look.
      let looking = taker == nil ? (ContinuousClock.now - begin) * 4 : .zero
      do { try await Task.sleep(for: max(.milliseconds(300), looking)) } catch {
        var totals = place.totals(facts)
        totals.stopped = .interrupted
        return totals
      }
    }
  }

  private func tell(
    _ run: Int64, from place: Place, _ output: Observer
  ) throws(StoreError) -> Place {
    var place = place
    for part in try runs.cursors(run, from: place.part) {
      let first = place.reported[part.number] ?? part.inputs.lowerBound
      if first < part.cursor {
        let results = try runs.results(run, first..<part.cursor)
        let files =
          taker == nil
          ? try results.map { result throws(StoreError) in try file(result) }
          : try SideBySide.map(results) { result throws(StoreError) in
            takingOriginal(of: result, try file(result))
          }
        for file in files {
          place.sources.count(file)
          try output.file(file)
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
