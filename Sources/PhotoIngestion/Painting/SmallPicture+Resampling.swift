/// Shrinking to a preview's size.
extension SmallPicture {
  /// Shrunk to at most `side` pixels along the longer side; as it is when it fits.
  ///
  /// Columns first, then rows, each pixel four numbers: libvips' pipeline takes three times as long
  /// for pictures of this size. Transparent pixels lend no color.
  func fitted(to side: Int) -> SmallPicture {
    let longer = max(width, height)
    guard longer > side else { return self }
    let scale = Double(side) / Double(longer)
    let columns = ResamplingTaps(from: width, to: Self.scaled(width, by: scale))
    let rows = ResamplingTaps(from: height, to: Self.scaled(height, by: scale))
    let (newWidth, newHeight) = (columns.places.count, rows.places.count)
    let narrow = narrowed(by: columns)
    let shrunk = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight * bands) { to, count in
      narrow.withUnsafeBufferPointer { narrow in
        for y in 0..<newHeight {
          let column = narrow.baseAddress! + rows.places[y] * newWidth
          for x in 0..<newWidth {
            let sum = rows.weighted(y, of: column + x, stride: newWidth)
            pack(sum, into: to.baseAddress! + (y * newWidth + x) * bands)
          }
        }
      }
      count = to.count
    }
    return SmallPicture(pixels: shrunk, width: newWidth, height: newHeight, bands: bands)
  }

  /// Rounded, and never nothing.
  private static func scaled(_ length: Int, by scale: Double) -> Int {
    max(1, Int(Double(length) * scale + 0.5))
  }

  /// All rows, each as wide as there are places.
  private func narrowed(by columns: ResamplingTaps) -> [SIMD4<Float>] {
    let newWidth = columns.places.count
    var row = [SIMD4<Float>](repeating: .zero, count: width)
    return [SIMD4<Float>](unsafeUninitializedCapacity: newWidth * height) { narrow, count in
      row.withUnsafeMutableBufferPointer { row in
        for y in 0..<height {
          unpack(y, into: row.baseAddress!)
          for x in 0..<newWidth {
            narrow[y * newWidth + x] = columns.weighted(
              x, of: row.baseAddress! + columns.places[x], stride: 1)
          }
        }
      }
      count = newWidth * height
    }
  }

  /// One row as color times alpha, and alpha: the sums of pixels that are transparent in part.
  private func unpack(_ y: Int, into row: UnsafeMutablePointer<SIMD4<Float>>) {
    pixels.withUnsafeBufferPointer { pixels in
      var from = pixels.baseAddress! + y * width * bands
      for x in 0..<width {
        row[x] =
          switch bands {
          case 1: SIMD4(Float(from[0]), 0, 0, 0)
          case 2: Self.premultiplied(SIMD4(Float(from[0]), 0, 0, 0), alpha: from[1])
          case 3: SIMD4(Float(from[0]), Float(from[1]), Float(from[2]), 0)
          default:
            Self.premultiplied(
              SIMD4(Float(from[0]), Float(from[1]), Float(from[2]), 0), alpha: from[3])
          }
        from += bands
      }
    }
  }

  private static func premultiplied(_ color: SIMD4<Float>, alpha: UInt8) -> SIMD4<Float> {
    var pixel = color * (Float(alpha) / 255)
    pixel.w = Float(alpha)
    return pixel
  }

  /// The pixel as bytes again, rounded; the kernel may have left the range at sharp edges.
  @inline(__always)
  private func pack(_ sum: SIMD4<Float>, into pixel: UnsafeMutablePointer<UInt8>) {
    let colors = hasAlpha ? bands - 1 : bands
    var color = sum
    if hasAlpha {
      let alpha = Self.sample(sum.w)
      pixel[colors] = alpha
      color = alpha == 0 ? .zero : sum * (255 / sum.w)
    }
    for band in 0..<colors { pixel[band] = Self.sample(color[band]) }
  }

  @inline(__always)
  private static func sample(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value + 0.5))) }
}
