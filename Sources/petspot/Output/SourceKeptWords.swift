import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension SourceKeptReason {
  /// Why an original stays, in words that follow `original kept: `.
  var words: String { L10n.words(.sourceKept(self)) }

  /// `{"code","message",…}`; `losses` are those of `normalization`, `path` is where it lies now.
  var json: JSON {
    let common: JSON = ["code": .string(code), "message": .string(words)]
    switch self {
    case .losses(let losses): return common.adding(["losses": .strings(losses)])
    case .cut(let signs): return common.adding(["signs": .strings(signs)])
    case .failed(let errno): return common.adding(["errno": .int(Int(errno))])
    case .displaced(let path):
      return common.adding(["path": .string(DisplayText.verbatim(path))])
    case .storeFailed(let service, let detail):
      return common.adding(["service": .string(service), "detail": .string(detail)])
    case .equalPixels, .link, .stored, .changed, .unproved: return common
    }
  }
}
