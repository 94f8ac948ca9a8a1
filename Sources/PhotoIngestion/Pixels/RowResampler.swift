import CPixels

/// Shrinks a picture whose rows come one by one from the top. Rows first, then columns; libvips' pipeline
/// takes three times as long. Transparent pixels lend no color.
///
/// Of the rows only those are in memory that the next new row is made of, as sixty-fourths: what the kernel
/// adds at sharp edges leaves room in 16 bits.
struct RowResampler {
  private static let one: Int16 = 64

  private let columns, rows: ResamplingTaps
  private let width, bands: Int
  /// Samples of a row.
  private let samples: Int
  /// The last rows, each in the place of its number modulo their count.
  private var ring: [Int16]
  /// The row of which the next new one is made, and the same band by band; behind each as many zeros as there
  /// are weights of zero.
  private var blended, apart: [Int16]
  /// A new row, band by band.
  private var narrowed: [Int16]
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
    samples = width * bands
    ring = [Int16](repeating: 0, count: samples * rows.count)
    blended = [Int16](repeating: 0, count: samples + columns.stride)
    apart = [Int16](repeating: 0, count: bands == 1 ? 0 : (width + columns.stride) * bands)
    narrowed = [Int16](repeating: 0, count: columns.places.count * bands)
    pixels.reserveCapacity(columns.places.count * rows.places.count * bands)
  }

  /// The new picture, once all rows are added.
  var picture: SmallPicture {
    SmallPicture(
      pixels: pixels, width: columns.places.count, height: rows.places.count, bands: bands)
  }

  mutating func add(row bytes: UnsafePointer<UInt8>) {
    let first = added % rows.count * samples
    ring.withUnsafeMutableBufferPointer { ring in
      Self.unpack(bytes, samples, bands, into: ring.baseAddress! + first)
    }
    added += 1
    while made < rows.places.count, Int(rows.places[made]) + rows.count <= added {
      blend()
      narrow()
      pack()
      made += 1
    }
  }

  /// Makes the row of which the next new one is made.
  private mutating func blend() {
    let first = Int(rows.places[made]) % rows.count
    ring.withUnsafeBufferPointer { ring in
      rows.weights.withUnsafeBufferPointer { weights in
        blended.withUnsafeMutableBufferPointer { blended in
          petspot_blend(
            ring.baseAddress, first, weights.baseAddress! + made * rows.stride, rows.count,
            samples, blended.baseAddress)
        }
      }
    }
  }

  private mutating func narrow() {
    let newWidth = columns.places.count
    let bands = bands
    let bandStride = width + columns.stride
    func narrow(_ row: UnsafePointer<Int16>, band: Int) {
      narrowed.withUnsafeMutableBufferPointer { narrowed in
        petspot_narrow(
          row, columns.places, columns.weights, columns.stride, newWidth,
          narrowed.baseAddress! + band * newWidth)
      }
    }
    if bands == 1 { return blended.withUnsafeBufferPointer { narrow($0.baseAddress!, band: 0) } }
    apart.withUnsafeMutableBufferPointer { apart in
      blended.withUnsafeBufferPointer { blended in
        for band in 0..<bands {
          let row = apart.baseAddress! + band * bandStride
          var from = blended.baseAddress! + band
          for x in 0..<width {
            row[x] = from.pointee
            from += bands
          }
          narrow(row, band: band)
        }
      }
    }
  }

  /// Unpacks one row as color times alpha, and alpha: the sums of pixels that are transparent in part.
  private static func unpack(
    _ bytes: UnsafePointer<UInt8>, _ samples: Int, _ bands: Int,
    into row: UnsafeMutablePointer<Int16>
  ) {
    guard bands % 2 == 0 else {
      for index in 0..<samples { row[index] = Int16(bytes[index]) &* one }
      return
    }
    for pixel in stride(from: 0, to: samples, by: bands) {
      let alpha = Int32(bytes[pixel + bands - 1])
      for color in pixel..<pixel + bands - 1 {
        row[color] = Int16(
          truncatingIfNeeded: (Int32(bytes[color]) &* alpha &* Int32(one) &+ 127) / 255)
      }
      row[pixel + bands - 1] = Int16(truncatingIfNeeded: alpha) &* one
    }
  }

  /// Adds the new row's pixels, rounded; the kernel may have left the range at sharp edges.
  private mutating func pack() {
    let newWidth = columns.places.count
    let bands = bands
    let end = pixels.count
    pixels.append(contentsOf: repeatElement(0, count: newWidth * bands))
    pixels.withUnsafeMutableBufferPointer { pixels in
      narrowed.withUnsafeBufferPointer { narrowed in
        let first = narrowed.baseAddress!
        let last = first + (bands - 1) * newWidth
        var pixel = pixels.baseAddress! + end
        switch bands {
        case 1:
          for x in 0..<newWidth { pixel[x] = Self.byte(first[x]) }
        case 3:
          for x in 0..<newWidth {
            pixel[0] = Self.byte(first[x])
            pixel[1] = Self.byte(first[x + newWidth])
            pixel[2] = Self.byte(last[x])
            pixel += 3
          }
        default:
          for x in 0..<newWidth {
            let alpha = Int32(last[x])
            for band in 0..<bands - 1 {
              let color = Int32(first[x + band * newWidth])
              let sum = color * 255 * Int32(Self.one) + alpha / 2
              pixel[band] = alpha < Self.one / 2 ? 0 : Self.byte(Int16(clamping: sum / alpha))
            }
            pixel[bands - 1] = Self.byte(last[x])
            pixel += bands
          }
        }
      }
    }
  }

  @inline(__always)
  private static func byte(_ value: Int16) -> UInt8 {
    UInt8(truncatingIfNeeded: (max(0, min(255 &* one, value)) &+ one / 2) &>> 6)
  }
}
