/// The rows of a picture on their way out of its zlib stream: held against what the header says, and
/// noted what their pixels use (W3C PNG Third Edition, 7 to 9).
struct PNGRows {
  /// What is wrong with them, nil when nothing is.
  private(set) var isBroken = false
  /// Bytes behind the last row.
  private(set) var surplus = 0
  /// Whether bits between the last pixel of a row and the next byte are set.
  private(set) var hasPadding = false
  private(set) var use: PNGUse

  private let header: PNGHeader
  private let transparentColor: [UInt8]
  private let looksAtPixels: Bool
  /// Takes each row when they have to be written again.
  private let writesClean: Bool
  private(set) var clean: [UInt8] = []
  /// Rows still to come, the next one last.
  private var passes: [(width: Int, height: Int)]
  private var rowsTaken = 0
  private var pending: [UInt8] = []
  private var above: [UInt8] = []

  /// - Parameter cleansPadding: whether `clean` gets rows without filters and padding instead of the
  ///   rows as they come.
  init(
    header: PNGHeader, width: Int, height: Int, transparentColor: [UInt8], use: PNGUse,
    cleansPadding: Bool = false
  ) {
    self.header = header
    (self.transparentColor, self.use, writesClean) = (transparentColor, use, cleansPadding)
    looksAtPixels =
      header.colorType == .palette || header.bitDepth < 8 || !transparentColor.isEmpty
    passes = Self.passes(width, height, isInterlaced: header.isInterlaced).reversed()
  }

  var isWhole: Bool { !isBroken && passes.isEmpty }

  /// The sizes of the seven passes of Adam7 that have a pixel, or the whole (8.2).
  private static func passes(
    _ width: Int, _ height: Int, isInterlaced: Bool
  ) -> [(width: Int, height: Int)] {
    guard isInterlaced else { return [(width, height)] }
    var passes: [(width: Int, height: Int)] = []
    for (x, y, xStep, yStep) in [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ] where width > x && height > y {
      passes.append(((width - x + xStep - 1) / xStep, (height - y + yStep - 1) / yStep))
    }
    return passes
  }

  private var pixelBits: Int { header.bitDepth * header.colorType.channels }

  /// Takes what comes out of the stream; gives the bytes that belong to rows.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    clean.removeAll(keepingCapacity: true)
    var bytes = bytes
    while let pass = passes.last, !bytes.isEmpty {
      let rowBytes = 1 + (pass.width * pixelBits + 7) / 8
      if pending.isEmpty, bytes.count >= rowBytes {
        takeRow(bytes.prefix(rowBytes), width: pass.width)
        bytes = bytes.dropFirst(rowBytes)
      } else {
        let part = bytes.prefix(rowBytes - pending.count)
        pending += part
        bytes = bytes.dropFirst(part.count)
        guard pending.count == rowBytes else { return }
        let row = pending
        pending.removeAll(keepingCapacity: true)
        takeRow(row[...], width: pass.width)
      }
      rowsTaken += 1
      if rowsTaken == pass.height {
        passes.removeLast()
        (rowsTaken, above) = (0, [])
      }
    }
    surplus += bytes.count
  }

  private mutating func takeRow(_ bytes: ArraySlice<UInt8>, width: Int) {
    let filter = bytes[bytes.startIndex]
    guard filter <= 4 else {
      isBroken = true
      return
    }
    guard looksAtPixels else {
      clean += bytes
      return
    }
    let row = Self.unfiltered(
      bytes.dropFirst(), filter: filter, above: above, pixelBytes: max(1, pixelBits / 8))
    let unusedBits = row.count * 8 - width * pixelBits
    if unusedBits > 0, row[row.count - 1] & (1 << UInt8(unusedBits) - 1) != 0 {
      hasPadding = true
    }
    look(at: row, width: width)
    if writesClean {
      clean += [0] + row
      clean[clean.count - 1] &= 0xFF << UInt8(unusedBits)
    } else {
      clean += bytes
    }
    // Filters reckon with the padding as it came.
    above = row
  }

  private static func unfiltered(
    _ bytes: ArraySlice<UInt8>, filter: UInt8, above: [UInt8], pixelBytes: Int
  ) -> [UInt8] {
    var row = Array(bytes)
    guard filter > 0 else { return row }
    for index in row.indices {
      let left = index >= pixelBytes ? Int(row[index - pixelBytes]) : 0
      let up = above.isEmpty ? 0 : Int(above[index])
      let corner = above.isEmpty || index < pixelBytes ? 0 : Int(above[index - pixelBytes])
      let guess: Int
      switch filter {
      case 1: guess = left
      case 2: guess = up
      case 3: guess = (left + up) / 2
      default:
        let estimate = left + up - corner
        let (toLeft, toUp, toCorner) = (
          abs(estimate - left), abs(estimate - up), abs(estimate - corner)
        )
        guess = toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
      }
      row[index] &+= UInt8(truncatingIfNeeded: guess)
    }
    return row
  }

  /// Notes the entries of the palette, or whether the transparent color is among the pixels.
  private mutating func look(at row: [UInt8], width: Int) {
    let depth = header.bitDepth
    func sample(_ index: Int) -> Int {
      Int(row[index * depth / 8]) >> (8 - depth - index * depth % 8) & (1 << depth - 1)
    }
    if header.colorType == .palette {
      for x in 0..<width { use.entries[sample(x)] = true }
    } else if !transparentColor.isEmpty, !use.hasTransparentColor {
      let channels = header.colorType.channels
      use.hasTransparentColor = (0..<width).contains { x in
        (0..<channels).allSatisfy { sample(x * channels + $0) == Int(transparentColor[$0]) }
      }
    }
  }
}

/// What of palette and transparency the pixels of a file use.
struct PNGUse {
  var entries = [Bool](repeating: false, count: 256)
  var hasTransparentColor = false
}
