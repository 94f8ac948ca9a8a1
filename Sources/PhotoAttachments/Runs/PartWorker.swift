import Foundation
package import PhotoIngestion
import Synchronization

/// Imports parts of shared imports (runs, see `ImportRuns`) one after another, in the same pipeline as an import on one
/// machine.
package final class PartWorker: Sendable {
  private let cache: PhotoAttachmentCache
  private let pipeline: PhotoPipeline
  private let runs: ImportRuns
  private let name: String
  private let lease: Double
  private let objects: @Sendable (String) throws -> any ObjectSource
  private let current = Mutex<PartClaim?>(nil)

  /// Creates a worker that has not started.
  ///
  /// - Parameters:
  ///   - pipeline: stages 1 to 5, with one thread per photo.
  ///   - name: the machine and process, for display.
  ///   - lease: the time in seconds without a renewal after which other workers take over a part.
  ///   - objects: opens the store at a URL.
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

  /// The result of a worker's work on a part.
  package struct Report: Sendable {
    package var run: Int64
    package var part: Int64
    /// The counts of this worker's work on the part. Empty if the import threw.
    package var summary: ImportSummary
    package var end: End

    /// The reason why a worker stopped working on a part.
    package enum End: String, Sendable {
      case done
      /// The worker was asked to stop.
      case givenBack = "given-back"
      /// The worker didn't renew its claim in time, and another one has taken the part.
      case lost
      /// The database or the store failed.
      case failed
    }
  }

  /// Works until the task is cancelled. Then finishes the photos in progress and gives the part back.
  ///
  /// - Parameters:
  ///   - once: `true` returns as soon as no run is left to work on.
  ///   - onPart: a closure called with the report of every part and the error that ended it, if any.
  /// - Throws: permanent storage and catalog errors; temporary ones after the eighth failure in a row; errors that
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
        // Retry while a server restarts or is busy. Give up if it stays unavailable.
        failures += 1
        guard error.isTransient, failures < error.maxFailures else { throw error }
        try? await Task.sleep(for: .milliseconds(250 << failures))
      }
    }
  }

  /// Gives back the current part, so that this worker can record nothing more of it. Blocks.
  package func abandon() {
    if let claim = current.withLock({ $0 }) { try? runs.giveBack(claim) }
  }

  /// Claims a part of any run whose inputs this machine can see. `isIdle` is `true` if no such run exists.
  private func claim() async throws(StoreError) -> (PartClaim?, isIdle: Bool) {
    let claimed = try await cache.threads.finish { [runs, name, lease] in
      // Shuffled so that workers spread across runs.
      let working = try runs.selectWorking().filter { $0.source.isVisible() }.shuffled()
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
        // Whichever task ends first, cancel the other.
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
    options.retriesRefused = claim.order.again ?? false
    let importer = PhotoImporter(cache: cache, pipeline: pipeline, options: options)
    do throws(StoreError) {
      let entries = try await cache.threads.finish { [runs] in try runs.entries(of: claim) }
      var source: (any ObjectSource)?
      if case .objects(let address) = claim.order.source {
        source = try StoreError.catching { try objects(address) }
      }
      return .success(
        try await importer.importEntries(
          entries, in: source, counting: runs.catalog(of: claim, entries: entries)))
    } catch {
      return .failure(error)
    }
  }

  /// Renews the claim until it is lost or the task is cancelled. Ignores database errors, because recording will report
  /// them.
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
  /// The number of consecutive failures that ends a worker. Just one for a busy local database, because its busy
  /// timeout has already passed.
  fileprivate var maxFailures: Int { if case .busy(_, nil) = self { 1 } else { 8 } }

  /// `true` if a retry a little later may succeed.
  fileprivate var isTransient: Bool {
    switch self {
    case .busy, .overloaded, .unreachable: true
    default: false
    }
  }
}
