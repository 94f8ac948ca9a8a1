import ImageContainers
import Testing

@Suite("HEIC: overlays")
struct HEICOverlayTests {
  private func overlay(_ builder: HEICBuilder) throws -> HEICOverlay {
    try #require(try HEICContainer.overlay(in: builder.file()))
  }

  @Test("Facts cover all layers, and the canvas is turned")
  func facts() throws {
    let facts = try HEICContainer.parse(HEICSample.overlay.file())
    #expect((facts.storedWidth, facts.storedHeight) == (100, 150))
    #expect(facts.layerPixels == 64 * 64 + 64 * 48)
    #expect(facts.bitDepth == 10)
    #expect(!facts.hasAlpha && facts.remainingMirroring == 1)
    #expect(
      facts.colorTag == .codePoints(primaries: 12, transfer: 13, matrix: 6, fullRange: true))
    #expect(facts.parts.isEmpty)
    #expect(try HEICContainer.parse(HEICSample.plain.file()).layerPixels == 0)
    #expect(try HEICContainer.overlay(in: HEICSample.plain.file()) == nil)
  }

  @Test("The fill, positions and transformations of the canvas are read", arguments: [false, true])
  func canvas(isWide: Bool) throws {
    var builder = HEICSample.overlay
    builder.items[0] = .overlay(
      1, 150, 100, [(-32_768, 5), (32_767, -1)], isWide: isWide,
      also: [
        ISOProperty.irot(1), ISOProperty.clap(60, 1, 80, 1, 0, 1, 0, 1), ISOProperty.imir(0),
        ISOProperty.imir(1),
      ])
    let overlay = try overlay(builder)
    #expect((overlay.width, overlay.height) == (150, 100))
    #expect(overlay.fill == [0x80, 0, 255, 255])
    #expect(overlay.places == [.init(left: -32_768, top: 5), .init(left: 32_767, top: -1)])
    #expect(
      overlay.steps == [
        .orient(8), .crop(left: 20, top: 35, width: 60, height: 80), .orient(4), .orient(2),
      ])
  }

  @Test("Each layer is a HEIC of its own, with only its tiles and its alpha")
  func layers() throws {
    let overlay = try overlay(HEICSample.overlay)
    let (grid, file) = try overlay.layer(0)
    #expect((grid.storedWidth, grid.storedHeight) == (64, 64))
    #expect(grid.bitDepth == 8 && !grid.hasAlpha && grid.colorTag == .untagged)
    #expect(try HEICContainer.clean(file) == file)
    let (picture, _) = try overlay.layer(1)
    #expect((picture.storedWidth, picture.storedHeight) == (64, 48))
    #expect(picture.bitDepth == 10 && picture.hasAlpha)
  }

  @Test("A layer without color information has that of the overlay")
  func colors() throws {
    var builder = HEICSample.overlay
    builder.items[0].properties.append(ISOProperty.colr(codePoints: 1, 13, 6))
    let srgb = ColorTag.codePoints(primaries: 1, transfer: 13, matrix: 6, fullRange: true)
    #expect(try HEICContainer.parse(builder.file()).colorTag == srgb)
    #expect(try overlay(builder).layer(0).facts.colorTag == srgb)
    #expect(try overlay(builder).layer(1).facts.colorTag != srgb)
  }

  @Test("A transparent canvas is opaque if an opaque layer covers it")
  func transparency() throws {
    func hasAlpha(_ places: [(Int, Int)], alpha: Int, veiled: Bool = false) throws -> Bool {
      var builder = HEICBuilder(items: [
        .overlay(1, 60, 40, places, fill: [0, 0, 0, alpha]), .coded(2, 64, 48),
        .coded(3, 64, 48, chroma: 0, also: [ISOProperty.auxC(HEICSample.alpha)]),
      ])
      builder.references = [("dimg", 1, [2])]
      if veiled { builder.references.append(("auxl", 3, [2])) }
      return try HEICContainer.parse(builder.file()).hasAlpha
    }
    #expect(try !hasAlpha([(0, 0)], alpha: 0))
    #expect(try !hasAlpha([(-4, -8)], alpha: 0))
    #expect(try hasAlpha([(-5, 0)], alpha: 0))
    #expect(try hasAlpha([(1, 0)], alpha: 0x8000))
    #expect(try !hasAlpha([(1, 0)], alpha: 0xFFFF))
    #expect(try hasAlpha([(0, 0)], alpha: 0, veiled: true))
  }
}
