import Glibc
import NIOCore

/// Refuses connections while the process has no file descriptor for them. NIO would only wait, and so would the
/// clients.
///
/// The handler keeps one descriptor in reserve. It closes that one, accepts and closes the waiting connections, and
/// opens the reserve again.
final class ConnectionRefusal: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = any Channel

  /// Connections that are refused before the event loop does other work.
  private static let most = 256
  private static let pause = TimeAmount.milliseconds(100)

  private var reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)

  deinit { if reserve >= 0 { close(reserve) } }

  /// Refuses the connections that wait, and accepts again a moment later.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE].contains(code) else {
      return context.fireErrorCaught(error)
    }
    // A second error within the pause has no further effect.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self, refuse)
    let channel = context.channel
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
      if self.reserve < 0 { self.reserve = open("/dev/null", O_RDONLY | O_CLOEXEC) }
      try? channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }

  private func refuse(_ listener: NIOBSDSocket.Handle) {
    if reserve >= 0 { close(reserve) }
    for _ in 0..<Self.most {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      close(connection)
    }
    reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
  }
}
