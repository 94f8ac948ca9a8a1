import PhotoIngestion
import ReportFlow

/// Something missing on this machine and how to get it.
struct MachineProblem: Equatable {
  var code: String
  var fix: String

  init(code: String, fix: String) { (self.code, self.fix) = (code, fix) }

  init(_ code: String, _ fix: TextKey, _ details: [String: String] = [:]) {
    self.init(code: code, fix: L10n.words(fix, details))
  }

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
