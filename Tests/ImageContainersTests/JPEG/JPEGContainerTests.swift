import Testing

@testable import ImageContainers

@Suite struct JPEGContainerTests {
  typealias Build = JPEGBuilder

  @Test func plainPictureHasNoParts() throws {
    let file = Build.file(head: Build.jfif, Build.picture(sampling: 0x22))
    let facts = try JPEGContainer.parse(file)
    #expect(facts.storedWidth == 16)
    #expect(facts.storedHeight == 8)
    #expect(facts.colorModel == .rgb)
    #expect(facts.chromaSubsampled)
    #expect(facts.bitDepth == 8)
    #expect(facts.colorTag == .untagged)
    #expect(facts.parts.isEmpty)
    #expect(facts.oddities.isEmpty)
    #expect(try JPEGContainer.clean(file) == file)
  }

  @Test(arguments: [([UInt8(1)], ColorModel.gray), ([1, 2, 3], .rgb), ([1, 2, 3, 4], .cmyk)])
  func colorModels(components: [UInt8], model: ColorModel) throws {
    let facts = try JPEGContainer.parse(Build.file(Build.picture(components: components)))
    #expect(facts.colorModel == model)
    #expect(!facts.chromaSubsampled)
  }

  @Test func arithmeticCodingIsOdd() throws {
    let picture = Build.quantization(0) + Build.frame(0xC9) + Build.scan()
    #expect(try JPEGContainer.parse(Build.file(picture)).oddities == ["arithmetic-coding"])
  }

  @Test func sequentialPictureMayLeaveHuffmanTablesOut() throws {
    let picture = Build.quantization(0) + Build.frame() + Build.scan()
    #expect(try JPEGContainer.parse(Build.file(picture)).oddities == ["no-huffman-tables"])
    let progressive = Build.quantization(0) + Build.frame(0xC2) + Build.scan(band: [0, 0, 0])
    #expect(throws: ContainerError.self) { try JPEGContainer.parse(Build.file(progressive)) }
  }

