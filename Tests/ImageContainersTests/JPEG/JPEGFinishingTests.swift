import Testing

@testable import ImageContainers

@Suite("JPEG: a finished file contains only what its pixels need")
struct JPEGFinishingTests {
  private static func clean(_ name: String) throws -> [UInt8] { try JPEGTurningTests.clean(name) }

  private static func finished(_ bytes: [UInt8]) throws -> [UInt8] {
    try #require(try JPEGContainer.codedAnew(JPEGContainer.clean(bytes)))
  }

  static let accepted = [
    "baseline-420.jpg", "baseline-444.jpg", "gray.jpg", "restart-interval.jpg", "odd-size.jpg",
    "one-pixel.jpg", "large.jpg", "turned-chroma-across.jpg", "turned-optimized.jpg",
    "adobe-rgb-coded.jpg", "progressive.jpg", "turned-progressive.jpg", "hidden-in-tables.jpg",
    "hidden-in-codes.jpg", "filled-up.jpg", "no-eoi.jpg", "trailer-for-eoi.jpg",
    "restart-no-eoi.jpg", "progressive-no-eoi.jpg", "height-lowered-in-unit.jpg",
  ]

  @Test(
    "A finished file stays as it is, and has the coefficients of the original", arguments: accepted)
  func finishedStays(_ name: String) throws {
    let clean = try Self.clean(name)
    let reading = try #require(try JPEGTurningTests.stored(clean))
    #expect(try JPEGContainer.clean(reading) == reading)
    #expect(try JPEGTurningTests.stored(reading) == reading)
    let anew = try Self.finished(clean)
    #expect(try Self.finished(anew) == anew)
    _ = try ContainerProof.verify(anew, as: .jpeg)
    let before = try #require(try JPEGCoefficients(clean, limits: .init()))
    for file in [reading, anew] {
      let after = try #require(try JPEGCoefficients(file, limits: .init()))
      #expect(before.blocks.all == after.blocks.all)
    }
  }

  @Test("Hidden data is removed without a trace")
  func sameAsPlain() throws {
    let plain = try Self.finished(Self.clean("no-eoi.jpg"))
    for name in ["hidden-in-tables.jpg", "filled-up.jpg", "trailer-for-eoi.jpg", "half-eoi.jpg"] {
      #expect(try Self.finished(Self.clean(name)) == plain, "\(name)")
    }
    let progressive = try Self.finished(Self.clean("progressive.jpg"))
    #expect(try Self.finished(Self.clean("progressive-no-eoi.jpg")) == progressive)
  }

