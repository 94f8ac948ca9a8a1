/// The image header of a PNG (W3C PNG Third Edition, 11.2.1).
struct PNGHeader: Equatable {
  var width: Int
  /// The height of the canvas in pixels.
  var height: Int
  /// The bits of a sample, or of a palette index.
  var bitDepth: Int
  /// The way in which samples form a pixel.
  var colorType: ColorType
  /// `true` if the rows are stored in seven passes (Adam7).
  var isInterlaced: Bool

  /// The valid color types. The raw value is the byte in the file.
  enum ColorType: Int {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgbAlpha = 6

    /// The valid bit depths of the color type (table 11.1).
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

  /// Parses the 13 bytes at `range` and checks the size against the limits.
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

  /// Returns the sizes of the nonempty passes of Adam7, or of the whole picture if it isn't interlaced (8.2).
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

  /// Returns the size of a row of this many pixels in bytes, without the filter byte.
  func rowBytes(_ width: Int) -> Int { (width * bitDepth * colorType.channels + 7) / 8 }

  /// The compressed stream of a picture of the canvas with only zeros.
  var blankStream: [UInt8] {
    ZlibStream.zeros(passes(width, height).reduce(0) { $0 + (1 + rowBytes($1.width)) * $1.height })
  }

  /// The minimum size of the decompressed pixels in bytes, without filter bytes.
  var pixelBytes: Int {
    let bits = bitDepth * colorType.channels
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    let (total, overflow2) = area.multipliedReportingOverflow(by: bits)
    return overflow || overflow2 ? .max : total / 8
  }
}
