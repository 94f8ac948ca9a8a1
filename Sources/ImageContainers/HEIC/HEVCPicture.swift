/// The picture of a HEIC as HEVC streams for a decoder: one, or a grid of tiles, cropped and
/// turned.
package struct HEVCPicture: Sendable, Equatable {
  /// Pixels of the canvas before it is cropped and turned.
  package var width, height: Int
  /// Pixels of one tile; the last ones may stick out of the canvas.
  package var tileWidth, tileHeight: Int
  /// Tiles in one row.
  package var columns: Int
  /// The tiles row by row.
  package var tiles: [Tile]
  /// Bits of a sample, 8, 10 or 12, of luma and of chroma.
  package var bitDepth: Int
  /// What is seen of the canvas (`clap`).
  package var crop: Crop
  /// What `irot` and `imir` say, as the EXIF orientation that stands the crop upright.
  package var orientation: Int

  /// A picture and its transparency.
  package struct Streams: Sendable {
    /// The colors.
    package var color: HEVCPicture
    /// The alpha, which may have another size or bit depth.
    package var alpha: HEVCPicture?
    /// Whether the colors are multiplied with the alpha.
    package var isPremultiplied = false
    /// Whether libheif would show the picture without its alpha, or wrongly.
    package var takesOurDecoder = false
  }

  /// One HEVC picture.
  package struct Tile: Sendable, Equatable {
    /// Its NAL units in the file, parameter sets first, without start codes or lengths.
    package var units: [Range<Int>]
    /// Matrix coefficients and range (ITU-T H.273) from the file; nil: those of the stream hold.
    package var matrix: Matrix?
  }

  /// Returns an alpha without what it is larger by than its picture, if that is less than the smallest block:
  /// coders fill blocks up.
  fileprivate func trimmed(to color: HEVCPicture) -> HEVCPicture {
    let isTurned = (orientation >= 5) != (color.orientation >= 5)
    var alpha = self
    alpha.crop.width = isTurned ? color.crop.height : color.crop.width
    alpha.crop.height = isTurned ? color.crop.width : color.crop.height
    let isClose =
      (0..<8).contains(crop.width - alpha.crop.width)
      && (0..<8).contains(crop.height - alpha.crop.height)
    return isClose ? alpha : self
  }

  /// Adds what still has to be done to the picture, as EXIF orientation.
  package mutating func orient(_ next: Int) {
    // Quarters against the clock, after a mirroring from left to right in the second half.
    let orientations = [1, 8, 3, 6, 2, 5, 4, 7]
    guard let first = orientations.firstIndex(of: orientation),
      let second = orientations.firstIndex(of: next)
    else { return }
    // A mirroring that comes later turns the other way.
    let quarters = second < 4 ? second + first : second - first
    orientation = orientations[(first ^ second) & 4 | quarters & 3]
  }

  /// A part of the canvas in pixels.
  package struct Crop: Sendable, Equatable {
    /// The first column and the first row.
    package var left, top: Int
    /// Columns and rows.
    package var width, height: Int

    /// A part of these columns and rows.
    package init(left: Int, top: Int, width: Int, height: Int) {
      self.left = left
      self.top = top
      self.width = width
      self.height = height
    }
  }

  /// How luma and chroma make red, green and blue (ITU-T H.273, 8.3).
  package struct Matrix: Sendable, Equatable {
    /// MatrixCoefficients.
    package var coefficients: Int
    /// VideoFullRangeFlag.
    package var isFullRange: Bool

    /// A matrix by its code points.
    package init(coefficients: Int, isFullRange: Bool) {
      self.coefficients = coefficients
      self.isFullRange = isFullRange
    }
  }
}

extension HEICContainer {
  /// Returns the primary picture's streams and those of its alpha; nil when only libheif can put
  /// the picture together: an overlay, tiles with an alpha of their own, a crop after a turn, data in
  /// pieces, or samples that are not of 8, 10 or 12 bits alike.
  ///
  /// - Throws: what `parse` throws; `.incomplete("hevc-start-code")` for coded data that was
  ///   overwritten with zeros; `.unsupported("heif-alpha")` when libheif cannot do it either.
  package static func streams(
    in bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> HEVCPicture.Streams? {
    let meta = try HEICFile(bytes, limits: limits).meta
    let picture = try HEICPicture(meta, limits: limits)
    let primary = picture.items[0]
    let alphas = picture.items.filter { !$0.alphaOf.isEmpty }
    if let color = try meta.streams(of: primary, limits: limits) {
      guard picture.hasAlpha else { return .init(color: color) }
      if alphas.count == 1, alphas[0].alphaOf == [primary.id],
        let alpha = try meta.streams(of: alphas[0], limits: limits)
      {
        return .init(
          color: color, alpha: alpha.trimmed(to: color),
          isPremultiplied: primary.premultipliedBy != nil, takesOurDecoder: picture.hasAlphaApart)
      }
    }
    guard !picture.hasAlphaApart else { throw .unsupported("heif-alpha") }
    return nil
  }
}

extension HEICMeta {
  fileprivate func streams(
    of item: HEICPicture.Item, limits: ContainerLimits
  ) throws(ContainerError) -> HEVCPicture? {
    let own = properties(of: item.id)
    let isGrid = item.type == "grid"
    guard isGrid || item.type == "hvc1", let canvas = own.pictureSize else { return nil }
    var tiles: [HEVCPicture.Tile] = []
    var tileSize = canvas
    var bitDepth = 8
    for id in isGrid ? item.tiles : [item.id] {
      let properties = properties(of: id)
      guard let configuration = properties.configuration,
        [8, 10, 12].contains(configuration.bitDepth),
        configuration.bitDepth == configuration.chromaBitDepth,
        configuration.parameterSets.allSatisfy(\.hasEqualDepths),
        tiles.isEmpty || configuration.bitDepth == bitDepth, let size = properties.pictureSize,
        !isGrid || !properties.contains(where: \.isTransformation),
        let units = try units(of: id, properties)
      else { return nil }
      tileSize = size
      bitDepth = configuration.bitDepth
      tiles.append(.init(units: units, matrix: properties.matrix))
    }
    var columns = 1
    if isGrid {
      let data = joined(try neededRanges(of: item.id))
      columns = try HEICGrid(data, limits: limits, offset: data.range.lowerBound).columns
    }
    var picture = HEVCPicture(
      width: canvas.width, height: canvas.height, tileWidth: tileSize.width,
      tileHeight: tileSize.height, columns: columns, tiles: tiles, bitDepth: bitDepth,
      crop: .init(left: 0, top: 0, width: canvas.width, height: canvas.height), orientation: 1)
    for step in own.steps(width: canvas.width, height: canvas.height) {
      switch step {
      case .crop(let left, let top, let width, let height):
        guard picture.orientation == 1 else { return nil }
        picture.crop = .init(
          left: picture.crop.left + left, top: picture.crop.top + top, width: width, height: height)
      case .orient(let orientation): picture.orient(orientation)
      }
    }
    return picture
  }

