import NIOCore

/// Asks a connection's guard to close it at once, because another connection takes its place.
struct RoomRequest: Sendable {}

/// Asks a connection's guard to call when the client has left: it closed the connection, or its half of it,
/// which stock clients do only when they want no answer.
struct DepartureWatch: Sendable {
  let left: @Sendable () -> Void
}

/// Logs an answer when it was sent; goes to the guard before the answer does.
struct AnswerLog: Sendable {
  /// Called once, with the bytes of the body that were sent, and whether that was all of the answer.
  let record: @Sendable (_ sent: Int?, _ isWhole: Bool) -> Void

  /// Hands it to the guard of a connection; one that is over has sent nothing, and one of another server, without
  /// a guard, is not known.
  func begin(on channel: any Channel) {
    channel.triggerUserOutboundEvent(self).whenFailure { error in
      let isGuarded = !channel.isActive || error as? ChannelError != .operationUnsupported
      record(isGuarded ? 0 : nil, !isGuarded)
    }
  }
}
