/// The part of a picture that a request asks for (RFC 9110, 14.2).
package enum ByteRange: Equatable, Sendable {
  /// All bytes, because there is no range, several, or a malformed one.
  case whole
  case part(Range<Int>)
  /// No byte of the picture is in the range (416).
  case unsatisfiable

  /// Parses the value of `Range`.
  ///
  /// - Parameters:
  ///   - header: the value. `nil` if the request has none.
  ///   - count: the picture's size in bytes.
  package init(_ header: String?, count: Int) {
    self = .whole
    guard let header, header.lowercased().hasPrefix("bytes=") else { return }
    let bounds = header.dropFirst("bytes=".count)
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard bounds.count == 2 else { return }
    let first = Self.position(bounds[0])
    let last = Self.position(bounds[1])
    switch (first, last) {
    case (let first?, nil) where bounds[1].isEmpty: self = Self(first, count - 1, count: count)
    case (let first?, let last?) where first <= last: self = Self(first, last, count: count)
    case (nil, let length?) where bounds[0].isEmpty:
      self = length == 0 ? .unsatisfiable : Self(max(0, count - length), count - 1, count: count)
    default: break
    }
  }

  private init(_ first: Int, _ last: Int, count: Int) {
    self = first < count ? .part(first..<min(last, count - 1) + 1) : .unsatisfiable
  }

  /// Returns a position in bytes. A larger number than any picture's size counts as the largest.
  private static func position(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int(text) ?? .max
  }
}
