/// The place where photos are decoded.
public enum PhotoDecoding: Sendable {
  /// Worker processes without access to files and network. By default, they run this program.
  case sandboxed(DecoderPool = DecoderPool())
  /// This process. It is only safe for trusted photos, because a crash of a C library ends the process.
  case inProcess

  /// The worker processes, or `nil` if photos are decoded in this process.
  package var pool: DecoderPool? {
    switch self {
    case .sandboxed(let pool): pool
    case .inProcess: nil
    }
  }
}
