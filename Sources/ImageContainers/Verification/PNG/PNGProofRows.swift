/// The parameters for reading the rows of a PNG, from its header, palette and transparency.
struct PNGProofForm {
  var width, height: Int
  let bitDepth: Int
  let colorType: Int
  let isInterlaced: Bool
  /// Red, green and blue of each entry.
  var palette: [UInt8] = []
  /// The alpha of the first entries, or the transparent color with two bytes per sample.
  var transparency: [UInt8] = []

  var channels: Int { [1, 0, 3, 1, 2, 0, 4][colorType] }
  var pixelBits: Int { channels * bitDepth }

  /// The sizes of the passes: the frame itself, or the nonempty ones of the seven passes of Adam7 (W3C PNG, 8.2).
  var passes: [(width: Int, height: Int)] {
    guard isInterlaced else { return [(width, height)] }
    let starts = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ]
    return starts.map { x, y, acrossBy, downBy in
      ((width - x + acrossBy - 1) / acrossBy, (height - y + downBy - 1) / downBy)
    }.filter { $0.0 > 0 && $0.1 > 0 }
  }

  func rowBytes(width: Int) -> Int { (width * pixelBits + 7) / 8 }
}

/// The palette entries, or the transparent color, that pixels use.
struct PNGProofUse {
  var entries = [Bool](repeating: false, count: 256)
  var hasTransparentColor = false
}

/// Processes the rows of a picture from the zlib stream. It undoes the filters, checks that the padding is zero, and
/// records the colors that the pixels use (W3C PNG, 7.2 and 9).
struct PNGProofRows {
  private let form: PNGProofForm
  private let unfilters: Bool
  private let pixelBytes: Int
  private var row: [UInt8]
  private var above: [UInt8]
  private var rowBytes = 0
  private var width = 0
  private(set) var use: PNGProofUse
  private var averages: PNGProofAverages?
  /// `true` if the picture is never shown, so that it must be zero.
  private let isBlank: Bool

  init(form: PNGProofForm, use: PNGProofUse, averages: PNGProofAverages?, isBlank: Bool) {
    self.form = form
    self.use = use
    self.averages = averages
    self.isBlank = isBlank
    unfilters =
      averages != nil || form.colorType & 4 != 0 || form.colorType == 3 || form.bitDepth < 8
      || !form.transparency.isEmpty
    pixelBytes = max(1, form.pixelBits / 8)
    // The filters read the pixel to the left, so a pixel of zeros is added.
    row = [UInt8](repeating: 0, count: pixelBytes + form.rowBytes(width: form.width) + 16)
    above = row
  }

  var reduced: ReducedPicture? { averages?.picture }

  /// Starts the next pass. The row above its first row is zero.
  mutating func startPass(width: Int) {
    self.width = width
    rowBytes = form.rowBytes(width: width)
    for index in row.indices { row[index] = 0 }
  }

  /// Processes the filter type and the bytes of a row. Returns an error code if the row is invalid.
  mutating func processRow(_ bytes: UnsafePointer<UInt8>) -> String? {
    guard bytes[0] <= 4 else { return "png-filter" }
    if isBlank, (0...rowBytes).contains(where: { bytes[$0] != 0 }) { return "png-apart-picture" }
    guard unfilters else { return nil }
    swap(&row, &above)
    let count = rowBytes
    let pixelBytes = pixelBytes
    row.withUnsafeMutableBufferPointer { row in
      above.withUnsafeBufferPointer { above in
        PNGProofFilter.undo(
          bytes[0], UnsafeBufferPointer(start: bytes + 1, count: count),
          into: row.baseAddress! + pixelBytes, above: above.baseAddress! + pixelBytes,
          pixelBytes: pixelBytes)
      }
    }
    let unusedBits = rowBytes * 8 - width * form.pixelBits
    if unusedBits > 0, row[pixelBytes + rowBytes - 1] & (1 << UInt8(unusedBits) - 1) != 0 {
      return "png-row-padding"
    }
    if form.colorType & 4 != 0 {
      if hasHiddenColor { return "png-hidden-color" }
    } else if form.colorType == 3 {
      noteEntries()
    } else if !form.transparency.isEmpty, !use.hasTransparentColor {
      noteTransparentColor()
    }
    if averages != nil {
      row.withUnsafeBufferPointer { averages!.add($0.baseAddress! + pixelBytes) }
    }
    return nil
  }

