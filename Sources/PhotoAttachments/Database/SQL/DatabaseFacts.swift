/// The state of a database server, and the rights of this program there.
package struct DatabaseFacts: Sendable {
  /// The database's address without secrets.
  package var address = ""
  /// The server's version, such as `15.18`.
  package var version = ""
  /// The difference between this machine's clock and the server's in milliseconds. Positive if this machine is ahead.
  /// Its error is at most half of the round trip.
  package var clockDifference = 0
  /// `true` if the connection is encrypted.
  package var isEncrypted = false
  /// `true` if committed data survives a crash of the server, according to its `fsync` and `synchronous_commit`.
  package var isDurable = false
  /// `true` if the tables of this program exist.
  package var hasTables = false
  /// `true` if this program may write to its tables, or create them if they don't exist.
  package var mayWrite = false

  /// Creates empty facts.
  package init() {}
}
