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
      let columns = min(pieceWidth, width - left)
      let rows = min(pieceHeight, height - top)
      guard path.perColumn != 3 else {
        for row in 0..<rows {
          let to = canvas + (path.origin + left * 3 + (top + row) * path.perRow)
          to.update(from: piece + row * rowBytes, count: columns * 3)
        }
        return
      }
      for firstRow in stride(from: 0, to: rows, by: Self.block) {
        for firstColumn in stride(from: 0, to: columns, by: Self.block) {
          for column in firstColumn..<min(columns, firstColumn + Self.block) {
            var from = piece + firstRow * rowBytes + column * 3
            var to =
              canvas
              + (path.origin + (left + column) * path.perColumn + (top + firstRow) * path.perRow)
            for _ in firstRow..<min(rows, firstRow + Self.block) {
              to[0] = from[0]
              to[1] = from[1]
              to[2] = from[2]
              from += rowBytes
              to += path.perRow
            }
          }
        }
      }
    }
  }
}