  /// Returns the NAL units a decoder is given for a coded item; nil when its data lies in pieces.
  fileprivate func units(
    of id: Int, _ properties: [HEICProperty]
  ) throws(ContainerError) -> [Range<Int>]? {
    let ranges = try neededRanges(of: id)
    guard ranges.count == 1, let configuration = properties.configuration else { return nil }
    var units = configuration.units
    var reader = ByteReader(bytes, in: ranges[0])
    while !reader.isAtEnd {
      let size = try reader.big(configuration.lengthBytes, "hvc1")
      let unit = try reader.range(size, for: "hvc1")
      if HEVCUnit.startCode(in: unit, of: bytes) != nil {
        throw .incomplete("hevc-start-code", percentShown: nil)
      }
      units.append(unit)
    }
    return units
  }
}

extension [HEICProperty] {
  /// The last `nclx`, as libheif takes it.
  var matrix: HEVCPicture.Matrix? {
    for property in reversed() {
      if case .codePoints(_, _, let matrix, let fullRange) = property.value {
        return .init(coefficients: matrix, isFullRange: fullRange)
      }
    }
    return nil
  }
}

/// NAL units of HEVC (ITU-T H.265, 7.3.1).
enum HEVCUnit {
  /// Returns where a unit breaks the rule that no three of its bytes may look like a start code
  /// (7.4.2): two zeros and a byte up to 2, or a 3 that escapes nothing. Nil for a sound unit.
  ///
  /// Coders insert an escape wherever these would come up. So bytes that were lost and read as zeros
  /// are found in coded data, which decoders take for a picture; and no file can hide a unit within
  /// a unit.
  static func startCode(in unit: Range<Int>, of bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var place = unit.lowerBound + 2
      while place < unit.upperBound {
        let byte = bytes[place]
        let isThird = byte <= 3 && bytes[place - 1] == 0 && bytes[place - 2] == 0
        if isThird {
          // At the very end a 3 may follow: padding of the coder's (7.4.3.10).
          let isEscape =
            byte == 3 && (place + 1 == unit.upperBound || bytes[place + 1] <= 3)
          if !isEscape { return place - 2 }
        }
        // After anything but a zero the next two bytes cannot be third.
        place += byte == 0 ? 1 : 3
      }
      return nil
    }
  }
}

extension HEVCPicture {
  /// The rows or columns of tiles, in the order in which they follow each other from top to bottom once
  /// the picture stands upright: decoded one after the other and put below each other they are the
  /// upright picture. All of it in one where the crop leaves out a whole row or column.
  package var strips: [HEVCPicture] {
    let isOnItsSide = orientation >= 5
    let rows = tiles.count / max(columns, 1)
    guard columns > 0, rows * columns == tiles.count else { return [self] }
    let lines = (0..<(isOnItsSide ? columns : rows)).map { line in
      isOnItsSide ? column(line, rows: rows) : row(line)
    }
    guard lines.allSatisfy({ $0.crop.width > 0 && $0.crop.height > 0 }) else { return [self] }
    // Upright, the last stored row or column comes first.
    return [3, 4, 7, 8].contains(orientation) ? lines.reversed() : lines
  }

  private func row(_ line: Int) -> HEVCPicture {
    var strip = self
    strip.tiles = Array(tiles[line * columns..<(line + 1) * columns])
    strip.height = tileHeight
    (strip.crop.top, strip.crop.height) = Self.share(
      of: line, thick: tileHeight, from: crop.top, count: crop.height)
    return strip
  }

  private func column(_ line: Int, rows: Int) -> HEVCPicture {
    var strip = self
    strip.tiles = (0..<rows).map { tiles[$0 * columns + line] }
    strip.columns = 1
    strip.width = tileWidth
    (strip.crop.left, strip.crop.width) = Self.share(
      of: line, thick: tileWidth, from: crop.left, count: crop.width)
    return strip
  }

  /// Returns what of `count` rows or columns after `from` lies in a line, counted from the line's first.
  private static func share(
    of line: Int, thick: Int, from: Int, count: Int
  ) -> (first: Int, count: Int) {
    let first = max(from - line * thick, 0)
    return (first, min(from + count - line * thick, thick) - first)
  }
}