  /// `true` if a pixel with alpha 0 has a color. Alpha is a pixel's last byte and the highest byte of the number.
  private var hasHiddenColor: Bool {
    row.withUnsafeBytes { bytes in
      var colors: UInt32 = 0
      if pixelBytes == 4 {
        for x in 1...width {
          let pixel = bytes.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self).littleEndian
          colors |= pixel < 1 << 24 ? pixel : 0
        }
      } else {
        for x in 1...width {
          let pixel = bytes.loadUnaligned(fromByteOffset: x &* 2, as: UInt16.self).littleEndian
          colors |= pixel < 1 << 8 ? UInt32(pixel) : 0
        }
      }
      return colors != 0
    }
  }

  private mutating func noteEntries() {
    let depth = form.bitDepth
    let width = width
    let start = pixelBytes
    use.entries.withUnsafeMutableBufferPointer { used in
      row.withUnsafeBufferPointer { row in
        if depth == 8 {
          for x in 0..<width { used[Int(row[start + x])] = true }
        } else {
          for x in 0..<width { used[Self.sample(row.baseAddress! + start, at: x, depth)] = true }
        }
      }
    }
  }

  private mutating func noteTransparentColor() {
    let key = stride(from: 1, to: form.transparency.count, by: 2).map {
      Int(form.transparency[$0 - 1]) << 8 | Int(form.transparency[$0])
    }
    let depth = form.bitDepth
    let channels = form.channels
    let start = pixelBytes
    use.hasTransparentColor = row.withUnsafeBufferPointer { row in
      (0..<width).contains { x in
        (0..<channels).allSatisfy {
          Self.sample(row.baseAddress! + start, at: x * channels + $0, depth) == key[$0]
        }
      }
    }
  }

  /// Returns a sample of 1 to 8 bits.
  static func sample(_ row: UnsafePointer<UInt8>, at index: Int, _ depth: Int) -> Int {
    let bit = index * depth
    return Int(row[bit / 8]) >> (8 - depth - bit % 8) & (1 << depth - 1)
  }
}

/// Undoes the five filters (W3C PNG, 9.2). Pointers are used because every pixel passes here. Both rows are preceded by
/// a pixel of zeros.
enum PNGProofFilter {
  static func undo(
    _ type: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, into row: UnsafeMutablePointer<UInt8>,
    above: UnsafePointer<UInt8>, pixelBytes: Int
  ) {
    guard let from = bytes.baseAddress else { return }
    let count = bytes.count
    switch type {
    case 0: row.update(from: from, count: count)
    case 2:
      // Both rows have room after their end, and so do the bytes, which are followed by the rest of the buffer.
      var index = 0
      while index &+ 16 <= count {
        let sum =
          UnsafeRawPointer(from).loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
          &+ UnsafeRawPointer(above).loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
        UnsafeMutableRawPointer(row).storeBytes(
          of: sum, toByteOffset: index, as: SIMD16<UInt8>.self)
        index &+= 16
      }
      while index < count {
        row[index] = from[index] &+ above[index]
        index &+= 1
      }
    case 1:
      switch pixelBytes {
      case 3: undoSub(from, count, row, 3)
      case 4: undoSub(from, count, row, 4)
      default: undoSub(from, count, row, pixelBytes)
      }
    case 3:
      switch pixelBytes {
      case 3: undoAverage(from, count, row, above, 3)
      case 4: undoAverage(from, count, row, above, 4)
      default: undoAverage(from, count, row, above, pixelBytes)
      }
    default:
      switch pixelBytes {
      case 3: undoPaethByPixel(from, count, row, above, 3)
      case 4: undoPaethByPixel(from, count, row, above, 4)
      default: undoPaeth(from, count, row, above, pixelBytes)
      }
    }
  }

