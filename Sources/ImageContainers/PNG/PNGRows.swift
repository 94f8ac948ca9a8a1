/// The rows of a picture on their way out of its zlib stream: held against what the header says, and
/// noted what their pixels use (W3C PNG Third Edition, 7 to 9).
struct PNGRows {
  private(set) var isBroken = false
  /// Pixels that there should be, and those of the rows that came.
  let pixelCount: Int
  private(set) var pixelsShown = 0
  /// Bytes after the last row.
  private(set) var surplus = 0
  /// Whether bits between the last pixel of a row and the next byte are set.
  private(set) var hasPadding = false
  /// Whether a pixel that is wholly transparent has a color.
  private(set) var hasHiddenColor = false
  private(set) var use: PNGUse

  private let header: PNGHeader
  private let transparentColor: [UInt8]
  private let looksAtPixels: Bool
  /// The entry that is written for each entry of a palette; nil when rows stay as they come.
  private let entries: [UInt8]?
  private(set) var clean: [UInt8] = []
  private var cleanAbove: [UInt8] = []
  /// Rows still to come, the next one last.
  private var passes: [(width: Int, height: Int)]
  private var rowsTaken = 0
  private var pending: [UInt8] = []
  private var above: [UInt8] = []

  /// - Parameter entries: what is written for each entry of a palette; `clean` then gets rows without
  ///   padding and without colors of transparent pixels instead of the rows as they come.
  init(
    header: PNGHeader, width: Int, height: Int, transparentColor: [UInt8], use: PNGUse,
    writing entries: [UInt8]? = nil
  ) {
    self.header = header
    (self.transparentColor, self.use, self.entries) = (transparentColor, use, entries)
    pixelCount = width * height
    looksAtPixels =
      header.bitDepth <= 8
      && (header.colorType == .palette || header.bitDepth < 8 || !transparentColor.isEmpty
        || header.colorType.hasAlpha)
    passes = header.passes(width, height).reversed()
  }

  var isComplete: Bool { !isBroken && passes.isEmpty }

  private var pixelBits: Int { header.bitDepth * header.colorType.channels }

  /// Takes what comes out of the stream; gives the bytes that belong to rows.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    clean.removeAll(keepingCapacity: true)
    guard !isBroken else { return }
    var bytes = bytes
    while let pass = passes.last, !bytes.isEmpty {
      let rowBytes = 1 + header.rowBytes(pass.width)
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
      guard !isBroken else { return }
      rowsTaken += 1
      pixelsShown += pass.width
      if rowsTaken == pass.height {
        passes.removeLast()
        (rowsTaken, above, cleanAbove) = (0, [], [])
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
    if entries != nil {
      var shown = row
      if header.colorType.hasAlpha { clearHiddenColors(of: &shown) }
      if header.colorType == .palette { replaceEntries(of: &shown, width: width) }
      shown[shown.count - 1] &= 0xFF << UInt8(unusedBits)
      // The filter that was best for the row is so still.
      let kept = header.colorType.hasAlpha ? filter : 0
      clean.append(kept)
      clean += Self.filtered(shown, filter: kept, above: cleanAbove, pixelBytes: pixelBits / 8)
      cleanAbove = shown
    } else {
      clean += bytes
    }
    // Filters work on what came, padding and hidden colors included.
    above = row
  }

  /// Sets the color of pixels that are wholly transparent to zero.
  private func clearHiddenColors(of row: inout [UInt8]) {
    let channels = header.colorType.channels
    for alpha in stride(from: channels - 1, to: row.count, by: channels) where row[alpha] == 0 {
      for index in alpha - channels + 1..<alpha { row[index] = 0 }
    }
  }

  private func replaceEntries(of row: inout [UInt8], width: Int) {
    guard let entries else { return }
    let depth = header.bitDepth
    for x in 0..<width {
      let shift = 8 - depth - x * depth % 8
      let entry = Int(row[x * depth / 8]) >> shift & (1 << depth - 1)
      row[x * depth / 8] ^= (UInt8(entry) ^ entries[entry]) << UInt8(shift)
    }
  }

  private static func unfiltered(
    _ bytes: ArraySlice<UInt8>, filter: UInt8, above: [UInt8], pixelBytes: Int
  ) -> [UInt8] {
    var row = Array(bytes)
    guard filter > 0 else { return row }
    for index in row.indices {
      row[index] &+= prediction(filter, row, above, index, pixelBytes)
    }
    return row
  }

  private static func filtered(
    _ row: [UInt8], filter: UInt8, above: [UInt8], pixelBytes: Int
  ) -> [UInt8] {
    guard filter > 0 else { return row }
    var bytes = row
    for index in bytes.indices {
      bytes[index] &-= prediction(filter, row, above, index, pixelBytes)
    }
    return bytes
  }

  /// What a filter other than 0 says of a byte from those before it and above (9.2).
  @inline(__always)
  private static func prediction(
    _ filter: UInt8, _ row: [UInt8], _ above: [UInt8], _ index: Int, _ pixelBytes: Int
  ) -> UInt8 {
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
    return UInt8(truncatingIfNeeded: guess)
  }

  /// Notes the entries of the palette, or whether the transparent color or a hidden one is among the
  /// pixels.
  private mutating func look(at row: [UInt8], width: Int) {
    if header.colorType.hasAlpha {
      let channels = header.colorType.channels
      hasHiddenColor =
        hasHiddenColor
        || stride(from: channels - 1, to: row.count, by: channels).contains { alpha in
          row[alpha] == 0 && row[alpha - channels + 1..<alpha].contains { $0 != 0 }
        }
      return
    }
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
