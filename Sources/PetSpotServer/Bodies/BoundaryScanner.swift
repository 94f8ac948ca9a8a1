/// Finds boundary lines between content that comes in slices (RFC 2046 5.1.1).
///
/// A boundary line is CR LF `--boundary`, then either `--`, which makes it the last one, or spaces
/// and tabs and CR LF. Whatever goes on otherwise is content. CR LF stands only at the two ends of
/// such a line, so a candidate that fails holds no beginning of another and is not looked at again.
struct BoundaryScanner: Sendable {
  /// A boundary line that was found.
  struct Found {
    /// The index in the slice behind it.
    var end: Int
    /// Whether it was `--boundary--`.
    var isLast: Bool
  }

  /// What stands behind the boundary's own characters.
  private enum Tail: Sendable { case none, padding, dash, carriageReturn }
  private enum Step { case more, failed, lineFeed, line, lastLine }

  /// More spaces and tabs than these make a line content, so that little has to be held back.
  private static let maxPadding = 256

  /// CR LF `--boundary`.
  private let delimiter: [UInt8]
  /// How much of `delimiter` the candidate has; 0 when there is no candidate.
  private var matched = 0
  private var tail = Tail.none
  private var paddingCount = 0
  /// Whether nothing but the preamble was read. A boundary line that ends with LF alone is refused
  /// there, because all others will end so; in a part it is content.
  private var isInPreamble = true
  /// The candidate's bytes of earlier slices.
  private var held: [UInt8] = []

  /// A scanner at the beginning of a body.
  init(boundary: [UInt8]) {
    delimiter = Array("\r\n--".utf8) + boundary
    matched = 2
  }

  /// Begins a part's content. As at the beginning of the body, the line end before a boundary has
  /// been read already.
  mutating func beginContent() {
    matched = 2
    isInPreamble = false
  }

  /// Reads on from `start` up to a boundary line, or to the end of the slice and then returns nil;
  /// gives what is content, in few pieces however many candidates fail. Throws
  /// `MultipartError.lineEnds` in the preamble, and what `content` throws.
  mutating func scan(
    _ slice: UnsafeRawBufferPointer, from start: Int,
    _ content: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Found? {
    // Bytes from `start` to `candidate` are content; those from there on may be a boundary.
    var (candidate, index) = (start, start)
    while index < slice.count {
      if matched == 0 {
        guard let found = slice.firstIndex(of: UInt8(ascii: "\r"), from: index) else {
          try Self.give(slice, start..<slice.count, content)
          return nil
        }
        (candidate, index, matched) = (found, found + 1, 1)
        continue
      }
      let step = step(slice[index])
      switch step {
      case .more: index += 1
      case .line, .lastLine:
        try Self.give(slice, start..<candidate, content)
        (matched, tail, paddingCount) = (0, .none, 0)
        held.removeAll(keepingCapacity: true)
        return Found(end: index + 1, isLast: step == .lastLine)
      case .lineFeed where isInPreamble:
        try Self.give(slice, start..<candidate, content)
        throw MultipartError.lineEnds
      case .failed, .lineFeed:
        // This byte may begin the next candidate.
        (matched, tail, paddingCount, candidate) = (0, .none, 0, index)
        try giveHeld(content)
      }
    }
    try Self.give(slice, start..<candidate, content)
    held += slice[candidate...]
    return nil
  }

  /// Takes the candidate's next byte.
  private mutating func step(_ byte: UInt8) -> Step {
    if matched < delimiter.count {
      guard byte == delimiter[matched] else { return .failed }
      matched += 1
      return .more
    }
    switch (tail, byte) {
    case (.none, UInt8(ascii: "-")): tail = .dash
    case (.dash, UInt8(ascii: "-")): return .lastLine
    case (.none, UInt8(ascii: " ")), (.none, UInt8(ascii: "\t")), (.padding, UInt8(ascii: " ")),
      (.padding, UInt8(ascii: "\t")):
      paddingCount += 1
      guard paddingCount <= Self.maxPadding else { return .failed }
      tail = .padding
    case (.none, UInt8(ascii: "\r")), (.padding, UInt8(ascii: "\r")): tail = .carriageReturn
    case (.carriageReturn, UInt8(ascii: "\n")): return .line
    case (.none, UInt8(ascii: "\n")), (.padding, UInt8(ascii: "\n")): return .lineFeed
    default: return .failed
    }
    return .more
  }

  private mutating func giveHeld(_ content: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard !held.isEmpty else { return }
    try held.withUnsafeBytes { try content($0) }
    held.removeAll(keepingCapacity: true)
  }

  private static func give(
    _ slice: UnsafeRawBufferPointer, _ range: Range<Int>,
    _ content: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard !range.isEmpty else { return }
    try content(UnsafeRawBufferPointer(rebasing: slice[range]))
  }
}
