import Foundation
import PhotoAttachments

/// The query of a library page's address: a filter of photos, and a position among the filtered ones, which are in the
/// order in which they were taken.
struct LibraryPlace: Sendable {
  var words = ""
  var month = ""
  var folder: String?
  /// The index of a photo among the filtered ones.
  var number = 0

  /// Parses the query of an address. Ignores values that are malformed.
  init(_ query: [String: String]) {
    words = query["q"] ?? ""
    month = (query["month"] ?? "").wholeMatch(of: /\d{4}-\d\d/) == nil ? "" : query["month"] ?? ""
    folder = query["folder"]
    number = query["n"].flatMap { Int($0) }.flatMap { (0..<1 << 40).contains($0) ? $0 : nil } ?? 0
  }

  /// The search for the filtered photos, in the order in which they were taken.
  var search: PhotoQuery {
    var search = PhotoQuery()
    search.words = words.split(whereSeparator: \.isWhitespace).map(String.init)
    if !month.isEmpty { search.taken = (month, month) }
    search.folder = folder.map { $0.replacing(/[\\*?\[]/) { "\\" + $0.output } }
    search.source = .import
    search.order = .taken
    return search
  }

  /// `true` if there is no filter.
  var isAll: Bool { words.isEmpty && month.isEmpty && folder == nil }

  /// Returns the same filter at another position.
  func at(_ number: Int) -> Self {
    var place = self
    place.number = max(0, number)
    return place
  }

  /// The query string of the address, including the question mark.
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
