@testable import PhotoUploads

/// An event of the multipart parser, with pieces of content joined.
enum MultipartTelling: Equatable {
  /// A part begins, as in the parser's event.
  case part(name: String, fileName: String?, contentType: String?)
  /// All bytes of a part.
  case content([UInt8])
  /// A part ends, as in the parser's event.
  case endOfPart
  /// The body ends, as in the parser's event.
  case end

  /// Returns the content event of a text.
  static func content(_ text: String) -> MultipartTelling { .content(Array(text.utf8)) }

  /// Returns the events of a form's text field.
  static func field(_ name: String, _ text: String) -> [MultipartTelling] {
    [.part(name: name, fileName: nil, contentType: nil)]
      + (text.isEmpty ? [] : [.content(text)]) + [.endOfPart]
  }

  /// Parses a whole body in slices that end at these offsets and at the end of the body.
  static func read(
    _ body: [UInt8], boundary: String = "b", limits: MultipartParser.FormLimits = .init(),
    cut cuts: [Int] = []
  ) throws -> [MultipartTelling] {
    var parser = try MultipartParser(
      contentType: "multipart/form-data; boundary=\"\(boundary)\"", limits: limits)
    var told: [MultipartTelling] = []
    var start = 0
    for end in cuts + [body.count] {
      // Each slice is a copy, so that sanitizers detect reads beyond it.
      try Array(body[start..<end]).withUnsafeBytes { slice in
        try parser.feed(slice) { add($0, to: &told) }
      }
      start = end
    }
    try parser.finish()
    return told
  }

  private static func add(_ event: MultipartParser.Event, to told: inout [MultipartTelling]) {
    switch event {
    case .part(let name, let fileName, let contentType):
      told.append(.part(name: name, fileName: fileName, contentType: contentType))
    case .bytes(let bytes):
      if case .content(let before) = told.last {
        told[told.count - 1] = .content(before + bytes)
      } else {
        told.append(.content(Array(bytes)))
      }
    case .endOfPart: told.append(.endOfPart)
    case .end: told.append(.end)
    }
  }
}
