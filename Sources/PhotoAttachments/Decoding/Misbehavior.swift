import Foundation
import Glibc

/// The ways a decoder can end, for tests and for `Scripts/faults`: a worker with `--obey-trailers`
/// does on purpose what a photo's last bytes say.
enum Misbehavior: String, CaseIterable {
  case segv, bus, abort, trap, sys, kill, leave, spin, sleep, allocate, garbage
  case hangUp = "hang-up"

  static let marker = "misbehave:"

  /// Misbehaves when the bytes end in `misbehave:` and a word of ours.
  static func obey(_ bytes: [UInt8], _ socket: FrameSocket) {
    let tail = String(decoding: bytes.suffix(40), as: UTF8.self)
    guard let start = tail.range(of: marker)?.upperBound,
      let way = Misbehavior(rawValue: String(tail[start...]))
    else { return }
    way.act(socket)
  }

  private func act(_ socket: FrameSocket) {
    switch self {
    case .segv: raise(SIGSEGV)
    case .bus: raise(SIGBUS)
    case .abort: Glibc.abort()
    // How Swift code itself ends when it meets the impossible.
    case .trap: fatalError("told to trap")
    case .sys: _ = Glibc.setuid(0)
    case .kill: raise(SIGKILL)
    case .leave: _exit(0)
    case .spin: while true {}
    case .sleep: while true { Glibc.sleep(1) }
    case .allocate:
      var held: [[UInt8]] = []
      while true { held.append([UInt8](repeating: 1, count: 16 << 20)) }
    case .garbage:
      let text = [UInt8](repeating: 0x2E, count: 64)
      _ = Glibc.write(socket.descriptor, text, text.count)
      while true { Glibc.sleep(1) }
    case .hangUp:
      close(socket.descriptor)
      while true { Glibc.sleep(1) }
    }
  }
}
