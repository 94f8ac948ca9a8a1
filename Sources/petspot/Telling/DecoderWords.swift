/// Sentences about decoders that do not work on this machine.
enum DecoderWords {
  /// Why no decoder works here, and what to do; nil for other faults.
  static func sentence(_ what: String, _ file: String) -> String? {
    let cage = "\(file) was not decoded: this system cannot cage the decoder"
    let weak = "or accept less safety with --allow-weak-sandbox."
    switch what {
    case "decoder-start":
      return
        "\(file) was not decoded: the decoder did not start. See what is missing with: petspot "
        + "doctor"
    case "decoder-killed":
      return
        "\(file) was not decoded: something killed the decoder, twice; the system may be short "
        + "of memory. Close other programs and try again."
    case "sandbox-landlock":
      return cage + " (no Landlock). Use Linux 5.13 or newer with Landlock enabled, " + weak
    case "sandbox-seccomp":
      return cage + " (no seccomp). Use a kernel or container that allows seccomp, " + weak
    case "sandbox-limits":
      return cage
        + " (resource limits refused). Raise the hard limits of memory and processor time "
        + "(ulimit -H) and try again."
    case "sandbox-threads":
      return cage + " (threads ran too early). Take preloaded libraries out of LD_PRELOAD and try "
        + "again."
    case "foreign-loader":
      return "\(file) was not decoded: libvips on this system would run loaders that PetSpot does "
        + "not trust. Reinstall libvips 8.13 or newer from your system's packages; see: petspot doctor"
    default: return nil
    }
  }
}
