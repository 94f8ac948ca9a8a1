import NIOCore

/// How long and how much a connection may keep the server waiting.
struct GuardLimits: Sendable {
  /// From the start of a connection, or the end of its last answer, to the whole next request head.
  var idle: TimeAmount = .seconds(30)
  /// From the start of a connection to the end of its TLS handshake.
  var handshake: TimeAmount = .seconds(10)
  /// Stretch of time over which the pace of a request body is measured, in steps of half of it.
  var bodyWindow: TimeAmount = .seconds(20)
  /// Least pace of a request body over `bodyWindow`.
  var bodyBytesPerSecond = 8000
  /// All the time in which the server may wait for one body.
  var bodyTotal: TimeAmount = .minutes(15)
  /// How many pieces of a body may come before they have to be of `crumbBytes` on average: each piece
  /// costs work, however small it is.
  var crumbs = 50_000
  /// See `crumbs`.
  var crumbBytes = 16
  /// How long bytes of an answer may wait for a client that takes none.
  var writeStall: TimeAmount = .seconds(30)
  /// From the server's wish to end to the end of the connection, whatever a client has not taken yet.
  var quiesce: TimeAmount = .seconds(17)
  /// How long the rest of a body is dropped after an early answer, and whatever still comes before a
  /// connection is closed.
  var dropTime: TimeAmount = .seconds(5)
  /// How many such bytes are read; behind them TCP holds the client back until `dropTime` is over.
  var dropBytes = 256 << 10
  /// Bytes of an answer the kernel takes before they are sent (`TCP_NOTSENT_LOWAT`). Its own default
  /// of several megabytes would hide for minutes that a slow client makes progress.
  var unsentBytes = 64 << 10
}
