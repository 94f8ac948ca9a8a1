import Foundation
import PhotoAttachments
import SystemPackage
import ReportFlow

extension SourceKeptReason {
  /// Why an original stays, in words that follow `original kept: `.
  var words: String {
    switch self {
    case .losses(let losses):
      L10n.words(
        "import.kept.losses",
        ["losses": losses.map(Normalization.lossWords).joined(separator: ", ")])
    case .cut(let signs):
      L10n.words(signs.contains("frames") ? "import.kept.frames" : "import.kept.cut")
    case .unknownData(let bytes):
      L10n.words("import.kept.unknown-data", ["size": Amounts.size(bytes)])
    case .secondOpinion(let differs):
      L10n.words(differs ? "import.kept.second-opinion" : "import.kept.no-second-opinion")
    case .failed(let errno): L10n.words("import.kept.failed", ["reason": Amounts.reason(errno)])
    case .storeFailed(let service, let detail):
      L10n.words("import.kept.store-failed", ["service": service, "detail": detail])
    case .displaced(let path):
      L10n.words("import.kept.displaced", ["path": DisplayText.path(path)])
    case .equalPixels, .link, .stored, .sidecar, .changed, .unproved:
      L10n.words(TextKey(rawValue: "import.kept.\(code)"))
    }
  }

  /// `{"code","message",…}`; `losses` are those of `normalization`, `path` is where it lies now.
  var json: JSON {
    let common: JSON = ["code": .string(code), "message": .string(words)]
    switch self {
    case .losses(let losses): return common.adding(["losses": .strings(losses)])
    case .cut(let signs): return common.adding(["signs": .strings(signs)])
    case .unknownData(let bytes): return common.adding(["bytes": .int(bytes)])
    case .failed(let errno): return common.adding(["errno": .int(Int(errno))])
    case .displaced(let path):
      return common.adding(["path": .string(DisplayText.verbatim(path))])
    case .storeFailed(let service, let detail):
      return common.adding(["service": .string(service), "detail": .string(detail)])
    case .equalPixels, .link, .stored, .sidecar, .changed, .unproved, .secondOpinion:
      return common
    }
  }
}
