/// The image header of a PNG (W3C PNG Third Edition, 11.2.1).
struct PNGHeader: Equatable {
  var width: Int
  /// Pixels down the canvas.
  var height: Int
  /// Bits of a sample, or of a palette index.
  var bitDepth: Int
  /// How pixels are made of samples.
  var colorType: ColorType
  /// Whether the rows come in seven passes (Adam7).
  var isInterlaced: Bool

  /// The color types that exist; the raw value is the byte in the file.
  enum ColorType: Int {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgbAlpha = 6

    /// The bit depths that go with it (table 11.1).
    var bitDepths: [Int] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgbAlpha: [8, 16]
      }
    }

    var channels: Int {
      switch self {
      case .gray, .palette: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgbAlpha: 4
      }
    }

    var hasAlpha: Bool { self == .grayAlpha || self == .rgbAlpha }

    var model: ColorModel {
      switch self {
      case .gray, .grayAlpha: .gray
      case .rgb, .rgbAlpha: .rgb
      case .palette: .palette
      }
    }
  }

  /// Reads the 13 bytes at `range` and holds their size against the limits.
  init(_ bytes: [UInt8], in range: Range<Int>, limits: ContainerLimits) throws(ContainerError) {
    let offset = range.lowerBound
    guard range.count == 13 else { throw .malformed("png-ihdr-length", offset: offset) }
    var reader = ByteReader(bytes, in: range)
    width = try reader.big(4, "IHDR")
    height = try reader.big(4, "IHDR")
    try limits.check(width: width, height: height, offset: offset)
    bitDepth = try reader.u8("IHDR")
    guard let colorType = ColorType(rawValue: try reader.u8("IHDR")) else {
      throw .malformed("png-color-type", offset: offset)
    }
    self.colorType = colorType
    guard colorType.bitDepths.contains(bitDepth) else {
      throw .malformed("png-bit-depth", offset: offset)
    }
    guard try reader.u8("IHDR") == 0 else { throw .malformed("png-compression", offset: offset) }
    guard try reader.u8("IHDR") == 0 else { throw .malformed("png-filter", offset: offset) }
    let interlace = try reader.u8("IHDR")
    guard interlace <= 1 else { throw .malformed("png-interlace", offset: offset) }
    isInterlaced = interlace == 1
  }

  /// Returns the sizes of the seven passes of Adam7 that have a pixel, or the whole (8.2).
  func passes(_ width: Int, _ height: Int) -> [(width: Int, height: Int)] {
    guard isInterlaced else { return [(width, height)] }
    var passes: [(width: Int, height: Int)] = []
    for (x, y, xStep, yStep) in [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ] where width > x && height > y {
      passes.append(((width - x + xStep - 1) / xStep, (height - y + yStep - 1) / yStep))
    }
    return passes
  }

  /// Returns bytes of this many pixels of a row, its filter's left out.
  func rowBytes(_ width: Int) -> Int { (width * bitDepth * colorType.channels + 7) / 8 }

  /// The stream of a picture of the canvas whose samples are all zero.
  var blankStream: [UInt8] {
    ZlibStream.zeros(passes(width, height).reduce(0) { $0 + (1 + rowBytes($1.width)) * $1.height })
  }

  /// Bytes the pixels take at least once inflated, filter bytes left out.
  var pixelBytes: Int {
    let bits = bitDepth * colorType.channels
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    let (total, overflow2) = area.multipliedReportingOverflow(by: bits)
    return overflow || overflow2 ? .max : total / 8
  }
}
