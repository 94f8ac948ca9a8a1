import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension SourceKept {
  /// Why an original stays, in words that follow `original kept: `.
  var words: String { Speech.pick(en: english, pl: polish) }

  private var english: String {
    switch self {
    case .losses(let losses):
      "its photo is stored without \(losses.map(Normalization.lossWords).joined(separator: ", "))"
    case .equalPixels: "another file with equal pixels was stored in its place"
    case .link: "a symbolic link led to it"
    case .stored: "it belongs to a photo cache"
    case .changed: "it is no longer what was read"
    case .unproved: "its stored photo could not be proved"
    case .failed(let errno): "the system did not let it go, \(Words.reason(errno))"
    case .storeFailed(let service, let detail): "\(service) did not let it go: \(detail)"
    case .displaced(let path):
      "it changed and is now \(DisplayText.path(path)), because another file took its name"
    }
  }

  private var polish: String {
    switch self {
    case .losses(let losses):
      "zapisane zdjęcie nie zawiera: "
        + losses.map(Normalization.lossWords).joined(separator: ", ")
    case .equalPixels: "w jego miejsce zapisano inny plik o tych samych pikselach"
    case .link: "prowadziło do niego dowiązanie"
    case .stored: "należy do folderu danych PetSpot"
    case .changed: "nie jest już tym, co odczytano"
    case .unproved: "zapisanego zdjęcia nie udało się potwierdzić"
    case .failed(let errno): "system na to nie pozwolił (\(Words.reason(errno)))"
    case .storeFailed(let service, let detail): "\(service) na to nie pozwala: \(detail)"
    case .displaced(let path):
      "zmienił się i leży teraz jako \(DisplayText.path(path)), bo inny plik zajął jego nazwę"
    }
  }

  /// `{"code","message",…}`; `losses` are those of `normalization`, `path` is where it lies now.
  var json: JSON {
    let common: JSON = ["code": .string(code), "message": .string(words)]
    switch self {
    case .losses(let losses): return common.adding(["losses": .strings(losses)])
    case .failed(let errno): return common.adding(["errno": .int(Int(errno))])
    case .displaced(let path):
      return common.adding(["path": .string(DisplayText.verbatim(path))])
    case .storeFailed(let service, let detail):
      return common.adding(["service": .string(service), "detail": .string(detail)])
    case .equalPixels, .link, .stored, .changed, .unproved: return common
    }
  }
}
