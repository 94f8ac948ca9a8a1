extension HEICBuilder.Item {
  /// Returns a coded picture of `count` random bytes in one NAL unit.
  static func coded(
    _ id: Int, _ width: Int, _ height: Int, chroma: Int = 1, depth: Int = 8, count: Int = 40,
    also properties: [[UInt8]] = []
  ) -> Self {
    var random = SeededNumbers(state: UInt64(id))
    let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    return Self(
      id: id, type: "hvc1", data: isoBig(count + 2, 4) + [0x26, 1] + payload,
      properties: [
        ISOProperty.ispe(width, height),
        ISOProperty.hvcC(width, height, chroma: chroma, depth: depth),
      ] + properties)
  }

  static func grid(
    _ id: Int, rows: Int, columns: Int, _ width: Int, _ height: Int, isWide: Bool = false,
    also properties: [[UInt8]] = []
  ) -> Self {
    let size = isWide ? 4 : 2
    return Self(
      id: id, type: "grid",
      data: [0, isWide ? 1 : 0, UInt8(rows - 1), UInt8(columns - 1)] + isoBig(width, size)
        + isoBig(height, size), properties: [ISOProperty.ispe(width, height)] + properties)
  }

  /// Returns an overlay of pictures at these positions on a canvas with an opaque fill.
  static func overlay(
    _ id: Int, _ width: Int, _ height: Int, _ places: [(left: Int, top: Int)],
    isWide: Bool = false, fill: [Int] = [0x8000, 0, 0xFFFF, 0xFFFF], also properties: [[UInt8]] = []
  ) -> Self {
    let size = isWide ? 4 : 2
    return Self(
      id: id, type: "iovl",
      data: [0, isWide ? 1 : 0] + fill.flatMap { isoBig($0, 2) } + isoBig(width, size)
        + isoBig(height, size)
        + places.flatMap { isoBig($0.left, size) + isoBig($0.top, size) },
      properties: [ISOProperty.ispe(width, height)] + properties)
  }

  static func exif(_ id: Int, _ payload: String = "marker-exif") -> Self {
    Self(id: id, type: "Exif", data: isoBig(6, 4) + isoText("Exif\0\0") + isoText(payload))
  }

  static func xmp(_ id: Int, _ payload: String = "marker-xmp") -> Self {
    Self(id: id, type: "mime", data: isoText(payload), contentType: "application/rdf+xml")
  }
}

/// Files like those of phones.
enum HEICSample {
  static let alpha = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
  static let gainMap = "urn:com:apple:photo:2020:aux:hdrgainmap"
  static let depth = "urn:mpeg:hevc:2015:auxid:2"

  /// An identity derivation that crops a turned picture, with EXIF.
  static let identity = HEICBuilder(
    items: [
      .init(
        id: 1, type: "iden", data: [],
        properties: [ISOProperty.ispe(40, 60), ISOProperty.clap(40, 1, 60, 1, 0, 1, 0, 1)]),
      .coded(2, 64, 48, also: [ISOProperty.irot(1)]), .exif(3),
    ], references: [("dimg", 1, [2]), ("cdsc", 3, [1])])

  /// One coded picture alone.
  static let plain = HEICBuilder(items: [.coded(1, 64, 48)])

  /// A file like a current iPhone's: a turned grid with thumbnail, gain map, tone map, depth map, EXIF and XMP.
  /// References from the metadata and the gain map name both the picture and the tone map.
  static let phone: HEICBuilder = {
    var builder = HEICBuilder()
    builder.primary = 7
    for id in 1...6 { builder.items.append(.coded(id, 64, 64)) }
    builder.items.append(
      .grid(
        7, rows: 2, columns: 3, 180, 120,
        also: [ISOProperty.irot(3), ISOProperty.colr(profile: [1, 2, 3])]))
    builder.items.append(.coded(8, 32, 32))
    builder.items.append(
      .coded(9, 90, 60, chroma: 0, also: [ISOProperty.auxC(gainMap)]))
    builder.items.append(
      .init(id: 10, type: "tmap", data: isoBig(0, 62), properties: [ISOProperty.ispe(180, 120)]))
    builder.items.append(.coded(11, 40, 30, chroma: 0, also: [ISOProperty.auxC(depth)]))
    builder.items.append(.exif(12))
    builder.items.append(.xmp(13))
    builder.references = [
      ("dimg", 7, [1, 2, 3, 4, 5, 6]), ("thmb", 8, [7]), ("auxl", 9, [7, 10]),
      ("dimg", 10, [7, 9]), ("auxl", 11, [7]), ("cdsc", 12, [7, 10]), ("cdsc", 13, [7]),
    ]
    builder.inItemData = [7]
    return builder
  }()

  /// A picture with an alpha of the same size, premultiplied.
  static let transparent: HEICBuilder = {
    var builder = HEICBuilder(items: [
      .coded(1, 50, 34, chroma: 3),
      .coded(2, 50, 34, chroma: 0, also: [ISOProperty.auxC(alpha)]),
    ])
    builder.references = [("auxl", 2, [1]), ("prem", 1, [2])]
    return builder
  }()

  /// A grid, and on top of it a picture of 10 bits with an alpha, on a turned canvas.
  static let overlay: HEICBuilder = {
    var builder = HEICBuilder(items: [
      .overlay(1, 150, 100, [(0, 0), (-10, 70)], also: [ISOProperty.irot(1)]),
      .grid(2, rows: 1, columns: 1, 64, 64), .coded(3, 64, 64),
      .coded(4, 64, 48, depth: 10, also: [ISOProperty.colr(codePoints: 12, 13, 6)]),
      .coded(5, 64, 48, chroma: 0, also: [ISOProperty.auxC(alpha)]),
    ])
    builder.references = [("dimg", 1, [2, 4]), ("dimg", 2, [3]), ("auxl", 5, [4])]
    builder.inItemData = [1]
    return builder
  }()

  static let all = [plain, phone, transparent, overlay]
}
