import Foundation
import Testing

@testable import ImageContainers

@Suite("JPEG: a file is complete if its codes yield every block")
struct JPEGCompletenessTests {
  private static func file(_ name: String) throws -> [UInt8] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: root.appending(path: "TestImages/\(name)")))
  }

  /// Returns the reason for refusing a file; `nil` if it is complete.
  private static func refusal(_ bytes: [UInt8]) -> ContainerError? {
    do throws(ContainerError) {
      _ = try JPEGContainer.withoutSurplus(JPEGContainer.clean(bytes))
      return nil
    } catch { return error }
  }

  private static let codings = [
    "baseline-420.jpg", "baseline-444.jpg", "gray.jpg", "restart-interval.jpg", "odd-size.jpg",
    "progressive.jpg", "turned-progressive-restart.jpg", "turned-several-scans.jpg",
    "turned-chroma-quarter.jpg", "cmyk-adobe.jpg",
  ]

  @Test("Both readers accept every coding", arguments: codings)
  func whole(_ name: String) throws {
    let bytes = try Self.file(name)
    #expect(Self.refusal(bytes) == nil)
    let (segments, frame) = try JPEGContainer.structure(of: bytes, limits: .init())
    let last = try #require(segments.list.last { $0.marker == JPEGMarker.sos })
    // The last code is right before the marker that follows its scan.
    #expect(
      try JPEGCompleteness.check(bytes, segments, frame).end == last.range.upperBound, "\(name)")
  }

  @Test(
    "A file that is cut anywhere is refused, with an end marker and without", arguments: codings)
  func cut(_ name: String) throws {
    let bytes = try Self.file(name)
    let segments = try JPEGSegments(bytes, limits: .init())
    let scans = segments.list.filter { $0.marker == JPEGMarker.sos }
    for scan in [scans[0], scans[scans.count - 1]] {
      // The last bytes are cut one by one.
      let data = scan.payload.upperBound..<scan.range.upperBound - 1
      for place in data where data.upperBound - place < 9 || place % 29 == 0 {
        let cut = bytes[..<place] + [0xFF, 0xD9]
        #expect(Self.refusal(Array(bytes[..<place])) != nil, "\(place)")
        // A progressive picture may consist of averages only, and some of its scans may be empty.
        if scan.payload == scans[0].payload { #expect(Self.refusal(Array(cut)) != nil, "\(place)") }
      }
    }
  }

  /// The test skips two files because zeros there are blocks that look like the one before them.
  @Test(
    "Zeros in place of the last blocks don't count as codes",
    arguments: codings.filter { $0 != "turned-several-scans.jpg" && $0 != "cmyk-adobe.jpg" })
  func zeroedEnd(_ name: String) throws {
    let bytes = try Self.file(name)
    let scan = try #require(
      JPEGSegments(bytes, limits: .init()).list.last { $0.marker == JPEGMarker.sos })
    let data = scan.payload.upperBound..<scan.range.upperBound
    for place in stride(from: data.lowerBound, to: data.upperBound - 64, by: 97) {
      let zeroed = bytes[..<place] + [UInt8](repeating: 0, count: 4096)
      #expect(Self.refusal(Array(zeroed)) != nil, "\(place)")
    }
  }

  @Test("A file with a zeroed scan header is incomplete")
  func lostHeader() throws {
    var bytes = try Self.file("progressive.jpg")
    let scan = try #require(
      JPEGSegments(bytes, limits: .init()).list.last { $0.marker == JPEGMarker.sos })
    for place in scan.range.lowerBound..<scan.payload.upperBound { bytes[place] = 0 }
    #expect(Self.refusal(bytes) == .incomplete("jpeg-scans", percentShown: nil))
  }

  @Test("A file that lacks only its end marker is complete, whatever follows", arguments: codings)
  func noEnd(_ name: String) throws {
    let bytes = try Self.file(name)
    let whole = try JPEGContainer.clean(bytes)
    let end = try JPEGSegments(bytes, limits: .init()).end - 2
    let tails: [[UInt8]] = [
      [], [0xFF], [0, 0, 1, 10], Array("trailer".utf8), [0xFF, 0xD8, 0xFF, 0xE0], [0xFF, 0x02, 0],
      [0xFF, 0xE1, 0xFF, 0xFF, 1], [7, 0xFF, 0xD3, 7],
    ]
    for tail in tails {
      let file = bytes[..<end] + tail
      #expect(try JPEGContainer.clean(Array(file)) == whole, "\(tail)")
      #expect(try JPEGContainer.parse(Array(file)).repairs == ["jpeg-eoi"], "\(tail)")
    }
  }

  @Test(
    "The share of shown rows is the part above the gap",
    arguments: [
      ("cut-half-eoi.jpg", 37), ("cut-half-no-eoi.jpg", 37), ("cut-half-eoi-p3.jpg", 37),
      ("cut-half-eoi-progressive.jpg", nil), ("restart-number.jpg", nil),
      ("block-zeroed.jpg", 50),
    ] as [(String, Int?)])
  func share(_ name: String, _ percent: Int?) throws {
    #expect(
      Self.refusal(try Self.file(name)) == .incomplete("jpeg-data", percentShown: percent))
  }

  @Test(
    "If every block is present, surplus data after it doesn't count as missing",
    arguments: ["data-left.jpg", "data-left-between-scans.jpg", "others-tail.jpg"])
  func tooMuch(_ name: String) throws {
    guard case .malformed("jpeg-surplus", _) = Self.refusal(try Self.file(name)) else {
      Issue.record("\(name)")
      return
    }
  }

  @Test("Up to 32 bytes after the codes are cut off", arguments: [1, 32, 33])
  func surplus(_ count: Int) throws {
    for name in ["baseline-420.jpg", "restart-interval.jpg", "progressive.jpg"] {
      let plain = try JPEGContainer.clean(Self.file(name))
      let segments = try JPEGSegments(plain, limits: .init()).list
      var bytes = plain
      for scan in segments.reversed() where scan.marker == JPEGMarker.sos {
        bytes.insert(contentsOf: [UInt8](repeating: 0x5A, count: count), at: scan.range.upperBound)
      }
      if count > 32 {
        #expect(throws: ContainerError.self) { try JPEGContainer.withoutSurplus(bytes) }
      } else {
        #expect(try JPEGContainer.withoutSurplus(bytes) == plain, "\(name)")
        let read = try ImageContainer.parseAndClean(bytes, as: .jpeg)
        #expect(read.facts.repairs == ["jpeg-surplus"] && read.clean == plain, "\(name)")
      }
    }
  }

  @Test("Bytes that follow a restart marker after the last block count as surplus")
  func surplusMarkers() throws {
    let plain = try JPEGContainer.clean(Self.file("restart-interval.jpg"))
    let all: [[UInt8]] = [
      [0xFF, 0xD0, 0xFF, 0xD1], [0xFF, 0xD6, 0xFF, 0xD0], [0xFF, 0xD0, 1, 2, 3],
    ]
    for markers in all {
      let bytes = Array(plain.prefix(plain.count - 2)) + markers + [0xFF, 0xD9]
      #expect(try JPEGContainer.withoutSurplus(bytes) == plain, "\(markers)")
    }
  }

  @Test("A coefficient outside its block is damage, although decoders skip it")
  func outsideOfBlock() {
    /// Returns a block in which the average, and each coefficient after 15 zeros, has a code of one bit.
    func file(_ coefficients: [UInt8]) -> [UInt8] {
      let table = [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0xF1]
      let head = JPEGBuilder.join(
        JPEGBuilder.quantization(0), JPEGBuilder.frame(width: 8, components: [1]),
        JPEGBuilder.huffman(0), JPEGBuilder.segment(0xC4, table))
      let scan = JPEGBuilder.scan([1]).dropLast(JPEGBuilder.entropy.count)
      return JPEGBuilder.file(head + scan + coefficients)
    }
    // Four of them fill one place more than the 63 of a block.
    #expect(
      Self.refusal(file([0b0010_1010, 0b1111_1110]))
        == .incomplete("jpeg-data", percentShown: 0))
  }

  @Test("Tables that are missing in a file are those that decoders fill in")
  func withoutTables() throws {
    var bytes = try Self.file("baseline-420.jpg")
    let segments = try JPEGSegments(bytes, limits: .init()).list
    for segment in segments.reversed() where segment.marker == JPEGMarker.dht {
      bytes.removeSubrange(segment.range)
    }
    #expect(try JPEGContainer.parse(bytes).oddities == ["no-huffman-tables"])
    #expect(Self.refusal(bytes) == nil)
    bytes.removeSubrange(bytes.count - 40..<bytes.count - 2)
    #expect(Self.refusal(bytes) != nil)
  }
}
