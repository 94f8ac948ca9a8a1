import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// A preview drawn in the terminal.
enum PreviewDrawing {
  /// The drawing with a line break at its end, empty without colors. Decodes in a worker process;
  /// `bytes` is called only when there is something to draw.
  static func text(
    _ picture: (format: ImageFormat, width: Int, height: Int), on terminal: Terminal,
    decoders: @autoclosure () -> DecoderPool?, bytes: () throws(StoreError) -> [UInt8]
  ) throws(StoreError) -> String {
    guard terminal.colors != .none else { return "" }
    // Room is left for what is said below the picture.
    let rows = max(1, terminal.rows - 5)
    let scale = min(
      1, Double(terminal.columns) / Double(picture.width), Double(rows * 2) / Double(picture.height)
    )
    let side = max(1, Int(Double(max(picture.width, picture.height)) * scale))
    let bytes = try bytes()
    let raster = try StoreError.ofPhoto { () throws(PhotoError) in
      try PictureRaster.decode(bytes, format: picture.format, side: side, decoders: decoders())
    }
    return HalfBlocks.lines(
      width: raster.width, height: raster.height, rgb: raster.rgb, colors: terminal.colors
    ).map { $0 + "\n" }.joined()
  }
}
