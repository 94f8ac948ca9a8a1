/// Limits on what clients may send. Uploads in pieces count from their creation until all bytes have arrived.
public struct PhotoUploadLimits: Sendable {
  /// The maximum size of a photo in bytes.
  public var photoBytes = 20 << 20
  /// The maximum number of requests with a body that one client may send at the same time.
  public var requestsPerClient = 8
  /// The maximum number of requests with a body at the same time.
  public var requests = 64
  /// The minimum speed of a body in bytes per second, on average over 20 seconds.
  public var bytesPerSecond = 8 << 10
  /// The maximum number of one client's unfinished uploads in pieces that are in use.
  public var unfinishedPerClient = 8
  /// The maximum number of unfinished uploads in pieces that are in use.
  public var unfinished = 200
  /// The maximum size in bytes of one client's unfinished uploads. Beyond it, uploads that wait for bytes are deleted.
  public var unfinishedBytesPerClient = 512 << 20
  /// The maximum size in bytes of all unfinished uploads. Beyond it, uploads that wait for bytes are deleted.
  public var unfinishedBytes = 8 << 30
  /// The time within which an upload in pieces must finish.
  public var lifetime = Duration.seconds(24 * 3600)
  /// The space in bytes that uploads leave free on the disk. `nil` for 1 GB or 2 % of the disk, whichever is smaller.
  public var freeBytes: Int?

  /// Creates the default limits.
  public init() {}
}
