import PhotoIngestion
import ReportFlow

/// Something missing on this machine and how to get it.
struct MachineProblem: Equatable {
  var code: String
  var fix: String

  init(code: String, fix: String) { (self.code, self.fix) = (code, fix) }

  /// What helps against a problem of the decoders.
  init(decoder problem: PhotoError.Fault) {
    code = problem.rawValue
    let name =
      switch problem {
      case .libvipsStart, .libmagicDatabase, .heifLoader, .sandboxLandlock, .sandboxSeccomp: code
      default: "other"
      }
    fix = L10n.words(TextKey(rawValue: "doctor.fix.\(name)"))
  }
}
