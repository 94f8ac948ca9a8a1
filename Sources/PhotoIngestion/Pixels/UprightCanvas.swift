/// An upright picture of three bytes a pixel, painted in tiles that lie as in the file, before its EXIF
/// orientation is applied.
///
/// Tiles are turned block by block while they are in the processor's cache: the picture is never in
/// memory a second time as it lies in the file.
struct UprightCanvas: Sendable {
  /// Pixels of the picture as a person sees it.
  let width, height: Int
  /// Red, green and blue of the upright picture, row by row.
  var pixels: [UInt8]

  /// Paints a canvas.
  ///
  /// - Parameters:
  ///   - width: pixels of the picture as it is stored; so is `height`.
  ///   - orientation: 1 to 8, as EXIF counts.
  ///   - paint: paints all of it; tiles may come from several threads, but must not overlap.
  init(
    width: Int, height: Int, orientation: Int,
    paint: (borrowing Painter) throws -> Void
  ) throws {
    self.width = orientation >= 5 ? height : width
    self.height = orientation >= 5 ? width : height
    pixels = try [UInt8](unsafeUninitializedCapacity: width * height * 3) { buffer, count in
      let painter = Painter(
        canvas: buffer.baseAddress!, width: width, height: height, orientation: orientation)
      try paint(painter)
      count = buffer.count
    }
  }

  /// Puts tiles of the stored picture where they belong.
  ///
  /// `@unchecked` for its pointer: threads paint tiles that do not overlap, so each byte has one
  /// writer, and `init` waits for them all before it lets go of the memory.
  struct Painter: @unchecked Sendable {
    /// Pixels along the side of a block.
    private static let block = 32

    /// Its own memory for the time of painting.
    private let canvas: UnsafeMutablePointer<UInt8>
    private let width, height: Int
    private let strides: OrientationStrides

    fileprivate init(
      canvas: UnsafeMutablePointer<UInt8>, width: Int, height: Int, orientation: Int
    ) {
      self.canvas = canvas
      self.width = width
      self.height = height
      strides = OrientationStrides(
        width: width, height: height, orientation: orientation, pixelBytes: 3)
    }

    /// Returns where `count` pixels of a stored row lie next to each other, to be written in place;
    /// nil where rows are turned or mirrored, or stick out of the canvas.
    func writableRow(y top: Int, x left: Int, count: Int) -> UnsafeMutablePointer<UInt8>? {
      guard strides.columnStride == 3, top >= 0, top < height, left >= 0, left + count <= width
      else {
        return nil
      }
      return canvas + (strides.origin + left * 3 + top * strides.rowStride)
    }

    /// Paints a tile; what sticks out of the canvas is left out.
    ///
    /// - Parameters:
    ///   - tile: its pixels, three bytes each.
    ///   - stride: bytes from one of its rows to the next.
    ///   - left: where it lies in the stored picture; so does `top`.
    func paint(
      _ tile: UnsafePointer<UInt8>, stride rowBytes: Int, width tileWidth: Int,
      height tileHeight: Int, left: Int, top: Int
    ) {
      let columns = max(0, min(tileWidth, width - left))
      let rows = max(0, min(tileHeight, height - top))
      let corner = canvas + (strides.origin + left * strides.columnStride + top * strides.rowStride)
      switch strides.columnStride {
      case 3:
        for row in 0..<rows {
          (corner + row * strides.rowStride).update(from: tile + row * rowBytes, count: columns * 3)
        }
      case -3:
        for row in 0..<rows {
          Self.copyPixels(
            tile + row * rowBytes, 3, corner + row * strides.rowStride, -3, count: columns)
        }
      default:
        for firstRow in stride(from: 0, to: rows, by: Self.block) {
          let count = min(Self.block, rows - firstRow)
          for column in 0..<columns {
            Self.copyPixels(
              tile + firstRow * rowBytes + column * 3, rowBytes,
              corner + column * strides.columnStride + firstRow * strides.rowStride,
              strides.rowStride, count: count)
          }
        }
      }
    }

    /// Copies pixels of a tile, `sourceStride` bytes apart, to neighbors in the canvas: `targetStride` is 3
    /// or -3.
    @inline(__always)
    private static func copyPixels(
      _ tile: UnsafePointer<UInt8>, _ sourceStride: Int, _ canvas: UnsafeMutablePointer<UInt8>,
      _ targetStride: Int, count: Int
    ) {
      guard count > 0 else { return }
      // In the canvas's order, with four bytes at a time: the next pixel overwrites the last of them.
      // The first and the last pixel are alone, because nothing may be read or written beyond them.
      let last = count - 1
      var from = UnsafeRawPointer(targetStride > 0 ? tile : tile + last * sourceStride)
      var to = UnsafeMutableRawPointer(targetStride > 0 ? canvas : canvas + last * targetStride)
      let next = targetStride > 0 ? sourceStride : -sourceStride
      to.copyMemory(from: from, byteCount: 3)
      for _ in 1..<max(last, 1) {
        from += next
        to += 3
        to.storeBytes(of: from.loadUnaligned(as: UInt32.self), as: UInt32.self)
      }
      if last > 0 { (to + 3).copyMemory(from: from + next, byteCount: 3) }
    }
  }
}

/// Where the pixels of a stored picture lie in the upright one: pixel x, y at
/// `origin + x * columnStride + y * rowStride`, in bytes (EXIF 2.32, 4.6.4, Orientation).
struct OrientationStrides {
  let origin, columnStride, rowStride: Int

  /// - Parameters:
  ///   - width: pixels of the picture as it is stored; so is `height`.
  ///   - orientation: 1 to 8, as EXIF counts.
  init(width: Int, height: Int, orientation: Int, pixelBytes: Int) {
    let row = (orientation >= 5 ? height : width) * pixelBytes
    let right = width - 1
    let bottom = height - 1
    (origin, columnStride, rowStride) =
      switch orientation {
      case 2: (right * pixelBytes, -pixelBytes, row)
      case 3: (bottom * row + right * pixelBytes, -pixelBytes, -row)
      case 4: (bottom * row, pixelBytes, -row)
      case 5: (0, row, pixelBytes)
      case 6: (bottom * pixelBytes, row, -pixelBytes)
      case 7: (right * row + bottom * pixelBytes, -row, -pixelBytes)
      case 8: (right * row, -row, pixelBytes)
      default: (0, pixelBytes, row)
      }
  }
}
