/// The payload of a `grid` item (ISO 23008-12, 6.6.2.3).
struct HEICGrid {
  let rows, columns: Int
  let width, height: Int

  init(_ data: (bytes: [UInt8], range: Range<Int>), limits: ContainerLimits, offset: Int)
    throws(ContainerError)
  {
    // The payload has 8 or 12 bytes. A much longer one hides other data.
    guard data.range.count <= 64 else { throw .malformed("heif-grid", offset: offset) }
    var reader = ByteReader(data.bytes, in: data.range)
    _ = try reader.u8("grid")
    let size = try reader.u8("grid") & 1 == 1 ? 4 : 2
    rows = try reader.u8("grid") + 1
    columns = try reader.u8("grid") + 1
    width = try reader.big(size, "grid")
    height = try reader.big(size, "grid")
    try limits.check(rows * columns, .tiles, upTo: limits.tiles)
  }

  /// Returns `true` if tiles of this size cover the canvas and each shows a part of it. Gaps would show old memory
  /// contents. Superfluous tiles would only cost time, and libheif rejects them.
  func isCovered(byTilesOf tile: (width: Int, height: Int)) -> Bool {
    columns * tile.width >= width && rows * tile.height >= height
      && (columns - 1) * tile.width < width && (rows - 1) * tile.height < height
  }
}

/// The coded data of an `hvc1` item: NAL units, each preceded by its length (ISO 14496-15, 8.3.3.2).
struct HEVCData {
  private let bytes: [UInt8]
  private let range: Range<Int>

  init(_ data: (bytes: [UInt8], range: Range<Int>)) { (bytes, range) = data }

  /// Checks that the NAL units fill the item. Also checks that no parameter set, in the configuration or among the
  /// units, makes the decoder allocate another size than the item declares.
  ///
  /// - Returns: the units that decoders skip, searched for videos and pictures.
  func check(
    _ configuration: HEVCConfiguration, ispeSize: (width: Int, height: Int), offset: Int
  ) throws(ContainerError) -> [ContainerPart] {
    var skipped: [ContainerPart] = []
    var count = configuration.parameterSets.count
    for set in configuration.parameterSets {
      try check(set, ispeSize: ispeSize, offset: offset)
    }
    var reader = ByteReader(bytes, in: range)
    var units = 0
    while !reader.isAtEnd {
      units += 1
      guard units <= HEVCConfiguration.maxUnits else {
        throw .malformed("hevc-units", offset: offset)
      }
      let size = try reader.big(configuration.lengthBytes, "hvc1")
      guard size <= reader.remaining else { throw .malformed("hevc-unit-length", offset: offset) }
      let unit = try reader.range(size, for: "hvc1")
      guard size > 2 else { continue }
      let head = Int(bytes[unit.lowerBound]) << 8 | Int(bytes[unit.lowerBound + 1])
      let type = head >> 9 & 0x3F
      // Reserved or unspecified types (ITU-T H.265, table 7-1), and layers other than the base layer.
      if head & 0x1F8 != 0 || type > 40 || 22...31 ~= type || 10...15 ~= type {
        skipped += RemovedBytes.parts(of: unit, in: bytes, as: .unknown, origin: "NAL unit")
      } else if type == HEVCParameterSet.unitType, let set = try HEVCParameterSet(bytes, in: unit) {
        try check(set, ispeSize: ispeSize, offset: offset)
        count += 1
      }
    }
    guard count > 0 else { throw .malformed("hevc-parameter-set-missing", offset: offset) }
    return skipped
  }

  private func check(
    _ set: HEVCParameterSet, ispeSize: (width: Int, height: Int), offset: Int
  ) throws(ContainerError) {
    guard (set.width, set.height) == ispeSize else { throw .malformed("hevc-size", offset: offset) }
    // Coded sizes are padded to whole blocks of at most 64 pixels.
    guard set.codedWidth - set.width < 64, set.codedHeight - set.height < 64 else {
      throw .malformed("hevc-padding", offset: offset)
    }
  }
}
