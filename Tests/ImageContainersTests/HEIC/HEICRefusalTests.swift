import ImageContainers
import Testing

@Suite struct HEICRefusalTests {
  private func refusal(
    _ file: [UInt8], limits: ContainerLimits = .init()
  ) -> ContainerError? {
    do {
      _ = try HEICContainer.parse(file, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  private func reason(_ builder: HEICBuilder) -> String? {
    switch refusal(builder.file()) {
    case .malformed(let problem, _), .truncated(let problem, _), .unsupported(let problem): problem
    default: nil
    }
  }

  @Test(arguments: ["av01", "unci", "iovl", "jpeg", "j2k1", "avc1", "vvc1", "tmap"])
  func namesOtherCodings(type: String) {
    var builder = HEICSample.plain
    builder.items[0].type = type
    if type != "iovl" { #expect(refusal(builder.file()) == .unsupported(type)) }
    var tiled = HEICBuilder()
    tiled.items = [.grid(1, rows: 1, columns: 1, 64, 64), .coded(2, 64, 64)]
    tiled.items[1].type = type
    tiled.references = [("dimg", 1, [2])]
    #expect(refusal(tiled.file()) == .unsupported(type))
  }

  @Test("YCgCo above 8 bits is refused, because libheif 1.15 shows it nearly black")
  func refusesDeepYCgCo() {
    func isRefused(_ depth: Int, _ chroma: Int, matrix: Int) -> Bool {
      let codes = ISOProperty.colr(codePoints: 1, 13, matrix)
      let picture = HEICBuilder.Item.coded(1, 64, 48, chroma: chroma, depth: depth, also: [codes])
      return refusal(HEICBuilder(items: [picture]).file()) == .unsupported("hevc")
    }
    #expect(isRefused(10, 1, matrix: 8) && isRefused(12, 3, matrix: 8))
    #expect(!isRefused(8, 1, matrix: 8) && !isRefused(10, 0, matrix: 8))
    #expect(!isRefused(10, 1, matrix: 10) && !isRefused(10, 1, matrix: 200))
  }

  @Test(arguments: ["mif2", "MiHE", "isom", "mp42", "crx "])
  func namesOtherBrands(brand: String) {
    var builder = HEICSample.plain
    builder.brand = brand
    builder.compatibleBrands = ["mif1", brand]
    #expect(
      refusal(builder.file()) == .unsupported(brand == "crx " ? "brand crx" : "brand \(brand)"))
  }

  @Test func readsNoMoreThan256Brands() {
    var builder = HEICSample.plain
    builder.brand = "isom"
    builder.compatibleBrands = [String](repeating: "isom", count: 255) + ["heic"]
    #expect(refusal(builder.file()) == nil)
    #expect(HEICContainer.hasBrand(builder.file()))
    builder.compatibleBrands.insert("isom", at: 0)
    #expect(refusal(builder.file()) == .unsupported("brand isom"))
  }

  @Test func dataInAnotherFileIsNoDamage() {
    var builder = HEICSample.plain
    builder.dataReference = 1
    #expect(refusal(builder.file()) == .unsupported("heif-other-file"))
  }

  @Test func refusesIdentitiesOfNothing() {
    var builder = HEICSample.identity
    builder.references = []
    #expect(reason(builder) == "heif-identity")
    builder.references = [("dimg", 1, [2, 3])]
    #expect(reason(builder) == "heif-identity")
    builder.references = [("dimg", 1, [9])]
    #expect(reason(builder) == "heif-identity")
    builder.references = [("dimg", 1, [1])]
    #expect(reason(builder) == "heif-identity")
    builder.items[1].type = "iden"
    builder.references = [("dimg", 1, [2]), ("dimg", 2, [1])]
    #expect(reason(builder) == "heif-identity")
    builder.items[1].type = "av01"
    builder.references = [("dimg", 1, [2])]
    #expect(refusal(builder.file()) == .unsupported("av01"))
  }

  @Test func namesAVIFSequencesAndDamagedBrands() {
    var builder = HEICSample.plain
    builder.compatibleBrands = ["mif1", "miaf"]
    builder.brand = "avif"
    #expect(refusal(builder.file()) == .unsupported("av01"))
    builder.brand = "    "
    #expect(refusal(builder.file()) == .malformed("heif-brand", offset: 8))
    let sequence =
      isoBox("ftyp", isoText("msf1"), isoBig(0, 4), isoText("hevc")) + isoBox("moov", isoBig(0, 20))
    #expect(refusal(sequence) == .unsupported("heif-sequence"))
    #expect(refusal(isoText("GIF89a, not a box at all")) != nil)
  }

  /// An accepted file has all that decoding needs, and reports that its end is missing.
  @Test func refusesTruncatedFilesUnlessThePictureIsWhole() throws {
    var whole = 0
    for sample in HEICSample.all {
      let file = sample.file()
      let clean = try HEICContainer.clean(file)
      for count in 0..<file.count {
        let cut = Array(file[..<count])
        guard let facts = try? HEICContainer.parse(cut) else { continue }
        whole += 1
        #expect(facts.repairs.contains("heif-end"), "cut to \(count) of \(file.count)")
        #expect(try HEICContainer.clean(cut) == clean, "cut to \(count) of \(file.count)")
      }
    }
    #expect(whole > 0)
  }

  @Test func saysHowMuchOfACutGridIsThere() {
    var builder = HEICBuilder()
    builder.items = [.grid(1, rows: 4, columns: 2, 128, 250)]
    builder.items += (2...9).map { .coded($0, 64, 64, count: 100) }
    builder.references = [("dimg", 1, Array(2...9))]
    let file = builder.file()
    for (tiles, percent) in [(8, nil), (7, 76), (6, 76), (5, 51), (1, 0)] as [(Int, Int?)] {
      let cut = Array(file[..<(file.count - (8 - tiles) * 106)])
      let expected = percent.map { ContainerError.incomplete("heif-tile", percentShown: $0) }
      #expect(refusal(cut) == expected, "\(tiles) tiles")
    }
    builder.items[0].properties.append(ISOProperty.irot(1))
    #expect(
      refusal(builder.file().dropLast(300).map(\.self))
        == .incomplete("heif-tile", percentShown: nil))
    #expect(
      refusal(HEICSample.plain.file().dropLast(9).map(\.self))
        == .incomplete("heif-item", percentShown: nil))
  }

  @Test func refusesIncompleteItems() {
    var builder = HEICSample.plain
    builder.primary = 9
    #expect(reason(builder) == "heif-primary-missing")
    builder = HEICSample.plain
    builder.items[0].properties.removeFirst()
    #expect(reason(builder) == "heif-no-ispe")
    builder = HEICSample.plain
    builder.items[0].properties.removeLast()
    #expect(reason(builder) == "heif-no-hvcC")
    builder = HEICSample.plain
    builder.items[0].data = []
    #expect(reason(builder) == "heif-item-without-data")
    builder = HEICSample.plain
    builder.handler = "mdir"
    #expect(reason(builder) == "heif-handler")
    builder = HEICSample.plain
    builder.boxes = [isoFullBox("meta")]
    #expect(reason(builder) == "heif-second-meta")
  }

  @Test func refusesSizesThatDisagree() {
    var builder = HEICSample.plain
    builder.items[0].properties[0] = ISOProperty.ispe(65, 48)
    #expect(reason(builder) == "hevc-size")
    builder.items[0].properties[0] = ISOProperty.ispe(0, 48)
    #expect(reason(builder) == "zero-size")
    // A parameter set in the picture's data counts like one in its configuration.
    builder = HEICSample.plain
    let set = ISOProperty.parameterSet(16_000, 12_000, chroma: 1, depth: 8)
    builder.items[0].data += isoBig(set.count, 4) + set
    #expect(reason(builder) == "hevc-size")
    builder = HEICSample.plain
    builder.items[0].data[3] += 1
    #expect(reason(builder) == "hevc-unit-length")
    builder = HEICSample.plain
    builder.items[0].data += isoBig(0, 40_000)
    #expect(reason(builder) == "hevc-units")
  }

  @Test func checksGrids() {
    func grid(rows: Int, columns: Int, _ width: Int, _ height: Int, tiles: [Int]) -> String? {
      var builder = HEICBuilder()
      builder.items = [
        .grid(1, rows: rows, columns: columns, width, height), .coded(2, 64, 64),
        .coded(3, 64, 64), .coded(4, 32, 64), .grid(5, rows: 1, columns: 1, 64, 64),
      ]
      builder.references = [("dimg", 1, tiles), ("dimg", 5, [1])]
      return reason(builder)
    }
    #expect(grid(rows: 1, columns: 2, 128, 64, tiles: [2, 3]) == nil)
    #expect(grid(rows: 1, columns: 2, 129, 64, tiles: [2, 3]) == "heif-grid-coverage")
    #expect(grid(rows: 1, columns: 2, 128, 65, tiles: [2, 3]) == "heif-grid-coverage")
    #expect(grid(rows: 1, columns: 2, 64, 64, tiles: [2, 3]) == "heif-grid-coverage")
    #expect(grid(rows: 1, columns: 2, 96, 64, tiles: [2, 4]) == "heif-tile-size")
    #expect(grid(rows: 1, columns: 2, 128, 64, tiles: [2]) == "heif-grid-tiles")
    #expect(grid(rows: 1, columns: 2, 128, 64, tiles: [2, 9]) == "heif-tile-missing")
    #expect(grid(rows: 1, columns: 2, 128, 64, tiles: [2, 1]) == "heif-reference-cycle")
    #expect(grid(rows: 1, columns: 2, 128, 64, tiles: [2, 5]) == "heif-reference-cycle")
  }

  @Test func checksOverlays() {
    func overlay(
      _ places: [(Int, Int)], of layers: [Int], _ change: (inout HEICBuilder) -> Void = { _ in }
    ) -> String? {
      var builder = HEICBuilder()
      builder.items = [
        .overlay(1, 96, 80, places), .coded(2, 64, 64), .grid(3, rows: 1, columns: 1, 64, 64),
        .coded(4, 64, 64), .overlay(5, 64, 64, [(0, 0)]),
      ]
      builder.references = [("dimg", 1, layers), ("dimg", 3, [4]), ("dimg", 5, [2])]
      change(&builder)
      return reason(builder)
    }
    #expect(overlay([(0, 0), (-70, 900)], of: [2, 3]) == nil)
    #expect(overlay([(0, 0)], of: [2, 3]) == "iovl")
    #expect(overlay([(0, 0), (0, 0)], of: [2]) == "heif-overlay")
    #expect(overlay([], of: []) == "heif-overlay")
    #expect(overlay([(0, 0), (0, 0)], of: [2, 2]) == "heif-layer-twice")
    #expect(overlay([(0, 0), (0, 0)], of: [2, 9]) == "heif-layer-missing")
    #expect(overlay([(0, 0)], of: [1]) == "heif-reference-cycle")
    #expect(overlay([(0, 0)], of: [5]) == "iovl")
    #expect(overlay([(0, 0)], of: [2]) { $0.items[0].data[0] = 1 } == "heif-overlay")
    #expect(
      overlay([(0, 0)], of: [2]) { $0.items[0].properties = [ISOProperty.ispe(96, 81)] }
        == "heif-overlay-size")
    #expect(overlay([(0, 0)], of: [3]) { $0.references[1].to = [1] } == "iovl")
  }

