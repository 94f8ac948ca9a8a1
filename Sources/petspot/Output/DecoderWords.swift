import Foundation

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
  static func text(_ what: String, _ file: String) -> Text? {
    switch what {
    // It ended before it could report why.
    case "decoder-start" where smallStack != nil: refusedLimit(file)
    case "decoder-start": .errorDecoderStart(file: file)
    case "decoder-stack": .errorDecoderStack(file: file)
    case "decoder-answer": .errorDecoderAnswer(file: file)
    case "decoder-killed": .errorDecoderKilled(file: file)
    case "sandbox-landlock": .errorNoLandlock(file: file)
    case "sandbox-seccomp": .errorNoSeccomp(file: file)
    case "sandbox-limits": refusedLimit(file)
    case "sandbox-threads": .errorThreads(file: file)
    case "foreign-loader": .errorForeignLoader(file: file)
    default: nil
    }
  }
}
