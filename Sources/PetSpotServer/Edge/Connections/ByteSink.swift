import NIOCore

/// Drops and counts all bytes that arrive.
final class ByteSink: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let dropped: (Int) -> Void

  /// Creates a sink that reports the number of bytes each time it drops some.
  init(_ dropped: @escaping (Int) -> Void) { self.dropped = dropped }

  /// Drops the bytes.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    dropped(unwrapInboundIn(data).readableBytes)
  }
}
