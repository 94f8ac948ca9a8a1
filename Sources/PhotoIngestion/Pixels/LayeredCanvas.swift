/// A canvas on which pictures are laid one above another (Porter and Duff's "over", on sRGB values as in ISO 23008-12,
/// 6.6.2.2).
struct LayeredCanvas: Sendable {
  let width, height: Int
  /// 3 for red, green and blue; 4 with alpha, which is not premultiplied.
  let bands: Int
  /// The pixels, row by row, bands interleaved.
  private(set) var pixels: [UInt8]

  /// Creates a canvas of one color.
  ///
  /// - Parameter fill: red, green and blue, and alpha if the canvas has it.
  init(width: Int, height: Int, fill: [UInt8]) {
    self.width = width
    self.height = height
    bands = fill.count
    let bands = bands
    pixels = [UInt8](unsafeUninitializedCapacity: width * height * bands) { pixels, count in
      for start in stride(from: 0, to: pixels.count, by: bands) {
        for band in 0..<bands { pixels[start + band] = fill[band] }
      }
      count = pixels.count
    }
  }

  /// Lays a picture above the existing ones. Parts outside of the canvas are cut off.
  ///
  /// - Parameters:
  ///   - layer: sRGB pixels with three bytes each, or four with alpha.
  ///   - left: the position of the left edge, which may be outside of the canvas.
  ///   - top: the position of the top edge, which may be outside of the canvas.
  mutating func lay(
    _ layer: UnsafePointer<UInt8>, width layerWidth: Int, height layerHeight: Int,
    bands layerBands: Int, left: Int, top: Int
  ) {
    let columns = max(0, left)..<max(0, left, min(width, left + layerWidth))
    let rows = max(0, top)..<max(0, top, min(height, top + layerHeight))
    guard !columns.isEmpty else { return }
    let width = width
    let bands = bands
    pixels.withUnsafeMutableBufferPointer { pixels in
      for row in rows {
        var from = layer + ((row - top) * layerWidth + columns.lowerBound - left) * layerBands
        var to = pixels.baseAddress! + (row * width + columns.lowerBound) * bands
        for _ in columns {
          Self.lay(from, layerBands == 4 ? Int(from[3]) : 255, to, hasAlpha: bands == 4)
          from += layerBands
          to += bands
        }
      }
    }
  }

  @inline(__always)
  private static func lay(
    _ from: UnsafePointer<UInt8>, _ alpha: Int, _ to: UnsafeMutablePointer<UInt8>, hasAlpha: Bool
  ) {
    // Opacities in units of 1 / (255 * 255).
    let above = alpha * 255
    let below = (255 - alpha) * (hasAlpha ? Int(to[3]) : 255)
    let seen = above + below
    guard alpha > 0, seen > 0 else { return }
    for band in 0..<3 {
      let sum = Int(from[band]) * above + Int(to[band]) * below
      to[band] = UInt8((sum + seen / 2) / seen)
    }
    if hasAlpha { to[3] = UInt8((seen + 127) / 255) }
  }
}