  @Test func takesTheGridOfA200MegapixelPhone() throws {
    var builder = HEICBuilder()
    builder.items = [.grid(1, rows: 24, columns: 32, 2_048, 1_536)]
    builder.items += (2..<770).map { .coded($0, 64, 64) }
    builder.references = [("dimg", 1, Array(2..<770))]
    let facts = try HEICContainer.parse(builder.file())
    #expect((facts.storedWidth, facts.storedHeight) == (2_048, 1_536))
  }

  /// A count too large for its box means that the box is damaged, not that the file is too large.
  @Test func takesWildCountsForDamage() {
    let file = HEICSample.plain.file()
    func wild(_ box: String, _ skip: Int) -> [UInt8] {
      var bytes = file
      let start = (bytes.indices.first { bytes[$0...].starts(with: isoText(box)) } ?? 0) + 4 + skip
      bytes[start] = 0x20
      return bytes
    }
    // The count follows version and flags; in iloc, two bytes of sizes come before it.
    for (box, skip) in [("iloc", 6), ("ipma", 4)] {
      guard case .truncated(box, _)? = refusal(wild(box, skip)) else {
        Issue.record("\(box): \(String(describing: refusal(wild(box, skip))))")
        continue
      }
    }
    #expect(refusal(wild("iinf", 4)) == nil)
  }

