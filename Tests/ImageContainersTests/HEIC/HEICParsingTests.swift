import ImageContainers
import Testing

@Suite struct HEICParsingTests {
  private func parse(_ builder: HEICBuilder) throws -> ImageFacts {
    try HEICContainer.parse(builder.file())
  }

  @Test func tellsSizeAndCoding() throws {
    let facts = try parse(HEICSample.plain)
    #expect(facts.format == .heic)
    #expect((facts.storedWidth, facts.storedHeight) == (64, 48))
    #expect(facts.orientation == 1)
    #expect(facts.frameCount == 1)
    #expect(facts.bitDepth == 8)
    #expect(facts.colorModel == .rgb)
    #expect(facts.chromaSubsampled)
    #expect(!facts.hasAlpha)
    #expect(facts.colorTag == .untagged)
    #expect(facts.parts.isEmpty)
    #expect(facts.repairs.isEmpty)
  }

  @Test(arguments: [(0, 8), (1, 10), (2, 12), (3, 10)])
  func tellsChromaAndDepth(chroma: Int, depth: Int) throws {
    let facts = try parse(HEICBuilder(items: [.coded(1, 64, 64, chroma: chroma, depth: depth)]))
    #expect(facts.bitDepth == depth)
    #expect(facts.colorModel == (chroma == 0 ? .gray : .rgb))
    #expect(facts.chromaSubsampled == (chroma == 1))
  }

  @Test(arguments: [(0, 80, 60), (1, 60, 80), (2, 80, 60), (3, 60, 80)])
  func turns(turns: Int, width: Int, height: Int) throws {
    let facts = try parse(
      HEICBuilder(items: [
        .coded(1, 80, 60, also: [ISOProperty.irot(UInt8(turns)), ISOProperty.imir(1)])
      ]))
    #expect((facts.storedWidth, facts.storedHeight) == (width, height))
    #expect(facts.orientation == 1)
  }

  /// The arguments are numerators and denominators of the width, the height and both offsets.
  @Test(arguments: [
    ([101, 1, 61, 1, 1, 2, 1, 2], 101, 61), ([199, 1, 119, 1, -1, 2, -1, 2], 199, 119),
    ([201, 2, 121, 2, 0, 1, 0, 1], 101, 61), ([200, 1, 120, 1, 0, 1, 0, 1], 200, 120),
    ([3_000_000, 30_000, 60, 1, 0, 1, 0, 1], 100, 60),
  ])
  func crops(numbers: [Int], width: Int, height: Int) throws {
    let clap = isoBox("clap", numbers.flatMap { isoBig($0, 4) })
    let facts = try parse(
      HEICBuilder(items: [.coded(1, 200, 120, also: [clap, ISOProperty.irot(1)])]))
    #expect((facts.storedWidth, facts.storedHeight) == (height, width))
  }

