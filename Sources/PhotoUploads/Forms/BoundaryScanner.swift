/// Finds boundary lines in a body that arrives in slices (RFC 2046 5.1.1).
///
/// A boundary line is CR LF `--boundary`, followed either by `--`, which marks the last one, or by spaces, tabs and
/// CR LF. Anything else is content. Because CR LF occurs only at both ends of such a line, a failed candidate can't
/// contain the beginning of another, and no byte is scanned twice.
struct BoundaryScanner: Sendable {
  /// A boundary line that was found.
  struct Found {
    /// The index of the first byte after it in the slice.
    var end: Int
    /// `true` if it was `--boundary--`.
    var isLast: Bool
  }

  /// The last characters that were read after the boundary itself.
  private enum Tail: Sendable { case none, padding, dash, carriageReturn }
  /// The state of the candidate after a byte. `lineFeed` means a boundary line that ends with LF alone.
  private enum Step { case more, failed, lineFeed, line, lastLine }

  /// The maximum number of spaces and tabs in a boundary line. It limits the bytes that have to be held back.
  private static let maxPadding = 256

  /// CR LF `--boundary`.
  private let delimiter: [UInt8]
  /// The number of bytes of `delimiter` that the candidate has matched. 0 if there is no candidate.
  private var matched = 0
  private var tail = Tail.none
  private var paddingCount = 0
  /// `true` until the first boundary. In the preamble, a boundary line that ends with LF alone is an error, because all
  /// other lines will end the same way. In a part, it is content.
  private var isInPreamble = true
  /// The candidate's bytes from earlier slices.
  private var held: [UInt8] = []

  /// Creates a scanner for the beginning of a body.
  init(boundary: [UInt8]) {
    delimiter = Array("\r\n--".utf8) + boundary
    matched = 2
  }

  /// Starts scanning the content of a part. As at the beginning of the body, the line end before a boundary was already
  /// read.
  mutating func beginContent() {
    matched = 2
    isInPreamble = false
  }

  /// Scans from `start` to a boundary line or the end of the slice. Calls `content` with few pieces, even if many
  /// candidates fail.
  ///
  /// - Returns: the boundary line, or `nil` at the end of the slice.
  /// - Throws: `MultipartError.lineEnds` in the preamble; errors of `content`.
  mutating func scan(
    _ slice: UnsafeRawBufferPointer, from start: Int,
    _ content: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Found? {
    // Bytes before `candidate` are content. Bytes from there on may be a boundary.
    var candidate = start
    var index = start
    while index < slice.count {
      if matched == 0 {
        guard let found = slice.firstIndex(of: UInt8(ascii: "\r"), from: index) else {
          try Self.give(slice, start..<slice.count, content)
          return nil
        }
        candidate = found
        index = found + 1
        matched = 1
        continue
      }
      let step = step(slice[index])
      switch step {
      case .more: index += 1
      case .line, .lastLine:
        try Self.give(slice, start..<candidate, content)
        matched = 0
        tail = .none
        paddingCount = 0
        held.removeAll(keepingCapacity: true)
        return Found(end: index + 1, isLast: step == .lastLine)
      case .lineFeed where isInPreamble:
        try Self.give(slice, start..<candidate, content)
        throw MultipartError.lineEnds
      case .failed, .lineFeed:
        // This byte may begin the next candidate.
        matched = 0
        tail = .none
        paddingCount = 0
        candidate = index
        try giveHeld(content)
      }
    }
    try Self.give(slice, start..<candidate, content)
    held += slice[candidate...]
    return nil
  }

  /// Matches the candidate's next byte.
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
