import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension SourceKeptReason {
  /// The reason why an original is kept, as words that follow `original kept: `.
  var words: String { L10n.words(TextKey(rawValue: "import.kept.\(told.name)"), told.values) }

  /// An object with `code`, `message` and facts. `losses` are those of `normalization`, and `path` is the file's
  /// current path.
  var json: JSON {
    let common: JSON = ["code": code, "message": words]
    return common.adding(told.facts)
  }

  /// The text's key, the values in it, and the facts for programs.
  private var told: (name: String, values: [String: String], facts: JSON.Members) {
    switch self {
    case .losses(let losses):
      let words = losses.map(Normalization.lossWords).joined(separator: ", ")
      return (code, ["losses": words], ["losses": losses])
    case .cut(let signs):
      return (signs.contains("frames") ? "frames" : code, [:], ["signs": signs])
    case .unknownData(let bytes):
      return (code, ["size": Amounts.size(bytes)], ["bytes": bytes])
    case .secondOpinion(let differs): return (differs ? code : "no-\(code)", [:], [:])
    case .failed(let errno):
      return (code, ["reason": L10n.words.reason(errno)], ["errno": Int(errno)])
    case .storeFailed(let service, let detail):
      let values = ["service": service, "detail": detail]
      return (code, values, ["service": service, "detail": detail])
    case .displaced(let path):
      let name = ["path": DisplayText.path(path)]
      return (code, name, ["path": DisplayText.verbatim(path)])
    case .equalPixels, .link, .stored, .sidecar, .changed, .unproved: return (code, [:], [:])
    }
  }
}
