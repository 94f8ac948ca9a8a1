import Foundation
import PhotoIngestion
import ReportFlow

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
  private static func refusedLimit(_ file: String, in words: Words) -> String {
    if let smallStack {
      return words("command.error.stackLimit", ["file": file, "kibibytes": "\(smallStack)"])
    }
    var limit = rlimit()
    let memory = __rlimit_resource_t(RLIMIT_AS.rawValue)
    guard getrlimit(memory, &limit) == 0, limit.rlim_max < 1 << 30 else {
      return words("command.error.limits", ["file": file])
    }
    return words(
      "command.error.addressLimit", ["file": file, "kibibytes": "\(limit.rlim_max >> 10)"])
  }

  /// Why no decoder works here, and what to do; nil for other faults.
  static func sentence(
    _ fault: PhotoError.Fault, _ file: String, in words: Words
  ) -> String? {
    switch fault {
    // It ended before it could report why.
    case .decoderStart where smallStack != nil: refusedLimit(file, in: words)
    case .decoderStart: words("command.error.decoderStart", ["file": file])
    case .decoderStack: words("command.error.decoderStack", ["file": file])
    case .decoderAnswer: words("command.error.decoderAnswer", ["file": file])
    case .decoderKilled: words("command.error.decoderKilled", ["file": file])
    case .sandboxLandlock: words("command.error.noLandlock", ["file": file])
    case .sandboxSeccomp: words("command.error.noSeccomp", ["file": file])
    case .sandboxLimits: refusedLimit(file, in: words)
    case .sandboxThreads: words("command.error.threads", ["file": file])
    case .heifLoader: words("command.error.heifLoader", ["file": file])
    case .foreignLoader: words("command.error.foreignLoader", ["file": file])
    default: nil
    }
  }
}