  /// These crops start outside the picture, reach outside it, or leave nothing.
  @Test(arguments: [
    [100, 1, 60, 1, -60, 1, 0, 1], [300, 1, 60, 1, 0, 1, 0, 1], [100, 1, 60, 1, 500, 1, 0, 1],
    [100, 0, 60, 1, 0, 1, 0, 1], [0x8000_0000, 1, 60, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, 1],
  ])
  func refusesImpossibleCrops(numbers: [Int]) {
    let clap = isoBox("clap", numbers.flatMap { isoBig($0, 4) })
    let file = HEICBuilder(items: [.coded(1, 200, 120, also: [clap])]).file()
    #expect {
      try HEICContainer.parse(file)
    } throws: {
      if case .malformed("heif-clean-aperture", _) = $0 as? ContainerError { true } else { false }
    }
  }

  @Test func tellsColor() throws {
    let icc = ISOProperty.colr(profile: [7, 8, 9])
    let p3 = ISOProperty.colr(codePoints: 12, 13, 1)
    func tag(_ properties: [[UInt8]]) throws -> ColorTag {
      try parse(HEICBuilder(items: [.coded(1, 64, 64, also: properties)])).colorTag
    }
    let codePoints = ColorTag.codePoints(primaries: 12, transfer: 13, matrix: 1, fullRange: true)
    #expect(try tag([p3]) == codePoints)
    #expect(try tag([p3, icc]) == .profile([7, 8, 9]))
    #expect(try tag([icc, p3]) == .profile([7, 8, 9]))
    #expect(try tag([ISOProperty.colr(profile: []), p3]) == codePoints)
  }

  @Test func takesColorFromTheTilesOfAGrid() throws {
    var builder = HEICBuilder()
    builder.items = [
      .grid(1, rows: 1, columns: 2, 128, 64),
      .coded(2, 64, 64, depth: 10, also: [ISOProperty.colr(profile: [5])]),
      .coded(3, 64, 64, depth: 10),
    ]
    builder.references = [("dimg", 1, [2, 3])]
    let facts = try parse(builder)
    #expect(facts.colorTag == .profile([5]))
    #expect(facts.bitDepth == 10)
  }

  @Test func namesEverythingInAPhonesFile() throws {
    let builder = HEICSample.phone
    let facts = try parse(builder)
    #expect((facts.storedWidth, facts.storedHeight) == (120, 180))
    #expect(facts.colorTag == .profile([1, 2, 3]))
    #expect(!facts.hasAlpha)
    #expect(
      facts.repairs == ["heif-foreign-reference", "heif-multi-auxl", "heif-multi-cdsc"])
    #expect(
      facts.parts.map { "\($0.kind.rawValue) in \($0.origin)" } == [
        "thumbnail in hvc1 item", "gain-map in hvc1 item", "gain-map in tmap item",
        "depth-map in hvc1 item", "exif in Exif item", "xmp in mime item",
      ])
    // The data and the `infe` box (21 bytes without a name).
    let exif = try #require(facts.parts.first { $0.kind == .exif })
    #expect(exif.byteCount == builder.items[11].data.count + 21)
  }

  @Test func seesAlphaOfAnySize() throws {
    #expect(try parse(HEICSample.transparent).hasAlpha)
    #expect(try parse(HEICSample.transparent).parts.isEmpty)
    var other = HEICSample.transparent
    other.items[1] = .coded(2, 25, 17, chroma: 0, also: [ISOProperty.auxC(HEICSample.alpha)])
    let facts = try parse(other)
    #expect(facts.hasAlpha && facts.parts.isEmpty)
  }

  @Test("A photo whose alpha can't be used is refused, because it would show what was cut out")
  func refusesUnusableAlpha() throws {
    var builder = HEICSample.transparent
    builder.items[1].type = "av01"
    #expect(throws: ContainerError.unsupported("heif-alpha")) { try parse(builder) }
    builder = HEICSample.transparent
    builder.items[1] = .coded(2, 4000, 4000, chroma: 0, also: [ISOProperty.auxC(HEICSample.alpha)])
    #expect(throws: ContainerError.unsupported("heif-alpha")) { try parse(builder) }
  }

  @Test("Halved chroma is reported only if the crop doesn't split its samples", arguments: [0, 1])
  func knowsOddCrops(_ left: Int) throws {
    func isSubsampled(_ width: Int) throws -> Bool {
      // Measured from the middle, the left edge is at `left`, or between two pixels that share a sample.
      let clap = ISOProperty.clap(width, 1, 48, 1, 2 * left + width - 64, 2, 0, 1)
      return try parse(HEICBuilder(items: [.coded(1, 64, 48, also: [clap])])).chromaSubsampled
    }
    #expect(try isSubsampled(40) == (left == 0))
    #expect(try !isSubsampled(29))
  }

  @Test func seesAlphaOfTiles() throws {
    var builder = HEICBuilder()
    builder.items = [
      .grid(1, rows: 1, columns: 2, 128, 64), .coded(2, 64, 64), .coded(3, 64, 64),
      .coded(4, 64, 64, chroma: 0, also: [ISOProperty.auxC(HEICSample.alpha)]),
    ]
    builder.references = [("dimg", 1, [2, 3]), ("auxl", 4, [2, 3])]
    let facts = try parse(builder)
    #expect(facts.hasAlpha)
    #expect(facts.repairs == ["heif-multi-auxl"])
  }

  @Test func namesFurtherPictures() throws {
    func kinds(_ count: Int, groups: [[UInt8]] = []) throws -> [ContainerPart.Kind] {
      var builder = HEICBuilder()
      builder.items = (1...count).map { .coded($0, 64, 64) }
      builder.metaBoxes = groups
      return try parse(builder).parts.map(\.kind)
    }
    #expect(try kinds(2) == [.secondPicture])
    #expect(try kinds(3) == [.burstFrames])
    let pair = isoFullBox("ster", isoBig(9, 4), isoBig(2, 4), isoBig(1, 4), isoBig(2, 4))
    #expect(try kinds(2, groups: [isoBox("grpl", pair)]) == [.spatialPair])
  }

  @Test func namesWhatLiesOutside() throws {
    var builder = HEICSample.plain
    let handler = isoFullBox("hdlr", isoBig(0, 4), isoText("vide"), isoBig(0, 12), [0])
    builder.boxes = [
      isoBox("moov", isoBox("trak", isoBox("mdia", handler))), isoBox("mpvd", isoBig(0, 30)),
      isoBox("uuid", isoBig(1, 16), isoText("x")), isoBox("udta", isoText("x")),
      isoBox("free", isoBig(0, 5)),
    ]
    builder.slack = [1, 2, 3, 4, 5]
    builder.trailing = isoText("%PDF-1.4 and more")
    builder.handlerName = "secret"
    builder.items[0].name = "HEVC"
    let facts = try parse(builder)
    #expect(
      facts.parts == [
        .init(.text, bytes: 4, origin: "infe name"), .init(.text, bytes: 6, origin: "hdlr name"),
        .init(.motionVideo, bytes: 5, origin: "mdat box"),
        .init(.motionVideo, bytes: 57, origin: "moov box"),
        .init(.motionVideo, bytes: 38, origin: "mpvd box"),
        .init(.unknown, bytes: 25, origin: "uuid box"),
        .init(.unknown, bytes: 9, origin: "udta box"),
        .init(.unknown, bytes: 13, origin: "free box"),
        .init(.trailing, bytes: 17, origin: "end"),
      ])
    builder.trailing = isoBox("ftyp", isoText("mp42")) + isoBox("mdat", isoBig(0, 100))
    #expect(
      try parse(builder).parts.last
        == .init(.motionVideo, bytes: builder.trailing.count, origin: "end"))
  }

  @Test func findsFilmsAndPicturesWhereverTheyLie() throws {
    let film = isoBox("ftyp", isoText("mp42"), isoBig(0, 4)) + isoBox("mdat", isoBig(0, 100))
    let places: [(inout HEICBuilder) -> Void] = [
      { $0.trailing = isoText("MotionPhoto_Data") + film },
      { $0.boxes = [isoBox("sefd", isoText("MotionPhoto_Data"), film)] },
      { $0.slack = film }, { $0.metaBoxes = [isoBox("pets", film)] },
      { $0.boxes = [isoBox("uuid", isoBig(1, 16), film)] },
      // A unit of a type that is reserved for applications, and a slice of another layer.
      { $0.items[0].data += isoBig(film.count + 2, 4) + [0x60, 1] + film },
      { $0.items[0].data += isoBig(film.count + 2, 4) + [0x02, 9] + film },
    ]
    for (index, place) in places.enumerated() {
      var builder = HEICSample.plain
      place(&builder)
      #expect(try parse(builder).parts.last?.kind == .motionVideo, "\(index)")
    }
    var builder = HEICSample.plain
    builder.trailing = HEICSample.plain.file()
    #expect(try parse(builder).parts.last?.kind == .secondPicture)
    let type = "D8FEC3D61B0E483C92975828877EC481"
    let bytes = stride(from: 0, to: 32, by: 2).compactMap {
      UInt8(type.dropFirst($0).prefix(2), radix: 16)
    }
    builder.trailing = []
    builder.boxes = [isoBox("uuid", bytes, isoText("manifest"))]
    #expect(try parse(builder).parts.map(\.kind) == [.contentCredentials])
  }

  @Test func appliesIdentitiesFromTheInnermostOn() throws {
    var builder = HEICSample.identity
    // The picture is turned by its own irot, cropped to 40 by 60 by item 1, then turned by items 4 and 5.
    builder.items += [4, 5].map {
      .init(id: $0, type: "iden", data: [], properties: [ISOProperty.irot($0 == 4 ? 1 : 0)])
    }
    builder.references += [("dimg", 4, [1]), ("dimg", 5, [4])]
    builder.primary = 5
    let facts = try parse(builder)
    #expect((facts.storedWidth, facts.storedHeight) == (60, 40))
  }

  @Test(arguments: [0, 1, 2], [4, 8])
  func readsEveryKindOfLocation(version: Int, width: Int) throws {
    var builder = HEICSample.phone
    builder.locationVersion = version
    builder.locationWidth = width
    if version == 0 { builder.inItemData = [] }
    let expected = try parse(HEICSample.phone)
    #expect(try parse(builder).parts == expected.parts)
    builder.dataFirst = true
    #expect(try parse(builder) == expected)
  }

  @Test(arguments: ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"])
  func decidesByThePrimaryItem(brand: String) throws {
    var builder = HEICSample.plain
    builder.brand = brand
    builder.compatibleBrands = []
    #expect(try parse(builder).storedWidth == 64)
    #expect(HEICContainer.hasBrand(builder.file()) == !["mif1", "msf1"].contains(brand))
  }

  @Test(arguments: ["mif2", "miaf", "MiHB", "MiPr", "1pic", "unif", "isom", "avif", "    "])
  func takesABrandOfHEICAnywhere(major: String) throws {
    for brand in ["heic", "heix", "hevc", "hevx"] {
      var builder = HEICSample.plain
      builder.brand = major
      builder.compatibleBrands = ["mif1", "miaf", brand]
      #expect(try parse(builder).storedWidth == 64)
      #expect(HEICContainer.hasBrand(builder.file()))
      builder.compatibleBrands = ["mif1", "miaf"]
      #expect(!HEICContainer.hasBrand(builder.file()))
    }
  }

  @Test func followsAnIdentity() throws {
    let facts = try parse(HEICSample.identity)
    // The picture is turned by its own irot, then cropped to 40 by 60 by the identity's.
    #expect((facts.storedWidth, facts.storedHeight) == (40, 60))
    #expect(facts.hasAlpha == false && facts.parts.map(\.kind) == [.exif, .unknown])
    let clean = try HEICContainer.clean(HEICSample.identity.file())
    let again = try HEICContainer.parse(clean)
    #expect((again.storedWidth, again.storedHeight) == (40, 60) && again.parts.isEmpty)
  }

  @Test func readsSizesOf64BitsAndToTheEnd() throws {
    let file = HEICSample.plain.file()
    let data = try #require(file.indices.first { file[$0...].starts(with: isoText("mdat")) }) - 4
    let toTheEnd = file[..<data] + isoBig(0, 4) + file[(data + 4)...]
    #expect(try HEICContainer.parse(Array(toTheEnd)) == HEICContainer.parse(file))
    var wide = HEICSample.plain
    wide.boxes = [isoBig(1, 4) + isoText("free") + isoBig(20, 8) + isoBig(0, 4)]
    #expect(
      try parse(wide).parts == [ContainerPart(.unknown, bytes: 20, origin: "free box")])
  }
}
