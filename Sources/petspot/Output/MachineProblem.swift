import PhotoIngestion

/// Something missing on this machine and how to get it.
struct MachineProblem: Equatable {
  var code: String
  var fix: String

  init(code: String, fix: String) { (self.code, self.fix) = (code, fix) }

  /// What helps against a problem of the decoders.
  init(decoder problem: PhotoError.Fault) {
    code = problem.rawValue
    let text: Text =
      switch problem {
      case .libvipsStart: .fixVips
      case .libmagicDatabase: .fixMagic
      case .heifLoader: .fixHEIC
      case .sandboxLandlock: .fixLandlock
      case .sandboxSeccomp: .fixSeccomp
      default: .fixOther
      }
    fix = L10n.words(text)
  }
}
