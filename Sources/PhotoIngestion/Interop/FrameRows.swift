import CAVCodec
import ImageContainers

/// The rows of a decoded tile as RGB of three bytes a pixel.
struct FrameRows {
  /// Pixels without what the stream crops.
  let width, height: Int

  private let frame: AVFrame
  private let layout: petspot_layout
  /// Nil of a picture whose luma is its gray.
  private let conversion: YCbCrConversion?
  private let color: SRGBConversion?

  /// - Returns: nil when the frame has other samples than the picture said, or a matrix we do not
  ///   know.
  init?(
    _ decoded: (frame: AVFrame, layout: petspot_layout), of picture: HEVCPicture, tile: Int,
    as product: HEVCDecoder.Product
  ) {
    (frame, layout) = decoded
    guard layout.depth == picture.bitDepth, layout.bytes == (layout.depth > 8 ? 2 : 1),
      frame.crop_left == 0, frame.crop_top == 0, frame.data.0 != nil
    else { return nil }
    width = Int(frame.width) - Int(frame.crop_right)
    height = Int(frame.height) - Int(frame.crop_bottom)
    if case .colors(let color) = product { self.color = color } else { color = nil }
    if case .colors = product, layout.is_gray == 0 {
      let matrix =
        picture.tiles[tile].matrix
        ?? .init(
          coefficients: Int(frame.colorspace.rawValue),
          isFullRange: frame.color_range == AVCOL_RANGE_JPEG)
      guard let conversion = YCbCrConversion(matrix, bitDepth: picture.bitDepth),
        frame.data.1 != nil, frame.data.2 != nil
      else { return nil }
      self.conversion = conversion
    } else {
      conversion = nil
    }
  }

  /// Converts all of a row; `pixels` has three bytes for each.
  func convert(_ row: Int, into pixels: UnsafeMutablePointer<UInt8>) {
    guard layout.depth > 8 else {
      if let conversion, layout.across == 1 {
        conversion.convert(
          luma: samples(frame.data.0, frame.linesize.0, row),
          blue: samples(frame.data.1, frame.linesize.1, row >> Int(layout.down)),
          red: samples(frame.data.2, frame.linesize.2, row >> Int(layout.down)),
          count: width, into: pixels)
      } else {
        fill(row, pixels)
      }
      color?.convert(pixels, count: width)
      return
    }
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width * 3) { buffer in
      let values = buffer.baseAddress!
      fill(row, values)
      if let color { return color.convert(values, count: width, into: pixels) }
      // 255 of the most that a value can be, in 65,536ths.
      let scale = UInt32((255 * 65_536 / Double(1 << layout.depth - 1)).rounded())
      for index in 0..<width * 3 {
        pixels[index] = UInt8(truncatingIfNeeded: (UInt32(values[index]) * scale + 32_768) >> 16)
      }
    }
  }

  @inline(__always)
  private func fill<Sample: UnsignedInteger & FixedWidthInteger>(
    _ row: Int, _ values: UnsafeMutablePointer<Sample>
  ) {
    let luma: UnsafePointer<Sample> = samples(frame.data.0, frame.linesize.0, row)
    guard let conversion else {
      // No stream has higher values; tables are read with them.
      let most = Sample(truncatingIfNeeded: 1 << layout.depth - 1)
      for x in 0..<width {
        let gray = min(luma[x], most)
        (values[3 * x], values[3 * x + 1], values[3 * x + 2]) = (gray, gray, gray)
      }
      return
    }
    conversion.convert(
      luma: luma, blue: samples(frame.data.1, frame.linesize.1, row >> Int(layout.down)),
      red: samples(frame.data.2, frame.linesize.2, row >> Int(layout.down)),
      halved: Int(layout.across), count: width, into: values)
  }

  private func samples<Sample>(
    _ plane: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ row: Int
  ) -> UnsafePointer<Sample> {
    UnsafeRawPointer(plane! + row * Int(stride)).assumingMemoryBound(to: Sample.self)
  }
}
