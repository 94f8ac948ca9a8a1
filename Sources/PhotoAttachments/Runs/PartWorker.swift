import Foundation
package import PhotoIngestion
import Synchronization

/// Works on the parts of runs, one after the other, through the same line as an import of one machine.
package final class PartWorker: Sendable {
  private let cache: PhotoAttachmentCache
  private let pipeline: PhotoPipeline
  private let runs: ImportRuns
  private let name: String
  private let lease: Double
  private let objects: @Sendable (String) throws -> any ObjectSource
  private let current = Mutex<PartClaim?>(nil)

  /// A worker that has not begun.
  ///
  /// - Parameters:
  ///   - pipeline: stages 1 to 5, with one thread a photo.
  ///   - name: machine and process, for people.
  ///   - lease: seconds without a sign of life after which others take its part.
  ///   - objects: the store at an address.
  package init(
    _ cache: PhotoAttachmentCache, pipeline: PhotoPipeline, runs: ImportRuns, name: String,
    lease: Double, objects: @escaping @Sendable (String) throws -> any ObjectSource
  ) {
    self.cache = cache
    self.pipeline = pipeline
    self.runs = runs
    self.name = name
    self.lease = lease
    self.objects = objects
  }

  /// What a worker did to a part.
  package struct Report: Sendable {
    package var run: Int64
    package var part: Int64
    /// What the worker did with the part; empty when the import threw.
    package var summary: ImportSummary
    package var end: End

    /// How a part ended for its worker.
    package enum End: String, Sendable {
      case done
      /// It was asked to stop.
      case givenBack = "given-back"
      /// It seemed to be gone, and another one has taken the part.
      case lost
      /// The database or the store failed it.
      case failed
    }
  }

  /// Works until the task is cancelled; then what is in flight is finished and the part given back.
  ///
  /// - Parameters:
  ///   - once: ends as soon as no run is left to work on.
  ///   - onPart: receives every part, with what failed it.
  /// - Throws: permanent storage and catalog errors, temporary ones at the eighth failure in a row, and what
  ///   `onPart` throws.
  package func work(
    once: Bool, onPart: @escaping @Sendable (Report, StoreError?) throws -> Void
  ) async throws(StoreError) {
    var failures = 0
    while !Task.isCancelled {
      do throws(StoreError) {
        let (claim, isIdle) = try await claim()
        if let claim {
          let (report, failure) = await work(on: claim)
          try StoreError.catching { try onPart(report, failure) }
          if let failure { throw failure }
        } else if once, isIdle {
          return
        } else {
          try? await Task.sleep(for: .seconds(min(1, lease / 2)))
        }
        failures = 0
      } catch {
        // A server that is started anew, or busy, is no reason to end; one that stays away is.
        failures += 1
        guard error.isTransient, failures < error.maxFailures else { throw error }
        try? await Task.sleep(for: .milliseconds(250 << failures))
      }
    }
  }

  /// Gives back what it works on now, so that nothing of it can be recorded any more. Blocks.
  package func abandon() {
    if let claim = current.withLock({ $0 }) { try? runs.giveBack(claim) }
  }

  /// A part of any run whose inputs are to be seen from here, and whether there is no such run.
  private func claim() async throws(StoreError) -> (PartClaim?, isIdle: Bool) {
    let claimed = try await cache.threads.finish { [runs, name, lease] in
      // By chance, so that workers share themselves between runs.
      let working = try runs.working().filter { $0.source.isVisible() }.shuffled()
      for run in working {
        if let claim = try runs.claim(run.id, worker: name, lease: lease) {
          return (PartClaim?.some(claim), false)
        }
      }
      return (nil, working.isEmpty)
    }
    current.withLock { $0 = claimed.0 }
    return claimed
  }

  private enum Step: Sendable {
    case ended(Result<ImportSummary, StoreError>)
    case lost
  }

  private func work(on claim: PartClaim) async -> (Report, StoreError?) {
    defer { current.withLock { $0 = nil } }
    let imported: Result<ImportSummary, StoreError> = await withTaskGroup(of: Step.self) { tasks in
      tasks.addTask { .ended(await self.importing(claim)) }
      tasks.addTask {
        await self.keepAlive(claim)
        return .lost
      }
      var result = Result<ImportSummary, StoreError>.failure(.cancelled)
      for await step in tasks {
        // Whichever ends first, the other has no reason to go on.
        tasks.cancelAll()
        if case .ended(let found) = step { result = found }
      }
      return result
    }
    var report = Report(
      run: claim.run, part: claim.number, summary: ImportSummary(), end: .failed)
    switch imported {
    case .success(let summary) where summary.files == claim.left.count:
      report.summary = summary
      report.end = .done
      return (report, nil)
    case .success(let summary):
      report.summary = summary
      report.end = await giveBack(claim) ? .givenBack : .lost
      return (report, nil)
    case .failure(.lostClaim):
      report.end = .lost
      return (report, nil)
    case .failure(let error):
      _ = await giveBack(claim)
      return (report, error)
    }
  }

  private func importing(_ claim: PartClaim) async -> Result<ImportSummary, StoreError> {
    var options = ImportOptions()
    options.again = claim.order.again ?? false
    let importer = PhotoImporter(cache: cache, pipeline: pipeline, options: options)
    do throws(StoreError) {
      let entries = try await cache.threads.finish { [runs] in try runs.entries(of: claim) }
      var source: (any ObjectSource)?
      if case .objects(let address) = claim.order.source {
        source = try StoreError.catching { try objects(address) }
      }
      return .success(
        try await importer.run(
          entries, in: source, counting: runs.catalog(of: claim, entries: entries)))
    } catch {
      return .failure(error)
    }
  }

  /// Renews the claim, until the claim is lost or the task cancelled. A database that cannot
  /// be reached is noticed when it records.
  private func keepAlive(_ claim: PartClaim) async {
    while (try? await Task.sleep(for: .seconds(min(5, lease / 6)))) != nil {
      let isHeld = try? await cache.threads.finish { [runs] in try runs.renew(claim) }
      if isHeld == false { return }
    }
  }

  private func giveBack(_ claim: PartClaim) async -> Bool {
    let isHeld = try? await cache.threads.finish { [runs] in
      let isHeld = try runs.renew(claim)
      try runs.giveBack(claim)
      return isHeld
    }
    return isHeld ?? false
  }
}

extension StoreError {
  /// How many times in a row it ends a worker. A catalog in a file was waited for already.
  fileprivate var maxFailures: Int { if case .busy(_, nil) = self { 1 } else { 8 } }

  /// Whether the same may succeed a little later.
  fileprivate var isTransient: Bool {
    switch self {
    case .busy, .overloaded, .unreachable: true
    default: false
    }
  }
}