  @Test("No data is left below a lowered height")
  func loweredHeight() throws {
    var file = try Self.finished(Self.clean("height-lowered-in-unit.jpg"))
    let frame = try #require(
      file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == JPEGMarker.sof0 })
    let before = try #require(try JPEGCoefficients(file, limits: .init()))
    file[frame + 6] = 48
    let after = try #require(try JPEGCoefficients(file, limits: .init()))
    let luma = after.planes[0]
    let hidden = luma.start + 5 * luma.across..<luma.start + 6 * luma.across
    #expect(after.blocks.filled[hidden].allSatisfy { $0 == 0 })
    #expect(before.planes[0].down == 5)
  }

  @Test(
    "The bits after the last code are ones",
    arguments: ["baseline-420.jpg", "restart-interval.jpg"])
  func padding(_ name: String) throws {
    let clean = try Self.clean(name)
    let whole = try Self.finished(clean)
    var changes = 0
    for end in clean.indices.dropLast().dropFirst(3)
    where clean[end] == 0xFF && (0xD0...0xD9).contains(clean[end + 1]) && clean[end - 1] & 1 == 1 {
      var bytes = clean
      bytes[end - 1] &= 0xFE
      // A fill bit has no effect on the picture; any other bit is part of a code.
      if bytes[end - 1] != 0xFE, try JPEGContainer.codedAnew(bytes) == whole { changes += 1 }
    }
    #expect(changes > 0)
  }

  @Test("Fill before a restart marker is removed")
  func fill() throws {
    var bytes = try Self.clean("restart-interval.jpg")
    let whole = try Self.finished(bytes)
    let marker = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD0 })
    bytes.insert(contentsOf: [0xFF, 0xFF], at: marker)
    #expect(try Self.finished(bytes) == whole)
  }

  @Test("An incomplete progressive picture is left to a decoder")
  func incomplete() throws {
    let whole = try Self.clean("progressive.jpg")
    let scans = try JPEGSegments(whole, limits: .init()).list.filter { $0.marker == JPEGMarker.sos }
    #expect(scans.count > 5)
    for scan in scans.dropFirst() {
      var bytes = whole
      bytes.removeSubrange(scan.range)
      #expect(try JPEGTurningTests.stored(bytes) == nil)
    }
    // A repeated scan, and one with another scan's data.
    var twice = whole
    twice.insert(contentsOf: whole[scans[1].range], at: scans[1].range.lowerBound)
    #expect(try JPEGTurningTests.stored(twice) == nil)
  }

  @Test("Damage anywhere in a progressive picture gives a picture or `nil`, never a trap")
  func damage() throws {
    let clean = try Self.clean("progressive.jpg")
    var (read, refused) = (0, 0)
    for position in clean.indices.dropFirst(2).dropLast(2) {
      var bytes = clean
      bytes[position] ^= 1 << UInt8(position % 8)
      guard let reading = try? JPEGTurningTests.stored(bytes) else {
        refused += 1
        continue
      }
      read += 1
      #expect((try? JPEGTurningTests.stored(reading)) == reading)
    }
    #expect(read > 50 && refused > 50)
  }

  @Test("Unused codes and steps are removed from the header, and the data stays unchanged")
  func header() throws {
    var steps = try Self.clean("baseline-420.jpg")
    let table = try #require(
      steps.indices.dropLast().first { steps[$0] == 0xFF && steps[$0 + 1] == JPEGMarker.dqt })
    // No table of libjpeg, and the highest frequency is not used.
    steps[table + 5 + 63] += 1
    var codes = JPEGProduct()
    codes.huffman[1] = JPEGProduct.huffmanTable(
      0x10, [1: [0], 2: [1], 3: [0xF0], 4: [0x41, 0x42]])
    for clean in [steps, codes.bytes] {
      #expect(throws: ProofError.self) { try ContainerProof.verify(clean, as: .jpeg) }
      let (file, picture) = try ContainerProof.finish(clean, as: .jpeg)
      #expect(try ContainerProof.verify(file, as: .jpeg) == picture)
      #expect(try ContainerProof.finish(file, as: .jpeg).bytes == file)
      let before = try #require(try JPEGScan(clean, limits: .init()))
      let after = try #require(try JPEGScan(file, limits: .init()))
      #expect(clean[before.data] == file[after.data])
      let old = try #require(try JPEGCoefficients(clean, limits: .init()))
      let new = try #require(try JPEGCoefficients(file, limits: .init()))
      #expect(old.blocks.all == new.blocks.all)
    }
  }

  @Test("Steps that no coefficient uses become 1, unless the table is one of libjpeg's")
  func quantization() throws {
    func finished(_ components: [([UInt16], UInt64)]) -> [[UInt16]]? {
      JPEGQuantization.finished(components.map { ($0.0, $0.1) })
    }
    let steps = (1...64).map { UInt16($0 * 5) }
    #expect(finished([(steps, 0b1011)]) == [[5, 10, 1, 20] + [UInt16](repeating: 1, count: 60)])
    // Components that share a table count together.
    let both = [5, 10] + [UInt16](repeating: 1, count: 62)
    #expect(finished([(steps, 0b1), (steps, 0b10)]) == [both, both])
    #expect(finished([([0] + steps.dropFirst(), 0b1)]) == nil)
    #expect(finished([([0] + steps.dropFirst(), 0b10)])?[0].prefix(3) == [1, 10, 1])
    let gray = try JPEGContainer.clean(Self.clean("gray.jpg"))
    let scan = try #require(try JPEGScan(gray, limits: .init()))
    #expect(JPEGQuantization.typical.contains(scan.components[0].quantization))
  }

  @Test("A step of 0 hides no coefficients, so a decoder has to judge")
  func hiddenByQuantization() throws {
    var bytes = try Self.clean("baseline-444.jpg")
    let table = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == JPEGMarker.dqt })
    bytes[table + 6] = 0
    #expect(try JPEGTurningTests.stored(bytes) == nil)
  }

  @Test("Uneven sampling factors are left to a decoder")
  func unevenSampling() throws {
    var bytes = try Self.clean("baseline-420.jpg")
    let frame = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == JPEGMarker.sof0 })
    bytes[frame + 11] = 0x31
    bytes[frame + 14] = 0x21
    #expect(try JPEGTurningTests.stored(bytes) == nil)
  }
}
