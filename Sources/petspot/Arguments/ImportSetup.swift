import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion

/// The stores, threads and decoders of an import.
struct ImportSetup {
  let stores: Stores
  let pipeline: PhotoPipeline

  /// Opens the stores while the first decoder starts.
  ///
  /// - Parameters:
  ///   - jobs: the number of photos that are processed at the same time. `nil` means one per core.
  ///   - timeout: the seconds to wait for other processes.
  init(jobs: Int?, _ options: GlobalOptions, timeout: TimeInterval) throws(StoreError) {
    let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    let decoding = options.startDecoders(
      // A person who imports folders trusts all files in them alike, so photos may share a worker.
      trust: .owner(photosPerWorker: 50), maxWorkers: jobs)
    // The extra thread reads, verifies, or waits for the disk while `jobs` photos are decoded.
    let pool = WorkerPool(threadCount: decoding.pool == nil ? jobs : jobs + 1)
    stores = try options.openStores(pool: pool, timeout: timeout)
    // Photos are processed in parallel, so each one gets a single thread.
    var policy = stores.photos.policy
    policy.threadsPerPhoto = 1
    pipeline = PhotoPipeline(policy: policy, decoding: decoding)
  }
}
