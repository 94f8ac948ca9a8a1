/// A picture of three bytes a pixel that is painted in pieces as it is stored, and stands upright.
///
/// Pieces are turned block by block while they are in the processor's cache: no second picture of
/// the stored side is ever in memory.
struct UprightCanvas: Sendable {
  /// Pixels of the picture as a person sees it.
  let width, height: Int
  /// Red, green and blue of the upright picture, row by row.
  private(set) var pixels: [UInt8]

  /// Paints a canvas.
  ///
  /// - Parameters:
  ///   - width: pixels of the picture as it is stored; so is `height`.
  ///   - orientation: 1 to 8, as EXIF counts.
  ///   - paint: paints all of it; pieces may come from several threads, but must not overlap.
  init(
    width: Int, height: Int, orientation: Int,
    paint: (borrowing Painter) throws(PhotoError) -> Void
  ) throws(PhotoError) {
    (self.width, self.height) = orientation >= 5 ? (height, width) : (width, height)
    var failure: PhotoError?
    pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { buffer, count in
      let painter = Painter(
        canvas: buffer.baseAddress!, width: width, height: height, orientation: orientation)
      do throws(PhotoError) {
        try paint(painter)
        count = buffer.count
      } catch {
        failure = error
        count = 0
      }
    }
    if let failure { throw failure }
  }

  /// Puts pieces of the stored picture where they belong.
  ///
  /// `@unchecked` for its pointer: threads paint pieces that do not overlap, so each byte has one
  /// writer, and `init` waits for them all before it lets go of the memory.
  struct Painter: @unchecked Sendable {
    /// Pixels along the side of a block.
    private static let block = 32

    /// Its own memory for the time of painting.
    private let canvas: UnsafeMutablePointer<UInt8>
    private let width, height: Int
    private let path: UprightPath

    fileprivate init(
      canvas: UnsafeMutablePointer<UInt8>, width: Int, height: Int, orientation: Int
    ) {
      (self.canvas, self.width, self.height) = (canvas, width, height)
      path = UprightPath(width: width, height: height, orientation: orientation, pixelBytes: 3)
    }

    /// Where `count` pixels of a stored row lie in one piece, to be written in place; nil where rows
    /// are turned or mirrored, or stick out of the canvas.
    func row(_ top: Int, left: Int, count: Int) -> UnsafeMutablePointer<UInt8>? {
      guard path.perColumn == 3, top >= 0, top < height, left >= 0, left + count <= width else {
        return nil
      }
      return canvas + (path.origin + left * 3 + top * path.perRow)
    }

    /// Paints a piece; what sticks out of the canvas is left out.
    ///
    /// - Parameters:
    ///   - piece: its pixels, three bytes each.
    ///   - stride: bytes from one of its rows to the next.
    ///   - left: where it lies in the stored picture; so does `top`.
    func paint(
      _ piece: UnsafePointer<UInt8>, stride rowBytes: Int, width pieceWidth: Int,
      height pieceHeight: Int, left: Int, top: Int
    ) {
      let columns = max(0, min(pieceWidth, width - left))
      let rows = max(0, min(pieceHeight, height - top))
      let corner = canvas + (path.origin + left * path.perColumn + top * path.perRow)
      switch path.perColumn {
      case 3:
        for row in 0..<rows {
          (corner + row * path.perRow).update(from: piece + row * rowBytes, count: columns * 3)
        }
      case -3:
        for row in 0..<rows {
          Self.run(piece + row * rowBytes, 3, corner + row * path.perRow, -3, count: columns)
        }
      default:
        for firstRow in stride(from: 0, to: rows, by: Self.block) {
          let count = min(Self.block, rows - firstRow)
          for column in 0..<columns {
            Self.run(
              piece + firstRow * rowBytes + column * 3, rowBytes,
              corner + column * path.perColumn + firstRow * path.perRow, path.perRow, count: count)
          }
        }
      }
    }

    /// Pixels of the piece, `step` bytes apart, into neighbors of the canvas, `place` being 3 or -3.
    @inline(__always)
    private static func run(
      _ piece: UnsafePointer<UInt8>, _ step: Int, _ canvas: UnsafeMutablePointer<UInt8>,
      _ place: Int, count: Int
    ) {
      guard count > 0 else { return }
      // In the canvas's order, with four bytes at a time: the next pixel overwrites the last of them.
      // The first and the last pixel are alone, because nothing may be read or written beyond them.
      let last = count - 1
      var from = UnsafeRawPointer(place > 0 ? piece : piece + last * step)
      var to = UnsafeMutableRawPointer(place > 0 ? canvas : canvas + last * place)
      let next = place > 0 ? step : -step
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
/// `origin + x * perColumn + y * perRow`, in bytes (EXIF 2.32, 4.6.4, Orientation).
struct UprightPath {
  let origin, perColumn, perRow: Int

  /// - Parameters:
  ///   - width: pixels of the picture as it is stored; so is `height`.
  ///   - orientation: 1 to 8, as EXIF counts.
  init(width: Int, height: Int, orientation: Int, pixelBytes: Int) {
    let row = (orientation >= 5 ? height : width) * pixelBytes
    let right = width - 1
    let bottom = height - 1
    (origin, perColumn, perRow) =
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
