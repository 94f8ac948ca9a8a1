/// Shrinks a picture whose rows come one by one from the top. Columns first, then rows, each pixel four
/// numbers: libvips' pipeline takes three times as long. Transparent pixels lend no color.
///
/// Of rows that were narrowed only those are in memory that the next new row is made of.
struct RowResampler {
  private let columns, rows: ResamplingTaps
  private let width, bands: Int
  private let newWidth, newHeight: Int
  private var row: [SIMD4<Float>]
  /// The last narrowed rows, each in the place of its number modulo their count.
  private var ring: [SIMD4<Float>]
  private var sums: [SIMD4<Float>]
  private var added = 0
  private var made = 0
  private var pixels: [UInt8] = []

  /// - Parameters:
  ///   - columns: what the new columns are made of; `rows` the same.
  ///   - width: pixels of a row that comes.
  init(columns: ResamplingTaps, rows: ResamplingTaps, width: Int, bands: Int) {
    self.columns = columns
    self.rows = rows
    self.width = width
    self.bands = bands
    newWidth = columns.places.count
    newHeight = rows.places.count
    row = [SIMD4<Float>](repeating: .zero, count: width)
    ring = [SIMD4<Float>](repeating: .zero, count: newWidth * rows.count)
    sums = [SIMD4<Float>](repeating: .zero, count: newWidth)
    pixels.reserveCapacity(newWidth * newHeight * bands)
  }

  /// The new picture, once all rows are added.
  var picture: SmallPicture {
    SmallPicture(pixels: pixels, width: newWidth, height: newHeight, bands: bands)
  }

  mutating func add(row bytes: UnsafePointer<UInt8>) {
    narrow(bytes)
    added += 1
    while made < newHeight, rows.places[made] + rows.count <= added {
      addNewRow()
      made += 1
    }
  }

  private mutating func narrow(_ bytes: UnsafePointer<UInt8>) {
    let first = added % rows.count * newWidth
    let width = width
    let bands = bands
    row.withUnsafeMutableBufferPointer { row in
      Self.unpack(bytes, width, bands, into: row.baseAddress!)
      ring.withUnsafeMutableBufferPointer { ring in
        columns.forEachWeighted(of: row.baseAddress!, into: ring.baseAddress! + first)
      }
    }
  }

  private mutating func addNewRow() {
    let end = pixels.count
    let bands = bands
    let newWidth = newWidth
    sums.withUnsafeMutableBufferPointer { sums in
      sums.update(repeating: .zero)
      ring.withUnsafeBufferPointer { ring in
        for (index, weight) in rows.weights(of: made).enumerated() {
          let narrowed = ring.baseAddress! + (rows.places[made] + index) % rows.count * newWidth
          for x in 0..<newWidth { sums[x] += narrowed[x] * weight }
        }
      }
    }
    pixels.append(contentsOf: repeatElement(0, count: newWidth * bands))
    pixels.withUnsafeMutableBufferPointer { pixels in
      sums.withUnsafeBufferPointer { sums in
        for x in 0..<newWidth {
          Self.pack(sums[x], bands, into: pixels.baseAddress! + end + x * bands)
        }
      }
    }
  }

  /// Unpacks one row as color times alpha, and alpha: the sums of pixels that are transparent in part.
  private static func unpack(
    _ bytes: UnsafePointer<UInt8>, _ width: Int, _ bands: Int,
    into row: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    var from = bytes
    switch bands {
    case 1:
      for x in 0..<width { row[x] = SIMD4(Float(from[x]), 0, 0, 0) }
    case 2:
      for x in 0..<width {
        row[x] = premultiplied(SIMD4(Float(from[0]), 0, 0, 0), alpha: from[1])
        from += 2
      }
    case 3:
      for x in 0..<width {
        row[x] = SIMD4(Float(from[0]), Float(from[1]), Float(from[2]), 0)
        from += 3
      }
    default:
      for x in 0..<width {
        row[x] = premultiplied(
          SIMD4(Float(from[0]), Float(from[1]), Float(from[2]), 0), alpha: from[3])
        from += 4
      }
    }
  }

  private static func premultiplied(_ color: SIMD4<Float>, alpha: UInt8) -> SIMD4<Float> {
    var pixel = color * (Float(alpha) / 255)
    pixel.w = Float(alpha)
    return pixel
  }

  /// Packs the pixel into bytes, rounded; the kernel may have left the range at sharp edges.
  @inline(__always)
  private static func pack(
    _ sum: SIMD4<Float>, _ bands: Int, into pixel: UnsafeMutablePointer<UInt8>
  ) {
    let hasAlpha = bands == 2 || bands == 4
    let colors = hasAlpha ? bands - 1 : bands
    var color = sum
    if hasAlpha {
      let alpha = sample(sum.w)
      pixel[colors] = alpha
      color = alpha == 0 ? .zero : sum * (255 / sum.w)
    }
    for band in 0..<colors { pixel[band] = sample(color[band]) }
  }

  @inline(__always)
  private static func sample(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value + 0.5))) }
}
