/// The picture of a HEIC as HEVC streams for a decoder: one picture or a grid of tiles, with crop and orientation.
package struct HEVCPicture: Sendable, Equatable {
  /// The size of the canvas in pixels, before crop and orientation.
  package var width, height: Int
  /// The size of a tile in pixels. The last tiles may extend beyond the canvas.
  package var tileWidth, tileHeight: Int
  /// The number of tiles in a row.
  package var columns: Int
  /// The tiles in row order.
  package var tiles: [Tile]
  /// The bits per sample of luma and chroma: 8, 10 or 12.
  package var bitDepth: Int
  /// The visible part of the canvas (`clap`).
  package var crop: Crop
  /// The effect of `irot` and `imir` as the EXIF orientation that turns the crop upright.
  package var orientation: Int

  /// A picture and its transparency.
  package struct Streams: Sendable {
    /// The colors.
    package var color: HEVCPicture
    /// The alpha, which may have another size or bit depth.
    package var alpha: HEVCPicture?
    /// `true` if the colors are premultiplied with the alpha.
    package var isPremultiplied = false
    /// `true` if only FFmpeg's decoder may be used, because libheif would show the picture without its alpha or
    /// incorrectly.
    package var takesOurDecoder = false
  }

  /// One HEVC picture.
  package struct Tile: Sendable, Equatable {
    /// The ranges of the NAL units in the file, parameter sets first, without start codes or lengths.
    package var units: [Range<Int>]
    /// The matrix coefficients and range (ITU-T H.273) from the file, or `nil` to use those of the stream.
    package var matrix: Matrix?
  }

  /// Returns this alpha cropped to the size of its picture `color` if it is fewer than 8 pixels larger. Encoders pad
  /// pictures to whole blocks, and the smallest block has 8 pixels per side.
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

  /// Adds another transformation of the picture, given as EXIF orientation.
  package mutating func orient(_ next: Int) {
    // The EXIF orientations of 0 to 3 quarter turns counterclockwise, first without and then with a horizontal
    // mirroring before the turn.
    let orientations = [1, 8, 3, 6, 2, 5, 4, 7]
    guard let first = orientations.firstIndex(of: orientation),
      let second = orientations.firstIndex(of: next)
    else { return }
    // After a mirroring, earlier turns have the opposite direction.
    let quarters = second < 4 ? second + first : second - first
    orientation = orientations[(first ^ second) & 4 | quarters & 3]
  }

  /// A part of the canvas in pixels.
  package struct Crop: Sendable, Equatable {
    /// The first column and the first row.
    package var left, top: Int
    /// The numbers of columns and rows.
    package var width, height: Int

    /// Creates a part with these columns and rows.
    package init(left: Int, top: Int, width: Int, height: Int) {
      self.left = left
      self.top = top
      self.width = width
      self.height = height
    }
  }

  /// The conversion of luma and chroma to red, green and blue (ITU-T H.273, 8.3).
  package struct Matrix: Sendable, Equatable {
    /// The MatrixCoefficients.
    package var coefficients: Int
    /// The VideoFullRangeFlag.
    package var isFullRange: Bool

    /// Creates a matrix from its code points.
    package init(coefficients: Int, isFullRange: Bool) {
      self.coefficients = coefficients
      self.isFullRange = isFullRange
    }
  }
}

extension HEICContainer {
  /// Returns the streams of the primary picture and of its alpha. Returns `nil` if only libheif can assemble the
  /// picture: an overlay, tiles with their own alpha, a crop after a turn, data in several ranges, or samples that
  /// don't all have 8, 10 or 12 bits.
  ///
  /// - Throws: the errors of `ImageContainer.parse`; `.incomplete("hevc-start-code")` if coded data was overwritten
  ///   with zeros; `.unsupported("heif-alpha")` if libheif can't assemble the picture either.
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
          isPremultiplied: primary.premultipliedBy != nil, takesOurDecoder: picture.hasSeparateAlpha
        )
      }
    }
    guard !picture.hasSeparateAlpha else { throw .unsupported("heif-alpha") }
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

  /// Returns the NAL units of a coded item for a decoder, or `nil` if its data has several ranges.
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
  /// The matrix in the last `nclx`, which is the one that libheif uses.
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
  /// Returns the position at which a unit violates the rule that no three of its bytes may look like a start code
  /// (7.4.2): two zeros followed by a byte up to 2, or by a 3 that doesn't escape anything. Returns `nil` for a valid
  /// unit.
  ///
  /// Encoders insert an escape byte at each such position. The check therefore finds coded data that was lost and
  /// replaced by zeros, which decoders would accept as a picture. It also ensures that no unit is hidden within
  /// another.
  static func startCode(in unit: Range<Int>, of bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var place = unit.lowerBound + 2
      while place < unit.upperBound {
        let byte = bytes[place]
        let isThird = byte <= 3 && bytes[place - 1] == 0 && bytes[place - 2] == 0
        if isThird {
          // At the very end, the encoder may have added a 3 as padding (7.4.3.10).
          let isEscape =
            byte == 3 && (place + 1 == unit.upperBound || bytes[place + 1] <= 3)
          if !isEscape { return place - 2 }
        }
        // After a nonzero byte, neither of the next two bytes can be the third of a sequence.
        place += byte == 0 ? 1 : 3
      }
      return nil
    }
  }
}

extension HEVCPicture {
  /// The rows or columns of tiles, from top to bottom of the upright picture. Decoded one after the other and stacked,
  /// they form the upright picture. If the crop leaves out a whole row or column, the only element is the whole
  /// picture.
  package var strips: [HEVCPicture] {
    let isOnItsSide = orientation >= 5
    let rows = tiles.count / max(columns, 1)
    guard columns > 0, rows * columns == tiles.count else { return [self] }
    let lines = (0..<(isOnItsSide ? columns : rows)).map { line in
      isOnItsSide ? column(line, rows: rows) : row(line)
    }
    guard lines.allSatisfy({ $0.crop.width > 0 && $0.crop.height > 0 }) else { return [self] }
    // In these orientations, the last stored row or column is at the top.
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

  /// Returns the part of a crop that is in a line of tiles. The crop has `count` rows or columns from `from`; the
  /// result counts from the first one of the line.
  private static func share(
    of line: Int, thick: Int, from: Int, count: Int
  ) -> (first: Int, count: Int) {
    let first = max(from - line * thick, 0)
    return (first, min(from + count - line * thick, thick) - first)
  }
}
