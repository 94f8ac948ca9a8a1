import Foundation
import PhotoAttachments

/// What a page of the library is about: which photos, in the order in which they were taken, and which of them.
struct LibraryPlace: Sendable {
  var words = ""
  var month = ""
  var folder: String?
  /// The number of a photo among them.
  var number = 0

  init(_ query: [String: String]) {
    words = query["q"] ?? ""
    month = (query["month"] ?? "").wholeMatch(of: /\d{4}-\d\d/) == nil ? "" : query["month"] ?? ""
    folder = query["folder"]
    number = query["n"].flatMap { Int($0) }.flatMap { (0..<1 << 40).contains($0) ? $0 : nil } ?? 0
  }

  var search: PhotoSearch {
    var search = PhotoSearch()
    search.words = words.split(whereSeparator: \.isWhitespace).map(String.init)
    if !month.isEmpty { search.taken = (month, month) }
    search.folder = folder.map { $0.replacing(/[\\*?\[]/) { "\\" + $0.output } }
    search.source = .import
    search.order = .taken
    return search
  }

  func at(_ number: Int) -> Self {
    var place = self
    place.number = max(0, number)
    return place
  }

  /// As it stands in an address, from the question mark on.
  var query: String {
    let parts = [
      ("q", words), ("month", month), ("folder", folder), ("n", number > 0 ? "\(number)" : ""),
    ].filter { $0.0 == "folder" ? $0.1 != nil : !($0.1 ?? "").isEmpty }
    let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "&+=#;"))
    let text = parts.map {
      $0.0 + "=" + (($0.1 ?? "").addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
    }.joined(separator: "&")
    return text.isEmpty ? "" : "?" + text
  }
}
