import Foundation
import PhotoIngestion

/// Sentences about decoders that do not work on this machine.
enum DecoderWords {
  /// Kibibytes of stack that a decoder can't get more than; nil when that's enough.
  private static var smallStack: UInt? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0,
      limit.rlim_max < 8 << 20
    else { return nil }
    return UInt(limit.rlim_max >> 10)
  }

  /// Which limit leaves a decoder no room, and how to raise it. Decoders inherit this process's.
  private static func refusedLimit(_ file: String) -> Text {
    if let smallStack { return .errorStackLimit(file: file, kibibytes: smallStack) }
    var limit = rlimit()
    let memory = __rlimit_resource_t(RLIMIT_AS.rawValue)
    guard getrlimit(memory, &limit) == 0, limit.rlim_max < 1 << 30 else {
      return .errorLimits(file: file)
    }
    return .errorAddressLimit(file: file, kibibytes: UInt(limit.rlim_max >> 10))
  }

  /// Why no decoder works here, and what to do; nil for other faults.
  static func text(_ fault: PhotoError.Fault, _ file: String) -> Text? {
    switch fault {
    // It ended before it could report why.
    case .decoderStart where smallStack != nil: refusedLimit(file)
    case .decoderStart: .errorDecoderStart(file: file)
    case .decoderStack: .errorDecoderStack(file: file)
    case .decoderAnswer: .errorDecoderAnswer(file: file)
    case .decoderKilled: .errorDecoderKilled(file: file)
    case .sandboxLandlock: .errorNoLandlock(file: file)
    case .sandboxSeccomp: .errorNoSeccomp(file: file)
    case .sandboxLimits: refusedLimit(file)
    case .sandboxThreads: .errorThreads(file: file)
    case .foreignLoader: .errorForeignLoader(file: file)
    default: nil
    }
  }
}
