import TestPictures

@testable import PetSpotServer

/// What a parser tells of a body, its pieces of content joined.
enum MultipartTelling: Equatable {
  /// As the parser's event.
  case part(name: String, fileName: String?, contentType: String?)
  /// All bytes of a part.
  case content([UInt8])
  /// As the parser's event.
  case endOfPart
  /// As the parser's event.
  case end

  /// Content that is text.
  static func content(_ text: String) -> MultipartTelling { .content(Array(text.utf8)) }

  /// A part of a form's text field.
  static func field(_ name: String, _ text: String) -> [MultipartTelling] {
    [.part(name: name, fileName: nil, contentType: nil)]
      + (text.isEmpty ? [] : [.content(text)]) + [.endOfPart]
  }

  /// Reads a whole body in slices that end at these places, and at the body's end.
  static func read(
    _ body: [UInt8], boundary: String = "b", limits: MultipartParser.Limits = .init(),
    cut cuts: [Int] = []
  ) throws -> [MultipartTelling] {
    var parser = try MultipartParser(
      contentType: "multipart/form-data; boundary=\"\(boundary)\"", limits: limits)
    var told: [MultipartTelling] = []
    var start = 0
    for end in cuts + [body.count] {
      // A copy of just these bytes, so that reading beyond them is seen by the sanitizers.
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
  /// Bytes with one to four of them changed, left out, doubled, or replaced by one of `pieces`.
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
