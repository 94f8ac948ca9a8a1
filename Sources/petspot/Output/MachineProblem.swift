/// Something missing on this machine and how to get it.
struct MachineProblem: Equatable {
  var code: String
  var fix: String

  init(code: String, fix: String) { (self.code, self.fix) = (code, fix) }

  /// What helps against a problem of the decoders.
  init(decoder code: String) {
    self.code = code
    let text: Text =
      switch code {
      case "libvips-start": .fixVips
      case "libmagic-database": .fixMagic
      case "heif-loader": .fixHEIC
      case "sandbox-landlock": .fixLandlock
      case "sandbox-seccomp": .fixSeccomp
      default: .fixOther
      }
    fix = L10n.words(text)
  }
}
