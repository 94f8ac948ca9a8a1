/// The line for those outside: each waits on a pool's thread, and the caller's goes on.
extension PhotoPipeline {
  /// Tells what a photo is and what `prepare` would do with it. Whether its codes can stay is read
  /// from them, as the proof of stage 5 does, but nothing is decoded or encoded: a file that a decoder
  /// refuses may have a plan.
  ///
  /// - Parameters:
  ///   - source: a file, or bytes that were received.
  ///   - pool: whose threads read.
  /// - Throws: `PhotoError` with the reason for a refusal, `.cancelled` with the task; nothing is stored
  ///   either way.
  public func inspect(
    _ source: PhotoSource, on pool: WorkerPool = .shared
  ) async throws(PhotoError) -> PhotoInspection {
    try await pool.prepare { () throws(PhotoError) in try inspect(source) }
  }

  /// Makes the normalized blob and preview in memory, proved and ready to store.
  ///
  /// - Parameters:
  ///   - source: a file, or bytes that were received.
  ///   - pool: whose threads work, and so how many photos are worked on at the same time.
  /// - Throws: `PhotoError` with the reason for a refusal, `.cancelled` with the task; nothing is stored
  ///   either way.
  public func prepare(
    _ source: PhotoSource, on pool: WorkerPool = .shared
  ) async throws(PhotoError) -> PreparedPhoto {
    try await pool.prepare { () throws(PhotoError) in try prepare(source) }
  }
}

extension DecoderPool {
  /// What a worker's libraries and sandbox are; `problems` says why workers refuse to work here.
  ///
  /// - Throws: `PhotoError.fault("decoder-start")` when none can be asked, `.cancelled`.
  public func report(on pool: WorkerPool = .shared) async throws(PhotoError) -> DecoderReport {
    try await pool.prepare { () throws(PhotoError) in try self.report() }
  }
}
