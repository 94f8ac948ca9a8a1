import CPixels

/// Shrinks a picture whose rows arrive one by one from the top, first vertically, then horizontally. libvips' pipeline
/// takes three times as long. The colors of transparent pixels don't affect the result.
///
/// Only the rows that contribute to the next new row are in memory. Samples are in units of 1/64, which leaves room in
/// 16 bits for the kernel's overshoot at sharp edges.
struct RowResampler {
  private static let one: Int16 = 64

  private let columns, rows: ResamplingTaps
  private let width, bands: Int
  private let samples: Int
  /// A ring buffer of the last `rows.count` rows. Row n is at index n modulo that count.
  private var ring: [Int16]
  /// The weighted sum of rows for the next new row: interleaved, and band by band. Each is followed by as many zeros as
  /// the weights have padding.
  private var blended, apart: [Int16]
  /// A new row, band by band.
  private var narrowed: [Int16]
  private var added = 0
  private var made = 0
  private var pixels: [UInt8] = []

  /// Creates a resampler.
  ///
  /// - Parameters:
  ///   - columns: the weights for the new columns.
  ///   - rows: the weights for the new rows.
  ///   - width: the number of pixels in an incoming row.
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

  /// The new picture, once all rows have been added.
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

  /// Computes the weighted sum of rows for the next new row.
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

  /// Unpacks one row. With alpha, colors are premultiplied so that sums weight them by opacity.
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

  /// Appends the new row's pixels, rounded and clamped because the kernel may overshoot at sharp edges.
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
