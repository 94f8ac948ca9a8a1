/// The primary picture of an ordinary HEIC as HEVC streams for a decoder: one or a grid of tiles,
/// 8 bits, 4:2:0, without alpha, at most turned by quarters. That is what phones write.
public struct HEVCPicture: Sendable, Equatable {
  /// Pixels of the canvas before it is turned.
  public var width, height: Int
  /// Pixels of one tile; the last ones may stick out of the canvas.
  public var tileWidth, tileHeight: Int
  /// Tiles in one row.
  public var columns: Int
  /// The tiles row by row.
  public var tiles: [Tile]
  /// What `irot` says, as the EXIF orientation 1, 3, 6 or 8 that stands the picture upright.
  public var orientation: Int

  /// One HEVC picture.
  public struct Tile: Sendable, Equatable {
    /// Its NAL units in the file, parameter sets first, without start codes or lengths.
    public var units: [Range<Int>]
    /// Matrix coefficients and range (ITU-T H.273) from the file; nil: those of the stream hold.
    public var matrix: Matrix?
  }

  /// How luma and chroma make red, green and blue (ITU-T H.273, 8.3).
  public struct Matrix: Sendable, Equatable {
    /// MatrixCoefficients.
    public var coefficients: Int
    /// VideoFullRangeFlag.
    public var isFullRange: Bool

    /// A matrix by its code points.
    public init(coefficients: Int, isFullRange: Bool) {
      (self.coefficients, self.isFullRange) = (coefficients, isFullRange)
    }
  }
}

extension HEICContainer {
  /// The primary picture's streams, nil when it is not ordinary in the sense of `HEVCPicture`.
  ///
  /// - Throws: what `walk` throws; `.malformed("hevc-start-code")` for coded data that was
  ///   overwritten with zeros.
  public static func ordinaryPicture(
    in bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> HEVCPicture? {
    let meta = try HEICFile(bytes, limits: limits).meta
    let picture = try HEICPicture(meta, limits: limits)
    let primary = meta.properties(of: meta.primary.id)
    guard !picture.hasAlpha, let canvas = primary.pictureSize,
      let orientation = primary.orientationOfTurn
    else { return nil }

    let isGrid = meta.primary.type == "grid"
    let ids = isGrid ? picture.items[0].tiles : [meta.primary.id]
    var tiles: [HEVCPicture.Tile] = []
    var tileSize = canvas
    var columns = 1
    for id in ids {
      let properties = meta.properties(of: id)
      guard let configuration = properties.configuration, configuration.chromaFormat == 1,
        configuration.bitDepth == 8, let size = properties.pictureSize,
        !isGrid || !properties.contains(where: \.isTransformation),
        let units = try meta.units(of: id, properties)
      else { return nil }
      tileSize = size
      tiles.append(.init(units: units, matrix: properties.matrix))
    }
    if isGrid {
      let data = meta.joined(try meta.neededRanges(of: meta.primary.id))
      columns = try HEICGrid(data, limits: limits, offset: data.range.lowerBound).columns
    }
    return HEVCPicture(
      width: canvas.width, height: canvas.height, tileWidth: tileSize.width,
      tileHeight: tileSize.height, columns: columns, tiles: tiles, orientation: orientation)
  }
}

extension HEICMeta {
  /// The NAL units a decoder is given for a coded item; nil when its data lies in pieces.
  fileprivate func units(
    of id: Int, _ properties: [HEICProperty]
  ) throws(ContainerError) -> [Range<Int>]? {
    guard let property = properties.first(where: { $0.box.type == "hvcC" }),
      case .hevc(let configuration) = property.value
    else { return nil }
    let ranges = try neededRanges(of: id)
    guard ranges.count == 1 else { return nil }
    var units = try HEVCConfiguration.units(property.box, bytes)
    var reader = ByteReader(bytes, in: ranges[0])
    while !reader.isAtEnd {
      let size = try reader.big(configuration.lengthBytes, "hvc1")
      let unit = try reader.range(size, for: "hvc1")
      if let place = HEVCUnit.startCode(in: unit, of: bytes) {
        throw .malformed("hevc-start-code", offset: place)
      }
      units.append(unit)
    }
    return units
  }
}

extension HEVCConfiguration {
  /// The parameter sets of a configuration (`hvcC`, ISO 14496-15, 8.3.3.1).
  fileprivate static func units(
    _ box: ISOBox, _ bytes: [UInt8]
  ) throws(ContainerError) -> [Range<Int>] {
    var reader = ByteReader(bytes, in: box.body)
    try reader.skip(22, for: "hvcC")
    var units: [Range<Int>] = []
    for _ in 0..<(try reader.u8("hvcC")) {
      try reader.skip(1, for: "hvcC")
      for _ in 0..<(try reader.big(2, "hvcC")) {
        units.append(try reader.range(try reader.big(2, "hvcC"), for: "hvcC"))
      }
    }
    return units
  }
}

extension [HEICProperty] {
  /// The EXIF orientation that does what rotations do; nil when something else moves pixels.
  fileprivate var orientationOfTurn: Int? {
    var turns = 0
    for property in self {
      switch property.value {
      case .rotation(let quarter): turns += quarter
      case .mirror, .crop: return nil
      default: break
      }
    }
    // Against the clock, as `irot` counts.
    return [1, 8, 3, 6][turns & 3]
  }

  /// The last `nclx`, as libheif takes it.
  fileprivate var matrix: HEVCPicture.Matrix? {
    for property in reversed() {
      if case .codePoints(_, _, let matrix, let fullRange) = property.value {
        return .init(coefficients: matrix, isFullRange: fullRange)
      }
    }
    return nil
  }
}
