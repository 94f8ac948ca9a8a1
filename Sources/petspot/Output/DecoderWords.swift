import Foundation

/// Sentences about decoders that do not work on this machine.
enum DecoderWords {
  /// Whether a decoder cannot get the stack it needs.
  private static var isStackSmall: Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0
      && limit.rlim_max < 8 << 20
  }

  /// Which limit leaves a decoder no room, and how to raise it. Decoders inherit this process's.
  private static var refusedLimit: String {
    var limit = rlimit()
    if isStackSmall {
      getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
      return "its stack may have \(limit.rlim_max >> 10) KiB, but it needs 8192). Raise the limit "
        + "(ulimit -Hs 8192"
    }
    let memory = __rlimit_resource_t(RLIMIT_AS.rawValue)
    if getrlimit(memory, &limit) == 0, limit.rlim_max < 1 << 30 {
      return "it may use \(limit.rlim_max >> 10) KiB of address space, but it needs 1048576). "
        + "Raise the limit (ulimit -Hv 4194304"
    }
    return "resource limits were refused). Raise the hard limits of memory and processor time "
      + "(ulimit -H"
  }

  /// Why no decoder works here, and what to do; nil for other faults.
  static func sentence(_ what: String, _ file: String) -> String? {
    let cage = "\(file) wasn't decoded: this system can't sandbox the decoder"
    let weak = "or accept less safety with --allow-weak-sandbox."
    switch what {
    case "decoder-start" where isStackSmall:
      // It ended before it could tell why.
      return cage + " (\(refusedLimit)) and try again."
    case "decoder-start":
      return
        "\(file) wasn't decoded: the decoder didn't start. See what is missing with: petspot "
        + "doctor"
    case "decoder-stack":
      return
        "\(file) wasn't decoded: the stack is too small for the decoder. Allow a bigger one "
        + "(ulimit -s 8192) and try again."
    case "decoder-answer":
      return
        "\(file) was refused: the decoder gave an answer that no working decoder would give; the file may "
        + "have been crafted to attack it. Nothing was stored; choose another photo."
    case "decoder-killed":
      return
        "\(file) wasn't decoded: something killed the decoder, twice; the system may be short "
        + "of memory. Close other programs and try again."
    case "sandbox-landlock":
      return cage + " (no Landlock). Use Linux 5.13 or newer with Landlock enabled, " + weak
    case "sandbox-seccomp":
      return cage + " (no seccomp). Use a kernel or container that allows seccomp, " + weak
    case "sandbox-limits":
      return cage + " (\(refusedLimit)) and try again."
    case "sandbox-threads":
      return cage + " (threads ran too early). Take preloaded libraries out of LD_PRELOAD and try "
        + "again."
    case "foreign-loader":
      return "\(file) wasn't decoded: libvips on this system would run loaders that PetSpot "
        + "doesn't trust. Reinstall libvips 8.13 or newer from your system's packages; see: petspot doctor"
    default: return nil
    }
  }
}
