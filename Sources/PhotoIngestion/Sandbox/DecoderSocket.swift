import Glibc

/// One end of the socket between this process and a worker. The host's end is non-blocking, so the deadline also holds
/// in the middle of a message. The worker's end blocks and has no deadline.
///
/// Copying 5 MB through a socket takes about 1 ms, which is less than the variation between decodes. It needs neither
/// passed descriptors nor shared memory.
package struct DecoderSocket: Sendable {
  package var descriptor: Int32

  /// Creates a value for a descriptor that is already open.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  package typealias Deadline = SuspendingClock.Instant

  package enum Failure: Error {
    /// The other end is gone.
    case closed
    case timedOut
    /// The work that waits for a message was cancelled.
    case cancelled
    /// The data is not a message, or the message announces more bytes than allowed.
    case malformed
  }

  /// `true` if the other end is gone.
  var isAlone: Bool {
    var end = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&end, 1, 0) > 0 && Int32(end.revents) & POLLHUP != 0
  }

  package func send(
    _ message: DecoderMessage, until deadline: Deadline? = nil
  ) throws(Failure) {
    try send(message.header + message.json, until: deadline)
    try send(message.first, until: deadline)
    try send(message.second, until: deadline)
  }

  /// The interval in milliseconds between calls of `glance` while waiting for the worker.
  private static let glanceMilliseconds: Int64 = 50

  /// Receives a message.
  ///
  /// - Parameters:
  ///   - glance: a closure called at intervals until the message begins, to check on the worker.
  ///   - bounds: returns the maximum sizes for a kind of message. A message that announces more isn't read.
  func receive(
    until deadline: Deadline? = nil, glance: () -> Void = {},
    bounds: (DecoderMessage.Kind) -> DecoderMessage.Bounds
  ) throws(Failure) -> DecoderMessage {
    let bytes = try receive(DecoderMessage.headerBytes, until: deadline, glance: glance)
    guard let header = DecoderMessage.parse(bytes), bounds(header.kind).holds(header) else {
      throw .malformed
    }
    return DecoderMessage(
      kind: header.kind, json: try receive(header.json, until: deadline),
      first: try receive(header.first, until: deadline),
      second: try receive(header.second, until: deadline), ticket: header.ticket)
  }

  private func send(_ bytes: [UInt8], until deadline: Deadline?) throws(Failure) {
    try bytes.span.withUnsafeBytes { buffer throws(Failure) in
      var sent = 0
      while sent < buffer.count {
        let count = Glibc.send(
          descriptor, buffer.baseAddress! + sent, buffer.count - sent, Int32(MSG_NOSIGNAL))
        if count > 0 { sent += count } else { try wait(for: POLLOUT, until: deadline) }
      }
    }
  }

  /// Receives bytes without a message header.
  func receive(
    _ size: Int, until deadline: Deadline?, glance: () -> Void = {}
  ) throws(Failure) -> [UInt8] {
    guard size > 0 else { return [] }
    var failure: Failure?
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size, failure == nil {
        let got = recv(descriptor, buffer.baseAddress! + count, size - count, 0)
        if got > 0 {
          count += got
        } else if got == 0 {
          failure = .closed
        } else {
          do throws(Failure) { try wait(for: POLLIN, until: deadline, glance) } catch {
            failure = error
          }
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Waits until a failed `send` or `recv` can be retried, but at most `glanceMilliseconds`. Call it right after the
  /// failure, because it reads `errno`.
  private func wait(
    for event: Int32, until deadline: Deadline?, _ glance: () -> Void = {}
  ) throws(Failure) {
    guard errno != EINTR else { return }
    guard errno == EAGAIN, let deadline else { throw .closed }
    let left = SuspendingClock.now.duration(to: deadline).milliseconds
    guard left > 0 else { throw .timedOut }
    var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    let timeout = Int32(clamping: min(left, Self.glanceMilliseconds))
    if poll(&request, 1, timeout) == 0 {
      if WorkerPool.isCancelled { throw .cancelled }
      glance()
    }
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded up.
  var milliseconds: Int64 {
    components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999)
      / 1_000_000_000_000_000
  }
}
