import Foundation
import Glibc
import PhotoIngestion

/// The ways a decoder can end or lie: this program's worker does on purpose what a photo's last bytes (its
/// trailer) say, `misbehave:` and one of these words.
enum Misbehavior: String, CaseIterable {
  case segv, bus, abort, trap, breakpoint, sys, kill, leave, spin, sleep, allocate, garbage
  case hangUp = "hang-up"
  /// Computes on and blocks the signal that its time is over.
  case defy
  /// Announces a picture of 4 GiB that never comes.
  case hugeAnswer = "huge-answer"
  /// Announces 1 GiB beside the name of a stage.
  case hugeStage = "huge-stage"
  /// Answers with a blob that no such photo can yield.
  case bigBlob = "big-blob"
  /// Reports stages without end.
  case endlessStages = "endless-stages"
  /// Answers with the ticket of another request.
  case otherAnswer = "other-answer"
  /// Answers, and at once the next photo too, which it has not seen.
  case answerTwice = "answer-twice"

  static let marker = "misbehave:"

  /// What bytes ask for that end in `misbehave:` and one of these words.
  init?(in bytes: [UInt8]) {
    let tail = String(decoding: bytes.suffix(40), as: UTF8.self)
    guard let start = tail.range(of: Self.marker)?.upperBound else { return nil }
    self.init(rawValue: String(tail[start...]))
  }

  /// Misbehaves in the middle of a photo.
  ///
  /// - Parameter ticket: of the request.
  func act(_ ticket: UInt64) {
    let socket = DecoderSocket(descriptor: 3)
    switch self {
    case .segv: raise(SIGSEGV)
    case .bus: raise(SIGBUS)
    case .abort: Glibc.abort()
    // How Swift code itself ends when it meets the impossible, by processor another signal.
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

  /// Sends a header that announces bytes which never come.
  private func sendFalseLength(
    _ kind: DecoderMessage.Kind, first: Int, _ ticket: UInt64, _ socket: DecoderSocket
  ) {
    var header = DecoderMessage(kind: kind, json: [], ticket: ticket).header
    withUnsafeBytes(of: UInt64(first).littleEndian) { header.replaceSubrange(16..<24, with: $0) }
    writeAndHang(header, socket)
  }

  /// Writes raw bytes, and never returns.
  private func writeAndHang(_ bytes: [UInt8], _ socket: DecoderSocket) {
    _ = Glibc.write(socket.descriptor, bytes, bytes.count)
    while true { Glibc.sleep(1) }
  }
}
