import Glibc
import HTTPTypes
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The floor under the free space of a file system: what comes in is refused before it's reached, so that what
/// is here can be read and changed, and deleted.
struct FreeSpace: Sendable {
  /// A folder of that file system.
  let folder: String
  /// Bytes that are kept; nil for the smaller of 1 GB and 2 %.
  let kept: Int?

  /// Whether there is no room for so many bytes. A file system that doesn't say how much is free has room: the
  /// write will fail then.
  func isLow(for bytes: Int = 0) -> Bool { free.map { $0 - bytes < floor } ?? false }

  /// Bytes that are free; nil where the file system doesn't say.
  var free: Int? { blocks.map { $0.free } }

  /// Bytes that stay free: what was chosen, else the smaller of 1 GB and 2 %.
  var floor: Int { kept ?? usualFloor }

  private var usualFloor: Int { min(1_000_000_000, (blocks?.all ?? 0) / 50) }

  /// The two thresholds of warnings are five times and twice what stays free, by choice or usually.
  var level: StoreWatch.Space {
    guard let free else { return .enough }
    let floor = max(floor, usualFloor)
    // Divided, because a multiple of the largest floor is no `Int`.
    return if isLow() { .full } else if free / 2 < floor { .veryLow } else if free / 5 < floor {
      .low
    } else { .enough }
  }

  /// Asks the file system on a pool's thread, because one of a network may hang.
  ///
  /// - Returns: `nil` if it takes longer than `limit`.
  func look<Value: Sendable>(
    on files: WorkerPool, within limit: Duration,
    _ look: @escaping @Sendable (FreeSpace) -> Value
  ) async -> Value? {
    // Detached, because a call that hangs can't be cancelled and must not keep the caller waiting.
    let task = Task.detached { try await files.run { look(self) } }
    return try? await task.result(within: limit)?.get()
  }

  private var blocks: (all: Int, free: Int)? { SystemCalls.space(at: folder) }
}

extension Site {
  /// Looks whether there is room on the disk for what a client is about to send; ask before it's read.
  ///
  /// - Parameter bytes: how many; nil when that's not known.
  /// - Throws: 507.
  func checkFreeSpace(for bytes: Int? = nil) async throws {
    let space = freeSpace
    // More than the most is refused as too large.
    let bytes = min(bytes ?? 0, 2 * configuration.uploadLimit)
    if try await files.run({ space.isLow(for: bytes) }) {
      throw StoreError.storageFull(operation: "reserve", path: space.folder, errno: ENOSPC)
    }
  }

  /// Looks whether a photo may come in, before its body is read.
  ///
  /// - Parameter isAnnounced: whether it counts as the client's share of the announced pictures.
  /// - Throws: 503 when too many wait, 507, 429 when nothing is left of the share.
  func checkRoom(forPhotoOf context: RequestContext, isAnnounced: Bool) async throws {
    try decoding.checkRoom(for: context.client)
    try await checkFreeSpace(for: context.contentLength)
    if isAnnounced { try await announcements(for: context).checkPhotoShare() }
  }
}

extension ErrorResponse {
  /// 507: nothing can be taken. The log says which store is full.
  static var storageFull: Self {
    Self(
      HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), "STORAGE_FULL",
      "No photos or reports can be taken right now. Try again later.")
  }
}
