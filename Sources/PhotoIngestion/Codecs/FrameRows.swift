import CAVCodec
import ImageContainers

/// The rows of a decoded tile, converted to RGB with three bytes per pixel.
struct FrameRows {
  /// The size in pixels without the area that the stream crops.
  let width, height: Int

  private let frame: AVFrame
  private let layout: petspot_layout
  private let isGray: Bool
  private let conversion: YCbCrConversion
  private let color: (any ColorConversion)?

  /// Prepares the conversion of a decoded tile. `nil` if its samples differ from those that the picture declared, or
  /// its matrix is unknown.
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
    switch product {
    case .colors(let color):
      self.color = color
      isGray = layout.is_gray != 0
    case .luma:
      color = nil
      isGray = true
    }
    var declared =
      picture.tiles[tile].matrix
      ?? .init(coefficients: 2, isFullRange: frame.color_range == AVCOL_RANGE_JPEG)
    // The stream's values apply if the file declares none.
    if declared.coefficients == 2 { declared.coefficients = Int(frame.colorspace.rawValue) }
    // GBR planes are never subsampled. If a subsampled picture declares them, its matrix counts as unspecified.
    if layout.across > 0, declared.coefficients == 0 { declared.coefficients = 2 }
    // Gray needs no matrix.
    let matrix = isGray ? .init(coefficients: 1, isFullRange: true) : declared
    guard let conversion = YCbCrConversion(matrix, bitDepth: picture.bitDepth),
      isGray || (frame.data.1 != nil && frame.data.2 != nil)
    else { return nil }
    self.conversion = conversion
  }

  /// Converts a whole row.
  ///
  /// - Parameters:
  ///   - pixels: receives three bytes per pixel.
  ///   - values: scratch space for three values per pixel.
  func convert(
    _ row: Int, into pixels: UnsafeMutablePointer<UInt8>,
    by values: UnsafeMutablePointer<UInt16>
  ) {
    let luma = frame.data.0! + row * Int(frame.linesize.0)
    let chroma = row >> Int(layout.down)
    let blue = isGray ? nil : frame.data.1! + chroma * Int(frame.linesize.1)
    let red = isGray ? nil : frame.data.2! + chroma * Int(frame.linesize.2)
    if let blue, let red, conversion.isOrdinary, layout.across == 1 {
      conversion.convert(luma: luma, blue: blue, red: red, count: width, into: pixels)
      color?.convert(pixels, count: width)
      return
    }
    conversion.convert(
      luma: luma, blue: blue, red: red, sampleBytes: Int(layout.bytes),
      halved: Int(layout.across), count: width, into: values)
    if let color {
      color.convert(values, count: width, into: pixels)
    } else {
      petspot_bytes_of(values, width * 3, 1 << layout.depth - 1, pixels)
    }
  }
}
