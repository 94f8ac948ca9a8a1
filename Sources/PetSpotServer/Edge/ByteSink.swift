import NIOCore

/// Drops every byte that comes, and counts it.
final class ByteSink: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let dropped: (Int) -> Void

  /// A sink that reports how many bytes it dropped, each time.
  init(_ dropped: @escaping (Int) -> Void) { self.dropped = dropped }

  /// Passes nothing on.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    dropped(unwrapInboundIn(data).readableBytes)
  }
}
