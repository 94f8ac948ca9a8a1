import Foundation

/// Parses multipart/form-data (RFC 7578) incrementally in linear time. Holds back only bytes that may belong to a
/// boundary.
package struct MultipartParser: Sendable {
  /// The events of a body in order: for each part `part`, any number of `bytes`, and `endOfPart`. The last one is
  /// `end`.
  enum Event {
    /// A part begins. `fileName` is empty for a browser's empty file field and `nil` for other fields. Clients choose
    /// these names, so never use them as paths.
    case part(name: String, fileName: String?, contentType: String?)
    /// A piece of the part's content with at least one byte. Valid only during the call.
    case bytes(UnsafeRawBufferPointer)
    /// The part has ended.
    case endOfPart
    /// The last boundary was read.
    case end
  }

  /// The limits of a body. A body that exceeds one is rejected.
  struct FormLimits: Sendable {
    /// The bytes before the first boundary (CVE-2024-53981).
    var preambleBytes = 1_024
    /// The number of parts (CVE-2023-25577).
    var parts = 20
    /// The header lines of a part (CVE-2026-42561).
    var headers = 16
    /// The bytes of a part's header, including line ends.
    var headerBytes = 8_192
    /// The bytes after the last boundary (CVE-2026-40347).
    var epilogueBytes = 65_536
  }

  private enum State {
    case preamble, header, content, epilogue
    case refused(MultipartError)
  }

  private let limits: FormLimits
  private var state = State.preamble
  private var scanner: BoundaryScanner
  private var preambleBytes = 0
  private var partCount = 0
  private var header = PartHeader()
  private var headerBytes = 0
  private var headerCount = 0
  /// The bytes of the current header line.
  private var line: [UInt8] = []
  private var epilogueBytes = 0

  /// Returns `true` if a Content-Type is multipart/form-data. Others are rejected with 415.
  package static func isMultipart(_ contentType: String) -> Bool {
    let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }
    return HeaderValue.lowercased(HeaderValue.trimmed(type)) == "multipart/form-data"
  }

  /// Creates a parser for one body. Accepts all boundary characters of RFC 2046 5.1.1 without quotes, because clients
  /// forget the quotes.
  ///
  /// - Throws: `mediaType` or `boundary`.
  init(contentType: String, limits: FormLimits = FormLimits()) throws(MultipartError) {
    guard Self.isMultipart(contentType), let value = HeaderValue(contentType.utf8) else {
      throw .mediaType
    }
    let boundaries = value.all("boundary")
    guard boundaries.count == 1, let boundary = boundaries.first,
      1...70 ~= boundary.count, boundary.last != UInt8(ascii: " "),
      boundary.allSatisfy(Self.isBoundaryCharacter)
    else { throw .boundary }
    self.limits = limits
    scanner = BoundaryScanner(boundary: boundary)
  }

  /// Returns `true` if a byte is one of the `bchars` of RFC 2046 5.1.1.
  private static func isBoundaryCharacter(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "'()+_,-./:=? ".utf8.contains(byte)
  }

  /// Parses the next slice of the body, of any length.
  ///
  /// - Parameter event: a function that is called with each event of the slice.
  /// - Throws: `MultipartError`; errors of `event`. After an error, every call throws.
  mutating func feed(
    _ slice: UnsafeRawBufferPointer, _ event: (Event) throws -> Void
  ) throws {
    if case .refused(let error) = state { throw error }
    do {
      var index = 0
      while index < slice.count {
        switch state {
        case .preamble, .content: index = try scan(slice, from: index, event)
        case .header: index = try takeHeader(slice, from: index, event)
        case .epilogue:
          epilogueBytes += slice.count - index
          guard epilogueBytes <= limits.epilogueBytes else { throw MultipartError.epilogue }
          return
        case .refused(let error): throw error
        }
      }
    } catch {
      state = .refused(error as? MultipartError ?? .unfinished)
      throw error
    }
  }

  /// Ends the body.
  ///
  /// - Throws: `unfinished` unless the last boundary was read. Rethrows an earlier error.
  func finish() throws(MultipartError) {
    switch state {
    case .epilogue: return
    case .refused(let error): throw error
    case .preamble, .header, .content: throw .unfinished
    }
  }

  /// Scans content or the preamble up to a boundary. Returns the index after the scanned bytes.
  private mutating func scan(
    _ slice: UnsafeRawBufferPointer, from start: Int, _ event: (Event) throws -> Void
  ) throws -> Int {
    let isContent = if case .content = state { true } else { false }
    var skipped = preambleBytes
    let found = try scanner.scan(slice, from: start) { bytes in
      guard !isContent else { return try event(.bytes(bytes)) }
      skipped += bytes.count
      guard skipped <= limits.preambleBytes else { throw MultipartError.preamble }
    }
    preambleBytes = skipped
    guard let found else { return slice.count }
    if isContent { try event(.endOfPart) }
    if found.isLast {
      state = .epilogue
      try event(.end)
    } else {
      partCount += 1
      guard partCount <= limits.parts else { throw MultipartError.tooManyParts }
      state = .header
      header = PartHeader()
      headerBytes = 0
      headerCount = 0
    }
    return found.end
  }

  /// Parses lines of a part's header up to its empty line. Returns the index after the parsed bytes.
  private mutating func takeHeader(
    _ slice: UnsafeRawBufferPointer, from start: Int, _ event: (Event) throws -> Void
  ) throws -> Int {
    let lineFeed = slice.firstIndex(of: UInt8(ascii: "\n"), from: start)
    let end = lineFeed ?? slice.count
    headerBytes += end - start + (lineFeed == nil ? 0 : 1)
    guard headerBytes <= limits.headerBytes else { throw MultipartError.tooLongHeader }
    line += slice[start..<end]
    guard lineFeed != nil else { return end }
    guard line.popLast() == UInt8(ascii: "\r") else { throw MultipartError.lineEnds }
    if line.isEmpty {
      guard let name = header.name else { throw MultipartError.disposition }
      state = .content
      scanner.beginContent()
      try event(.part(name: name, fileName: header.fileName, contentType: header.contentType))
    } else {
      headerCount += 1
      guard headerCount <= limits.headers else { throw MultipartError.tooLongHeader }
      try header.add(line)
      line.removeAll(keepingCapacity: true)
    }
    return end + 1
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the index of the first occurrence of a byte at or after `start`.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count,
      let found = memchr(baseAddress + start, CInt(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }
}