  @Test func refusesDataOutsideOrElsewhere() {
    let file = HEICSample.plain.file()
    let iloc = file.indices.first { file[$0...].starts(with: isoText("iloc")) } ?? 0
    // Version and flags (4), sizes (2), count (2), then the item: ID (2), method (2).
    var elsewhere = file
    elsewhere[iloc + 15] = 2
    #expect(refusal(elsewhere) == .unsupported("heif-construction-method-2"))
    var external = file
    external[iloc + 17] = 1
    #expect(refusal(external) != nil)
    var outside = file
    outside[iloc + 20] = 0x70
    #expect(refusal(outside) == .incomplete("heif-item", percentShown: nil))
  }

  @Test func keepsLimits() {
    func limit(
      _ builder: HEICBuilder, _ change: (inout ContainerLimits) -> Void
    ) -> ContainerLimit? {
      var limits = ContainerLimits()
      change(&limits)
      if case .overLimit(let limit, _, _) = refusal(builder.file(), limits: limits) {
        return limit
      }
      return nil
    }
    let phone = HEICSample.phone
    #expect(limit(phone) { _ in } == nil)
    #expect(limit(phone) { $0.tiles = 5 } == .tiles)
    #expect(limit(phone) { $0.items = 12 } == .items)
    #expect(limit(phone) { $0.boxes = 30 } == .boxes)
    #expect(limit(phone) { $0.boxDepth = 3 } == .boxDepth)
    #expect(limit(phone) { $0.heicSide = 179 } == .side)
    #expect(limit(phone) { $0.pixels = 180 * 120 - 1 } == .pixels)
    // The canvas and its layers together: 150 by 100 pixels, and 64 by 64 and 64 by 48.
    let overlay = HEICSample.overlay
    let pixels = 150 * 100 + 64 * 64 + 64 * 48
    #expect(limit(overlay) { $0.pixels = pixels } == nil)
    #expect(limit(overlay) { $0.pixels = pixels - 1 } == .pixels)
    #expect(limit(overlay) { $0.tiles = 1 } == .tiles)
    var deep = HEICSample.plain
    deep.boxes = [(0..<17).reduce(isoBig(0, 4)) { body, _ in isoBox("udta", body) }]
    #expect(limit(deep) { _ in } == .boxDepth)
    var crowded = HEICSample.transparent
    crowded.references[0].to = Array(repeating: 1, count: 10_001)
    #expect(limit(crowded) { _ in } == .boxes)
    var many = HEICSample.plain
    many.boxes = [isoBox("moov", (0..<10_000).flatMap { _ in isoBox("trak") })]
    #expect(limit(many) { _ in } == .boxes)
  }
}
