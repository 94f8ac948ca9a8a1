import CJPEG
import ImageContainers

/// Scales JPEGs in their coded form, as Y, Cb and Cr planes. These have half as many samples as RGB, and a JPEG result
/// needs no color conversion.
enum JPEGPlanes {
  /// Decodes a JPEG once, one strip at a time, and scales its planes to a size: gray, or Y, Cb and Cr, where Cb and Cr
  /// have half the resolution.
  ///
  /// - Parameters:
  ///   - width: the width of the JPEG in pixels.
  ///   - height: the height of the JPEG in pixels.
  ///   - shrink: the factor by which the decoder shrinks the picture: 1, 2, 4 or 8.
  /// - Returns: the scaled planes. `nil` for other color models and for chroma with a quarter of the resolution. The
  ///   caller then uses RGB.
  /// - Throws: `PhotoError.corrupt` if the JPEG does not decode.
  static func scale(
    _ bytes: [UInt8], width: Int, height: Int, shrink: Int, to size: PhotoSize
  ) throws -> [SmallPicture]? {
    try bytes.withUnsafeBufferPointer { bytes in
      guard
        let planes = petspot_planes_begin(
          bytes.baseAddress, bytes.count, Int32(width), Int32(height), Int32(shrink))
      else { return nil }
      defer { petspot_planes_free(planes) }
      let parts = (0..<3).map { petspot_planes_part(planes, $0) }.filter { $0.width > 0 }
      var scalers: [RowResampler] = []
      for (index, part) in parts.enumerated() {
        let half = index == 0 ? 1 : 2
        let newWidth = (size.width + half - 1) / half
        let newHeight = (size.height + half - 1) / half
        guard newWidth <= part.width, newHeight <= part.height else { return nil }
        scalers.append(
          RowResampler(
            columns: ResamplingTaps(
              from: Int(part.width), spanning: part.span_across, to: newWidth),
            rows: ResamplingTaps(
              from: Int(part.height), spanning: part.span_down, to: newHeight),
            width: Int(part.width), bands: 1))
      }
      var tops = parts.map { _ in 0 }
      while true {
        let answer = petspot_planes_read(planes)
        guard answer >= 0 else { throw PhotoError.undecodable }
        if answer == 0 { break }
        for (index, part) in parts.enumerated() {
          let count = max(0, min(Int(part.strip_rows), Int(part.height) - tops[index]))
          for row in 0..<count { scalers[index].add(row: part.rows + row * part.stride) }
          tops[index] += count
        }
      }
      return scalers.map(\.picture)
    }
  }

  /// Returns planes as pixels: gray, or RGB with each chroma sample repeated. An encoder derives the same chroma from
  /// the repeated samples.
  static func pixels(of planes: [SmallPicture]) -> SmallPicture {
    let luma = planes[0]
    guard planes.count == 3,
      // Every JPEG uses this matrix (JFIF 1.02).
      let conversion = YCbCrConversion(.init(coefficients: 6, isFullRange: true))
    else { return luma }
    let rgb = [UInt8](unsafeUninitializedCapacity: luma.pixels.count * 3) { rgb, count in
      for row in 0..<luma.height {
        let half = row / 2 * planes[1].width
        luma.pixels.withUnsafeBufferPointer { luma in
          planes[1].pixels.withUnsafeBufferPointer { blue in
            planes[2].pixels.withUnsafeBufferPointer { red in
              conversion.convert(
                luma: luma.baseAddress! + row * planes[0].width, blue: blue.baseAddress! + half,
                red: red.baseAddress! + half, count: planes[0].width,
                into: rgb.baseAddress! + row * planes[0].width * 3)
            }
          }
        }
      }
      count = rgb.count
    }
    return SmallPicture(pixels: rgb, width: luma.width, height: luma.height, bands: 3)
  }
}
