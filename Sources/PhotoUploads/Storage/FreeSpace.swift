import PhotoAttachments
package import PhotoIngestion

/// The free space of the cache folder's file system, and the part of it that must stay free. Uploads are refused before
/// they would use that part, so that stored data can still be read, changed and deleted.
package struct FreeSpace: Sendable {
  package let folder: String
  /// Bytes to keep free. `nil` means the smaller of 1 GB and 2 %.
  private let kept: Int?

  package init(folder: String, kept: Int? = nil) {
    self.folder = folder
    self.kept = kept
  }

  /// Returns `true` if `bytes` more would leave too little space. Returns `false` if the free space is unknown, because
  /// then a write that doesn't fit fails.
  package func isLow(for bytes: Int = 0) -> Bool { free.map { $0 - bytes < floor } ?? false }

  /// Free bytes. `nil` if the file system doesn't report them.
  package var free: Int? { blocks.map { $0.free } }

  /// The bytes that must stay free.
  package var floor: Int { kept ?? usualFloor }

  package var usualFloor: Int { min(1_000_000_000, (blocks?.all ?? 0) / 50) }

  /// Queries the file system on a pool's thread, because a network file system may hang. Returns `nil` after `limit`.
  package func query<Value: Sendable>(
    on files: WorkerPool, within limit: Duration,
    _ work: @escaping @Sendable (FreeSpace) -> Value
  ) async -> Value? {
    // Detached, because a call that hangs can't be canceled and must not delay the caller.
    let task = Task.detached { try await files.run { work(self) } }
    return try? await task.result(within: limit)?.get()
  }

  private var blocks: (all: Int, free: Int)? { SystemCalls.space(at: folder) }
}
