import Foundation
import Glibc
import PhotoIngestion

/// The ways in which a decoder can end or lie. This worker does so on purpose if the last bytes (the trailer) of a
/// photo are `misbehave:` and a raw value.
enum Misbehavior: String, CaseIterable {
  case segv, bus, abort, trap, breakpoint, sys, kill, leave, spin, sleep, allocate, garbage
  case hangUp = "hang-up"
  /// Keeps computing, and blocks the signal that its time is over.
  case defy
  /// Announces a picture of 4 GiB that never follows.
  case hugeAnswer = "huge-answer"
  /// Announces 1 GiB of data beside the name of a stage.
  case hugeStage = "huge-stage"
  /// Returns a blob larger than any that such a photo can yield.
  case bigBlob = "big-blob"
  /// Reports stages endlessly.
  case endlessStages = "endless-stages"
  /// Returns the ticket of another request.
  case otherAnswer = "other-answer"
  /// Returns its outcome, and right after it one for the next photo, which it hasn't seen.
  case answerTwice = "answer-twice"

  static let marker = "misbehave:"

  /// Parses the misbehavior that the last bytes of a photo request; `nil` if they request none.
  init?(in bytes: [UInt8]) {
    let tail = String(decoding: bytes.suffix(40), as: UTF8.self)
    guard let start = tail.range(of: Self.marker)?.upperBound else { return nil }
    self.init(rawValue: String(tail[start...]))
  }

  /// Misbehaves while it decodes a photo.
  ///
  /// - Parameter ticket: the ticket of the request.
  func act(_ ticket: UInt64) {
    let socket = DecoderSocket(descriptor: 3)
    switch self {
    case .segv: raise(SIGSEGV)
    case .bus: raise(SIGBUS)
    case .abort: Glibc.abort()
    // Swift code ends this way if a precondition fails; the signal depends on the processor.
    case .trap: fatalError("asked to trap")
    case .breakpoint: raise(SIGTRAP)
    case .sys: _ = Glibc.setuid(0)
    case .kill: raise(SIGKILL)
    case .leave: _exit(0)
    case .spin: while true {}
    case .defy:
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_SETMASK, &all, nil)
      while true {}
    case .sleep: while true { Glibc.sleep(1) }
    case .allocate:
      var held: [[UInt8]] = []
      while true { held.append([UInt8](repeating: 1, count: 16 << 20)) }
    case .garbage: writeAndHang([UInt8](repeating: 0x2E, count: 64), socket)
    case .hangUp:
      close(socket.descriptor)
      while true { Glibc.sleep(1) }
    case .hugeAnswer: sendFalseLength(.answer, first: 4 << 30, ticket, socket)
    case .hugeStage: sendFalseLength(.stage, first: 1 << 30, ticket, socket)
    case .bigBlob:
      let blob = [UInt8](repeating: 0, count: 1 << 20)
      try? socket.send(
        DecoderMessage(kind: .answer, json: Array("{}".utf8), first: blob, ticket: ticket))
    case .endlessStages:
      let stage = Array(#"{"stage":"decode","pixels":1}"#.utf8)
      while true { try? socket.send(DecoderMessage(kind: .stage, json: stage, ticket: ticket)) }
    case .otherAnswer:
      try? socket.send(DecoderMessage(kind: .answer, json: Array("{}".utf8), ticket: ticket &+ 1))
    case .answerTwice: break  // once it has answered
    }
  }

  /// Sends a header that announces bytes which never follow.
  private func sendFalseLength(
    _ kind: DecoderMessage.Kind, first: Int, _ ticket: UInt64, _ socket: DecoderSocket
  ) {
    var header = DecoderMessage(kind: kind, json: [], ticket: ticket).header
    withUnsafeBytes(of: UInt64(first).littleEndian) { header.replaceSubrange(16..<24, with: $0) }
    writeAndHang(header, socket)
  }

  /// Writes raw bytes, then hangs forever.
  private func writeAndHang(_ bytes: [UInt8], _ socket: DecoderSocket) {
    _ = Glibc.write(socket.descriptor, bytes, bytes.count)
    while true { Glibc.sleep(1) }
  }
}
