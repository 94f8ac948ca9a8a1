/// An upright picture with three bytes per pixel. It is painted from tiles whose positions and pixels are those of the
/// file, before its EXIF orientation is applied.
///
/// Tiles are rotated block by block while they are in the processor's cache, so the unrotated picture is never in
/// memory.
struct UprightCanvas: Sendable {
  /// The size in pixels of the picture as a person sees it.
  let width, height: Int
  /// Red, green and blue of the upright picture, row by row.
  var pixels: [UInt8]

  /// Paints a canvas.
  ///
  /// - Parameters:
  ///   - width: the width in pixels of the stored picture.
  ///   - height: the height in pixels of the stored picture.
  ///   - orientation: the EXIF orientation, 1 to 8.
  ///   - paint: paints the whole canvas. Tiles may come from several threads but must not overlap.
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

  /// Paints tiles of the stored picture at their upright positions.
  ///
  /// `@unchecked` because of its pointer. Threads paint tiles that don't overlap, so each byte has one writer. `init`
  /// waits for all of them before it releases the memory.
  struct Painter: @unchecked Sendable {
    /// The number of pixels along the side of a block.
    private static let block = 32

    /// The memory of the canvas, valid while it is painted.
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

    /// Returns the address of `count` pixels of a stored row that are adjacent in the canvas, so that they can be
    /// written in place. `nil` if rows are rotated or mirrored, or extend beyond the canvas.
    func writableRow(y top: Int, x left: Int, count: Int) -> UnsafeMutablePointer<UInt8>? {
      guard strides.columnStride == 3, top >= 0, top < height, left >= 0, left + count <= width
      else {
        return nil
      }
      return canvas + (strides.origin + left * 3 + top * strides.rowStride)
    }

    /// Paints a tile. Parts outside of the canvas are cut off.
    ///
    /// - Parameters:
    ///   - tile: the pixels, three bytes each.
    ///   - stride: the number of bytes from one row to the next.
    ///   - left: the position of the left edge in the stored picture.
    ///   - top: the position of the top edge in the stored picture.
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

    /// Copies pixels of a tile, `sourceStride` bytes apart, to adjacent pixels in the canvas. `targetStride` is 3 or
    /// -3.
    @inline(__always)
    private static func copyPixels(
      _ tile: UnsafePointer<UInt8>, _ sourceStride: Int, _ canvas: UnsafeMutablePointer<UInt8>,
      _ targetStride: Int, count: Int
    ) {
      guard count > 0 else { return }
      // Copy four bytes at once for each pixel of three bytes. Go upwards through the canvas, so that the next pixel
      // overwrites the fourth byte. Copy only three bytes of the first and last pixel, because nothing may be read or
      // written beyond them.
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

/// Maps the pixels of a stored picture to the upright one (EXIF 2.32, 4.6.4, Orientation). Pixel x, y is at byte
/// `origin + x * columnStride + y * rowStride`.
struct OrientationStrides {
  let origin, columnStride, rowStride: Int

  /// Computes the strides.
  ///
  /// - Parameters:
  ///   - width: the width in pixels of the stored picture.
  ///   - height: the height in pixels of the stored picture.
  ///   - orientation: the EXIF orientation, 1 to 8.
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
