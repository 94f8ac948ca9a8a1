import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion

/// What an import works with: stores, threads and decoders.
struct ImportSetup {
  let stores: Stores
  let pipeline: PhotoPipeline

  /// Opens the stores; the first decoder gets ready meanwhile.
  ///
  /// - Parameters:
  ///   - jobs: photos to work on at a time; nil for one per core.
  ///   - timeout: seconds to wait for others.
  init(jobs: Int?, _ options: GlobalOptions, timeout: TimeInterval) throws(StoreError) {
    let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    let decoders = options.startDecoders(
      // Who imports folders trusts each file in them with the others.
      trust: .owner(photosPerWorker: 50), maxWorkers: jobs)
    // One thread more reads, proves, or waits for the disk while `jobs` photos are decoded.
    let pool = WorkerPool(threadCount: decoders == nil ? jobs : jobs + 1)
    stores = try options.openStores(pool: pool, timeout: timeout)
    // Parallel over photos, not inside one.
    var policy = stores.photos.policy
    policy.threadsPerPhoto = 1
    pipeline = PhotoPipeline(policy: policy, decoders: decoders)
  }
}
