/// What the server of a database reports of itself, and what this program may do there.
package struct DatabaseFacts: Sendable {
  /// The database's address without secrets.
  package var address = ""
  /// Such as `15.18`.
  package var version = ""
  /// How far this machine's clock is ahead of the server's, in milliseconds; negative when it is
  /// behind. The way to the server makes it uncertain by half of what that takes.
  package var clockDifference = 0
  /// Whether the connection is encrypted.
  package var isEncrypted = false
  /// Whether what was committed survives the server's end: its `fsync` and `synchronous_commit`.
  package var isDurable = false
  /// Whether our tables are there.
  package var hasTables = false
  /// Whether we may use them, or make them where there are none.
  package var mayWrite = false

  /// No facts yet.
  package init() {}
}
