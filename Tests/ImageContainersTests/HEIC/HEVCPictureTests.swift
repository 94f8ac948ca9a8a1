import ImageContainers
import Testing

@Suite("HEIC: streams for a decoder")
struct HEVCPictureTests {
  private func color(_ builder: HEICBuilder) throws -> HEVCPicture? {
    try HEICContainer.streams(in: builder.file())?.color
  }

  @Test("Units, tiles and depth of one picture and of a grid are read")
  func pictures() throws {
    let plain = try #require(try color(HEICSample.plain))
    #expect((plain.width, plain.height, plain.columns, plain.tiles.count) == (64, 48, 1, 1))
    #expect(plain.bitDepth == 8 && plain.orientation == 1)
    #expect(plain.crop == .init(left: 0, top: 0, width: 64, height: 48))
    let grid = try #require(try color(HEICSample.phone))
    #expect((grid.width, grid.height, grid.columns, grid.tiles.count) == (180, 120, 3, 6))
    #expect((grid.tileWidth, grid.tileHeight, grid.orientation) == (64, 64, 6))
  }

  @Test(
    "Every depth that decoders support is accepted, with any chroma", arguments: [8, 10, 12], 0...3)
  func samples(_ depth: Int, _ chroma: Int) throws {
    let builder = HEICBuilder(items: [.coded(1, 64, 48, chroma: chroma, depth: depth)])
    #expect(try color(builder)?.bitDepth == depth)
  }

  @Test("Other depths and overlays are left to libheif")
  func others() throws {
    for depth in [9, 11, 13] {
      #expect(try color(HEICBuilder(items: [.coded(1, 64, 48, depth: depth)])) == nil)
    }
    var overlay = HEICSample.overlay
    // libheif can't combine a picture with an alpha of another depth.
    #expect(throws: ContainerError.unsupported("heif-alpha")) { try color(overlay) }
    overlay.items.removeLast()
    overlay.references.removeLast()
    #expect(try color(overlay) == nil)
  }

  @Test("An alpha with the properties of its picture may be left to libheif")
  func alpha() throws {
    let streams = try #require(try HEICContainer.streams(in: Self.transparent().file()))
    #expect((streams.alpha?.width, streams.alpha?.height) == (50, 34))
    #expect(!streams.takesOurDecoder && !streams.isPremultiplied)
  }

  @Test("An alpha of another depth or size requires our decoder", arguments: [(10, 50), (8, 24)])
  func unlikeAlpha(_ depth: Int, _ width: Int) throws {
    let builder = Self.transparent(alphaDepth: depth, width: width)
    let streams = try #require(try HEICContainer.streams(in: builder.file()))
    #expect(streams.alpha?.bitDepth == depth && streams.alpha?.width == width)
    #expect(streams.takesOurDecoder)
  }

  @Test("Colors that are premultiplied with alpha require our decoder")
  func premultiplied() throws {
    let streams = try #require(try HEICContainer.streams(in: HEICSample.transparent.file()))
    #expect(streams.isPremultiplied && streams.takesOurDecoder)
  }

  @Test("A picture that neither decoder can combine with its alpha isn't supported")
  func beyond() throws {
    let builder = Self.transparent(alphaDepth: 9, width: 24)
    #expect(throws: ContainerError.unsupported("heif-alpha")) {
      try HEICContainer.streams(in: builder.file())
    }
  }

  /// Returns a picture of 50 by 34 pixels with an alpha.
  private static func transparent(alphaDepth: Int = 8, width: Int = 50) -> HEICBuilder {
    var builder = HEICSample.transparent
    builder.references.removeAll { $0.0 == "prem" }
    builder.items[1] = .coded(
      2, width, 34, chroma: 0, depth: alphaDepth, also: [ISOProperty.auxC(HEICSample.alpha)])
    return builder
  }

  @Test("A crop before turns is a part of the canvas, and one after a turn is left to libheif")
  func crop() throws {
    let clap = ISOProperty.clap(32, 1, 24, 1, 0, 1, 0, 1)
    let first = HEICBuilder(items: [
      .coded(1, 64, 48, also: [clap, ISOProperty.irot(1), ISOProperty.imir(1)])
    ])
    let picture = try #require(try color(first))
    #expect(picture.crop == .init(left: 16, top: 12, width: 32, height: 24))
    #expect(picture.orientation == 7)
    let turned = HEICBuilder(items: [.coded(1, 48, 64, also: [ISOProperty.irot(1), clap])])
    #expect(try color(turned) == nil)
  }

  @Test("Two orientations combine to the one that moves each pixel as they do", arguments: 1...8)
  func orientations(_ first: Int) throws {
    let plain = try #require(try color(HEICSample.plain))
    for second in 1...8 {
      var picture = plain
      picture.orient(first)
      #expect(picture.orientation == first)
      picture.orient(second)
      let stored = [[1, 2, 3], [4, 5, 6]]
      #expect(
        upright(upright(stored, first), second) == upright(stored, picture.orientation),
        "\(first), then \(second)")
    }
  }

  /// Returns rows in display order. EXIF 2.32, 4.6.4 defines at which edges the first stored row and column are shown.
  private func upright(_ rows: [[Int]], _ orientation: Int) -> [[Int]] {
    let columns = rows[0].indices.map { x in rows.map { $0[x] } }
    return switch orientation {
    case 2: rows.map { $0.reversed() }
    case 3: rows.reversed().map { $0.reversed() }
    case 4: rows.reversed()
    case 5: columns
    case 6: columns.map { $0.reversed() }
    case 7: columns.reversed().map { $0.reversed() }
    case 8: columns.reversed()
    default: rows
    }
  }
}
