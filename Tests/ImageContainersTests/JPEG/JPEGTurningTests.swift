import Foundation
import Testing

@testable import ImageContainers

@Suite("JPEG: turning and shrinking without decoding")
struct JPEGTurningTests {
  /// Returns a clean file of TestImages.
  static func clean(_ name: String) throws -> [UInt8] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try JPEGContainer.clean(
      [UInt8](Data(contentsOf: root.appending(path: "TestImages/\(name)"))))
  }

  /// Returns the bytes that are stored for a clean file, as they are or with data that was coded anew. `nil` if only a
  /// decoder can read it.
  static func stored(_ clean: [UInt8]) throws -> [UInt8]? {
    if let finished = try? ContainerProof.finish(clean, as: .jpeg) { return finished.bytes }
    return try JPEGContainer.codedAnew(clean)
  }

  static func eighth(of clean: [UInt8]) throws -> ReducedPicture? {
    try Self.stored(clean).flatMap {
      try ContainerProof.verify($0, as: .jpeg).reduced
    }
  }

  /// Every coding that needs no decoder. Whole units fill all sides unless the name indicates otherwise.
  static let ordinary = [
    "orientation-6.jpg", "turned-restart.jpg", "turned-chroma-across.jpg",
    "turned-chroma-full.jpg", "turned-optimized.jpg", "turned-gray.jpg", "turned-large.jpg",
  ]
  /// Each orientation with the one that undoes it.
  static let inverses = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 8), (7, 7), (8, 6)]

  @Test(
    "A picture that is turned there and back has the same bits", arguments: ordinary.dropLast(),
    inverses)
  func thereAndBack(_ name: String, _ turn: (there: Int, back: Int)) throws {
    let clean = try Self.clean(name)
    let turned = try #require(try JPEGContainer.turned(clean, orientation: turn.there))
    #expect(
      try JPEGContainer.turned(turned, orientation: turn.back)
        == JPEGContainer.turned(clean, orientation: 1))
  }

  @Test("A turned file is clean, and its sides are exchanged", arguments: ordinary)
  func structure(_ name: String) throws {
    let clean = try Self.clean(name)
    let before = try JPEGContainer.parse(clean)
    let turned = try #require(try JPEGContainer.turned(clean, orientation: 6))
    let after = try JPEGContainer.parse(turned)
    #expect(after.parts.isEmpty)
    #expect((after.storedWidth, after.storedHeight) == (before.storedHeight, before.storedWidth))
    #expect(after.colorModel == before.colorModel)
    #expect(after.chromaSubsampled == before.chromaSubsampled)
    #expect(try JPEGContainer.clean(turned) == turned)
    // The Huffman tables have the same quality. Other runs of zeros hardly change the size.
    #expect(turned.count < clean.count * 2 + 1000)
  }

  @Test("Without a turn the coefficients don't change", arguments: ordinary)
  func identity(_ name: String) throws {
    let clean = try Self.clean(name)
    let same = try #require(try JPEGContainer.turned(clean, orientation: 1))
    let eighth = try #require(try Self.eighth(of: clean))
    #expect(try Self.eighth(of: same) == eighth)
  }

  @Test("Averages turn with the picture", arguments: inverses)
  func averages(_ turn: (there: Int, back: Int)) throws {
    let clean = try Self.clean("turned-large.jpg")
    let before = try #require(try Self.eighth(of: clean))
    let turned = try #require(try JPEGContainer.turned(clean, orientation: turn.there))
    let after = try #require(try Self.eighth(of: turned))
    let isExchanged = turn.there >= 5
    #expect(after.width == (isExchanged ? before.height : before.width))
    for (x, y) in [(0, 0), (50, 70), (before.width - 1, 0), (3, before.height - 1)] {
      let mirroredX = before.width - 1 - x
      let mirroredY = before.height - 1 - y
      let place =
        switch turn.there {
        case 2: (mirroredX, y)
        case 3: (mirroredX, mirroredY)
        case 4: (x, mirroredY)
        case 5: (y, x)
        case 6: (mirroredY, x)
        case 7: (mirroredY, mirroredX)
        case 8: (y, mirroredX)
        default: (x, y)
        }
      #expect(after.pixel(place.0, place.1) == before.pixel(x, y), "\(x), \(y)")
    }
  }

  @Test("Some files can be turned only by a decoder")
  func leftToADecoder() throws {
    for name in ["arithmetic.jpg", "turned-cut-unit.jpg"] {
      #expect(try JPEGContainer.turned(Self.clean(name), orientation: 6) == nil, "\(name)")
    }
    // The partial unit stays at the right or at the bottom.
    #expect(try JPEGContainer.turned(Self.clean("turned-cut-unit.jpg"), orientation: 5) != nil)
    #expect(
      try JPEGContainer.turned(Self.clean("turned-cut-unit-below.jpg"), orientation: 8) != nil)
    #expect(try Self.eighth(of: Self.clean("adobe-rgb-coded.jpg")) == nil)
  }

  @Test("Data that ends too early is incomplete", arguments: ordinary)
  func tooShort(_ name: String) throws {
    let clean = try Self.clean(name)
    let end = clean.count - 2
    let fewer = Array(clean[..<(end - 3)] + clean[end...])
    #expect(try Self.stored(fewer) == nil)
    #expect(try JPEGContainer.turned(fewer, orientation: 3) == nil)
  }

  @Test("Fill after the last code is removed, but data there is damage", arguments: ordinary)
  func surplus(_ name: String) throws {
    let clean = try Self.clean(name)
    let end = clean.count - 2
    let fill = [UInt8](repeating: 0, count: 20) + [0xFF, 0xFF]
    let more = Array(clean[..<end] + fill + clean[end...])
    #expect(try Self.stored(clean) == clean)
    #expect(try JPEGContainer.codedAnew(more) == JPEGContainer.codedAnew(clean))
    #expect(
      try JPEGContainer.turned(more, orientation: 3)
        == JPEGContainer.turned(clean, orientation: 3))
    let left = Array(clean[..<end] + [0, 1, 0] + clean[end...])
    #expect(try Self.stored(left) == nil)
    #expect(try JPEGContainer.turned(left, orientation: 3) == nil)
  }

  @Test("Fill before a restart marker is removed, but data there is damage")
  func surplusInside() throws {
    let clean = try Self.clean("turned-restart.jpg")
    let marker = try #require(
      clean.indices.dropLast().first { clean[$0] == 0xFF && clean[$0 + 1] == 0xD1 })
    let more = clean[..<marker] + [0, 0, 0] + clean[marker...]
    #expect(try JPEGContainer.codedAnew(Array(more)) == JPEGContainer.codedAnew(clean))
    let left = clean[..<marker] + [1, 2, 3] + clean[marker...]
    #expect(try Self.stored(Array(left)) == nil)
  }

  @Test("Restart markers must be in order")
  func restartMarkers() throws {
    var clean = try Self.clean("turned-restart.jpg")
    let marker = try #require(
      clean.indices.dropLast().first { clean[$0] == 0xFF && clean[$0 + 1] == 0xD1 })
    clean[marker + 1] = 0xD2
    #expect(try Self.stored(clean) == nil)
  }

  @Test("Damage anywhere gives a picture or `nil`, never a trap", arguments: ordinary.dropLast())
  func damage(_ name: String) throws {
    let clean = try Self.clean(name)
    let start = try #require(
      clean.indices.dropLast().first { clean[$0] == 0xFF && clean[$0 + 1] == JPEGMarker.sos })
    var refused = 0
    for position in stride(from: start, to: clean.count - 2, by: 5) {
      var bytes = clean
      bytes[position] ^= 1 << UInt8(position % 7)
      let read = try? Self.stored(bytes)
      let turned = try? JPEGContainer.turned(bytes, orientation: 6)
      if read == nil && turned == nil { refused += 1 }
    }
    #expect(refused > 0)
  }
}

extension ReducedPicture {
  fileprivate func pixel(_ x: Int, _ y: Int) -> ArraySlice<UInt8> {
    samples[((y * width + x) * bands)...].prefix(bands)
  }
}
