import TestPictures

@testable import PetSpotServer

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

extension SeededGenerator {
  /// Returns bytes with one to four of them changed, left out, doubled, or replaced by one of `pieces`.
  mutating func mutated(_ bytes: [UInt8], with pieces: [[UInt8]]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      switch Int.random(in: 0..<4, using: &self) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(bytes[place], at: place)
      default:
        let end = min(bytes.count, place + Int.random(in: 0...3, using: &self))
        bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &self) ?? [])
      }
    }
    return bytes
  }
}
