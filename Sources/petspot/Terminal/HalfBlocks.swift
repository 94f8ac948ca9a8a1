import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// Draws a picture in character cells with two pixels each. In an upper half block, the foreground is the upper pixel
/// and the background the lower one.
enum HalfBlocks {
  /// Draws sRGB pixels of 3 bytes, row by row, `width` per row.
  ///
  /// - Returns: one line per row of cells. Each line resets the colors at its end. Empty without colors.
  static func lines(width: Int, height: Int, rgb: [UInt8], colors: Terminal.Colors) -> [String] {
    guard colors != .none, width > 0, height > 0, rgb.count >= width * height * 3 else { return [] }
    func color(_ x: Int, _ y: Int) -> String {
      let at = (y * width + x) * 3
      return code(rgb[at], rgb[at + 1], rgb[at + 2], colors)
    }
    return stride(from: 0, to: height, by: 2).map { y in
      var line = ""
      var last = (upper: "", lower: "")
      for x in 0..<width {
        let upper = color(x, y)
        // An odd height leaves the terminal's own background below the last row.
        let lower = y + 1 < height ? color(x, y + 1) : ""
        if upper != last.upper { line += "\u{1B}[38;\(upper)m" }
        if lower != last.lower { line += "\u{1B}[48;\(lower)m" }
        last = (upper, lower)
        line += "▀"
      }
      return line + "\u{1B}[0m"
    }
  }

  /// Returns the part of an SGR sequence (ISO 8613-6) after 38 or 48.
  private static func code(
    _ red: UInt8, _ green: UInt8, _ blue: UInt8, _ colors: Terminal.Colors
  ) -> String {
    colors == .full ? "2;\(red);\(green);\(blue)" : "5;\(index(red, green, blue))"
  }

  /// Returns the nearest color of the 256-color palette: from the 6×6×6 cube or the 24 grays.
  static func index(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    let levels = [0, 95, 135, 175, 215, 255]
    let color = [Int(red), Int(green), Int(blue)]
    func distance(_ other: [Int]) -> Int {
      zip(color, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    let cube = color.map { value in
      levels.indices.min { abs(levels[$0] - value) < abs(levels[$1] - value) } ?? 0
    }
    let gray = min(max((color.reduce(0, +) / 3 - 3) / 10, 0), 23)
    let grayValue = 8 + 10 * gray
    return distance([grayValue, grayValue, grayValue]) < distance(cube.map { levels[$0] })
      ? 232 + gray : 16 + 36 * cube[0] + 6 * cube[1] + cube[2]
  }
}

/// Drawings of photo previews on a terminal.
enum PreviewDrawing {
  /// Returns the drawing with a line break at its end, or an empty text without colors. Decodes in a worker process.
  /// `bytes` is called only if there is something to draw.
  nonisolated(nonsending) static func text(
    _ picture: (format: ImageFormat, width: Int, height: Int), on terminal: Terminal,
    decoding: @autoclosure () -> PhotoDecoding, bytes: () async throws(StoreError) -> [UInt8]
  ) async throws(StoreError) -> String {
    guard terminal.colors != .none else { return "" }
    // Leave room for the text below the picture.
    let rows = max(1, terminal.rows - 5)
    let scale = min(
      1, Double(terminal.columns) / Double(picture.width), Double(rows * 2) / Double(picture.height)
    )
    let side = max(1, Int(Double(max(picture.width, picture.height)) * scale))
    let bytes = try await bytes()
    let raster = try StoreError.catching {
      try PictureRaster.decode(bytes, format: picture.format, side: side, decoding: decoding())
    }
    return HalfBlocks.lines(
      width: raster.width, height: raster.height, rgb: raster.rgb, colors: terminal.colors
    ).map { $0 + "\n" }.joined()
  }
}
