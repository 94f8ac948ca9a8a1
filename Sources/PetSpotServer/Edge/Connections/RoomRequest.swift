import NIOCore

/// An event that asks the guard of a connection to close it at once, because another connection takes its place.
struct RoomRequest: Sendable {}

/// An event that asks the guard of a connection to call `left` when the client has left. A client has left if it closed
/// the connection or its half of it. Standard clients close their half only if they don't wait for a response.
struct DepartureWatch: Sendable {
  let left: @Sendable () -> Void
}

/// An event that asks the guard of a connection to log the next response when it was sent.
struct AnswerLog: Sendable {
  /// A closure that is called once, with the number of body bytes that were sent, and whether the response was sent
  /// completely.
  let record: @Sendable (_ sent: Int?, _ isWhole: Bool) -> Void

  /// Passes the log to the guard of a connection. If the connection has closed, logs that nothing was sent. If another
  /// server's connection has no guard, logs the number of bytes as unknown.
  func begin(on channel: any Channel) {
    channel.triggerUserOutboundEvent(self).whenFailure { error in
      let isGuarded = !channel.isActive || error as? ChannelError != .operationUnsupported
      record(isGuarded ? 0 : nil, !isGuarded)
    }
  }
}