  @inline(__always) private static func undoSub(
    _ from: UnsafePointer<UInt8>, _ count: Int, _ row: UnsafeMutablePointer<UInt8>, _ bytes: Int
  ) {
    for band in 0..<bytes {
      var left: UInt8 = 0
      var index = band
      while index < count {
        left &+= from[index]
        row[index] = left
        index &+= bytes
      }
    }
  }

  @inline(__always) private static func undoAverage(
    _ from: UnsafePointer<UInt8>, _ count: Int, _ row: UnsafeMutablePointer<UInt8>,
    _ above: UnsafePointer<UInt8>, _ bytes: Int
  ) {
    for band in 0..<bytes {
      var left: UInt8 = 0
      var index = band
      while index < count {
        left = from[index] &+ UInt8((UInt16(left) &+ UInt16(above[index])) &>> 1)
        row[index] = left
        index &+= bytes
      }
    }
  }

  private static func undoPaeth(
    _ from: UnsafePointer<UInt8>, _ count: Int, _ row: UnsafeMutablePointer<UInt8>,
    _ above: UnsafePointer<UInt8>, _ bytes: Int
  ) {
    for index in 0..<count {
      let left = Int(row[index - bytes])
      let up = Int(above[index])
      let corner = Int(above[index - bytes])
      let toLeft = abs(up - corner)
      let toUp = abs(left - corner)
      let toCorner = abs(left + up - 2 * corner)
      let near = toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
      row[index] = from[index] &+ UInt8(truncatingIfNeeded: near)
    }
  }

  /// A pixel in the lanes of a register.
  private typealias Pixel = SIMD4<Int16>

  @inline(__always) private static func near(
    _ left: Pixel, _ up: Pixel, _ corner: Pixel
  ) -> Pixel {
    let toUpSide = up &- corner
    let toLeftSide = left &- corner
    let toLeft = magnitude(toUpSide)
    let toUp = magnitude(toLeftSide)
    let toCorner = magnitude(toUpSide &+ toLeftSide)
    let least = pointwiseMin(toLeft, pointwiseMin(toUp, toCorner))
    return corner.replacing(with: up, where: toUp .== least)
      .replacing(with: left, where: toLeft .== least)
  }

  @inline(__always) private static func magnitude(_ value: Pixel) -> Pixel {
    pointwiseMax(value, 0 &- value)
  }

  /// Undoes the Paeth filter for pixels of three or four bytes. With three, the fourth lane is the next pixel's first
  /// byte, which is overwritten afterwards. Both rows have room for the last one.
  @inline(__always) private static func undoPaethByPixel(
    _ from: UnsafePointer<UInt8>, _ count: Int, _ row: UnsafeMutablePointer<UInt8>,
    _ above: UnsafePointer<UInt8>, _ bytes: Int
  ) {
    var left = Pixel()
    var corner = Pixel()
    var index = 0
    while index < count {
      let up = Pixel(
        truncatingIfNeeded: UnsafeRawPointer(above).loadUnaligned(
          fromByteOffset: index, as: SIMD4<UInt8>.self))
      let coded = UnsafeRawPointer(from).loadUnaligned(
        fromByteOffset: index, as: SIMD4<UInt8>.self)
      let value = coded &+ SIMD4<UInt8>(truncatingIfNeeded: near(left, up, corner))
      UnsafeMutableRawPointer(row).storeBytes(
        of: value, toByteOffset: index, as: SIMD4<UInt8>.self)
      left = Pixel(truncatingIfNeeded: value)
      corner = up
      index &+= bytes
    }
  }
}
