import NIOCore

/// The time and the bytes that a connection may take.
struct GuardLimits: Sendable {
  /// From the start of a connection or the end of its last response until the next request head is complete.
  var idle: TimeAmount = .seconds(30)
  /// From the start of a connection to the end of its TLS handshake.
  var handshake: TimeAmount = .seconds(10)
  /// The window over which the pace of a request body is measured, in steps of half a window.
  var bodyWindow: TimeAmount = .seconds(20)
  /// The least average pace of a request body within `bodyWindow`.
  var bodyBytesPerSecond = 8000
  /// The total time for which the server may wait for one body.
  var bodyTotal: TimeAmount = .minutes(15)
  /// After this many pieces of a body, they must have `crumbBytes` on average, because each piece costs work, however
  /// small it is.
  var crumbs = 50_000
  /// The least average size of pieces. See `crumbs`.
  var crumbBytes = 16
  /// The time for which response bytes may wait for a client that reads none.
  var writeStall: TimeAmount = .seconds(30)
  /// From the start of a graceful shutdown until the connection is closed, even if the client has not read everything.
  var quiesce: TimeAmount = .seconds(17)
  /// The time for which the rest of a body is dropped after an early response, and any bytes before a connection is
  /// closed.
  var dropTime: TimeAmount = .seconds(5)
  /// The number of such bytes that are read. TCP holds the client back after them until `dropTime` has passed.
  var dropBytes = 256 << 10
  /// Response bytes that the kernel takes before they are sent (`TCP_NOTSENT_LOWAT`). With the kernel's default of
  /// several megabytes, a slow client would seem to make no progress for minutes.
  var unsentBytes = 64 << 10
}