  @Test func componentsMayShareAnId() throws {
    #expect(throws: Never.self) {
      try JPEGContainer.parse(Build.file(Build.picture(components: [1, 1, 1])))
    }
  }

  @Test(arguments: [
    (0xC3, "jpeg-lossless"), (0xCB, "jpeg-lossless"), (0xC5, "jpeg-hierarchical"),
    (0xCF, "jpeg-hierarchical"), (0xDE, "jpeg-hierarchical"), (0xF7, "jpeg-ls"),
  ])
  func otherKindsAreUnsupportedByName(marker: Int, name: String) {
    let picture = Build.quantization(0) + Build.frame(UInt8(marker)) + Build.scan()
    #expect(throws: ContainerError.unsupported(name)) {
      try JPEGContainer.parse(Build.file(picture))
    }
  }

  @Test func aHeightThatComesBehindTheScanIsUnsupported() {
    #expect(throws: ContainerError.unsupported("jpeg-dnl")) {
      try JPEGContainer.parse(Build.file(Build.picture(height: 0)))
    }
  }

  @Test func twelveBitIsUnsupported() {
    let picture = Build.quantization(0) + Build.frame(0xC1, precision: 12) + Build.scan()
    #expect(throws: ContainerError.unsupported("jpeg-12-bit")) {
      try JPEGContainer.parse(Build.file(picture))
    }
  }

  /// Pictures that break one rule each, and are valid otherwise.
  static let broken: [(word: String, picture: [UInt8])] = [
    (
      "jpeg-scan-before-frame",
      Build.join(Build.quantization(0), Build.scan(), Build.frame())
    ),
    ("jpeg-second-frame", Build.join(Build.frame(), Build.picture())),
    ("jpeg-no-scan", Build.join(Build.quantization(0), Build.frame())),
    ("jpeg-no-scan", []),
    ("zero-size", Build.picture(width: 0)),
    ("jpeg-sampling", Build.picture(sampling: 0x51)),
    ("jpeg-sampling", Build.picture(sampling: 0x10)),
    ("jpeg-quantization-table", Build.join(Build.huffman(0), Build.frame(), Build.scan())),
    (
      "jpeg-huffman-table",
      Build.join(Build.quantization(0), Build.frame(), Build.scan(tables: 0x33))
    ),
    ("jpeg-scan-component", Build.join(Build.quantization(0), Build.frame(), Build.scan([1, 9]))),
    ("jpeg-scan-component", Build.join(Build.quantization(0), Build.frame(), Build.scan([1, 1]))),
    ("jpeg-dnl", Build.join(Build.segment(0xDC, [0, 8]), Build.picture())),
    ("jpeg-second-soi", Build.join(Build.soi, Build.picture())),
    ("jpeg-marker", Build.join(Build.segment(0x02, [0]), Build.picture())),
    ("jpeg-segment-length", Build.join([0xFF, 0xE1, 0, 1], Build.picture())),
    ("jpeg-quantization", Build.join(Build.segment(0xDB, [0, 1, 2]), Build.picture())),
    ("jpeg-quantization", Build.join(Build.quantization(4), Build.picture())),
    ("jpeg-huffman", Build.join(Build.huffman(0x20), Build.picture())),
    ("jpeg-restart-length", Build.join(Build.segment(0xDD, [0, 1, 0]), Build.picture())),
    (
      "jpeg-progression",
      Build.join(
        Build.quantization(0), Build.huffman(0), Build.frame(0xC2), Build.scan(band: [0, 63, 0]))
    ),
  ]

  @Test(arguments: broken)
  func brokenStructureIsMalformed(word: String, picture: [UInt8]) {
    let error = #expect(throws: ContainerError.self) {
      try JPEGContainer.parse(Build.file(picture))
    }
    guard case .malformed(let problem, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem == word)
  }

  @Test func missingScanOfAComponentIsIncomplete() {
    let picture = Build.quantization(0) + Build.huffman(0) + Build.frame() + Build.scan([1, 2])
    let file = Build.file(picture)
    #expect(throws: ContainerError.incomplete("jpeg-scans", percentShown: nil)) {
      try JPEGContainer.parse(file)
    }
  }

  @Test func missingDataIsIncompleteWithoutAnEnd() {
    let file = Array(Build.file().dropLast(2))
    #expect(throws: ContainerError.incomplete("jpeg-data", percentShown: nil)) {
      try JPEGContainer.parse(file)
    }
  }

  @Test func anythingBeforeTheStartIsRefused() {
    #expect(throws: ContainerError.malformed("jpeg-soi", offset: 0)) {
      try JPEGContainer.parse([0x0A] + Build.file())
    }
  }

  @Test func hundredScansPassAndMoreAreRefused() throws {
    let first = Build.join(
      Build.quantization(0), Build.huffman(0), Build.huffman(0x10), Build.frame(0xC2),
      Build.scan(band: [0, 0, 0]))
    func file(scans: Int) -> [UInt8] {
      Build.file(first + (1..<scans).flatMap { _ in Build.scan([1], band: [1, 63, 0]) })
    }
    #expect(throws: Never.self) { try JPEGContainer.parse(file(scans: 100)) }
    #expect(throws: ContainerError.overLimit(.scans, actual: 101, allowed: 100)) {
      try JPEGContainer.parse(file(scans: 101))
    }
    #expect(throws: ContainerError.overLimit(.scans, actual: 900, allowed: 100)) {
      try JPEGContainer.parse(file(scans: 900))
    }
  }

  @Test func otherLimitsSayWhatWasFound() {
    #expect(throws: ContainerError.overLimit(.side, actual: 65_535, allowed: 32_768)) {
      try JPEGContainer.parse(Build.file(Build.picture(width: 65_535, height: 65_535)))
    }
    #expect(throws: ContainerError.overLimit(.pixels, actual: 400_000_000, allowed: 220_000_000)) {
      try JPEGContainer.parse(Build.file(Build.picture(width: 20_000, height: 20_000)))
    }
    var limits = ContainerLimits()
    limits.chunks = 4
    #expect(throws: ContainerError.overLimit(.chunks, actual: 5, allowed: 4)) {
      try JPEGContainer.parse(Build.file(), limits: limits)
    }
    limits = ContainerLimits()
    limits.applicationBytes = 10
    #expect(throws: ContainerError.overLimit(.applicationBytes, actual: 11, allowed: 10)) {
      try JPEGContainer.parse(Build.file(head: Build.segment(0xFE, "comment")), limits: limits)
    }
    #expect(throws: ContainerError.overLimit(.applicationBytes, actual: 11, allowed: 10)) {
      try JPEGContainer.parse(
        Build.file([UInt8](repeating: 0xFF, count: 11) + Build.picture()), limits: limits)
    }
  }
}
