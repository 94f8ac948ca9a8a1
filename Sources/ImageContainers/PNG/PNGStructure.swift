/// What one pass over a PNG's chunks finds: their order checked, nothing decoded.
///
/// Critical chunks follow the specification strictly. Ancillary ones that break a rule are left
/// out, as libpng and browsers do: they end up among the parts.
struct PNGStructure {
  let header: PNGHeader
  private(set) var chunks: [PNGChunk] = []
  /// Which of `chunks` decoding needs, by index.
  private(set) var isPicture: [Bool] = []
  private(set) var palette: PNGChunk?
  /// The transparency that counts.
  private(set) var transparency: PNGChunk?
  /// The animation browsers play; nil for a still picture.
  private(set) var animation: PNGAnimation?
  /// What the color chunks say, taken together.
  private(set) var color: PNGColor
  /// Whether there are animation chunks that no browser would play.
  private(set) var hasBrokenAnimation = false
  /// Bytes after IEND.
  let trailing: Range<Int>

  init(_ bytes: [UInt8], limits: ContainerLimits) throws(ContainerError) {
    guard bytes.starts(with: PNGContainer.signature) else {
      if PNGContainer.signature.starts(with: bytes) {
        throw .truncated("png-signature", offset: bytes.count)
      }
      throw .malformed("png-signature", offset: 0)
    }
    var reader = ByteReader(bytes, in: 8..<bytes.count)
    chunks = try Self.chunks(&reader, limits: limits)
    trailing = reader.offset..<bytes.count
    header = try PNGHeader(bytes, in: chunks[0].data, limits: limits)
    color = PNGColor(bytes, chunks: chunks)
    try checkOrder(bytes)

    isPicture = chunks.map { chunk in
      switch chunk.type {
      case "IHDR", "IDAT", "IEND": true
      case "PLTE": chunk.data == palette?.data
      case "tRNS": chunk.data == transparency?.data
      case "sRGB": chunk.data == color.keptChunk?.data
      default: false
      }
    }
    try takeAnimation(bytes, limits: limits)
  }

  /// Cuts the file into chunks up to and including IEND; the first is IHDR.
  private static func chunks(
    _ reader: inout ByteReader, limits: ContainerLimits
  ) throws(ContainerError) -> [PNGChunk] {
    var chunks: [PNGChunk] = []
    var ancillaryBytes = 0
    repeat {
      guard !reader.isAtEnd else { throw .truncated("png-iend", offset: reader.offset) }
      guard chunks.count < limits.chunks else {
        throw .overLimit(.chunks, actual: chunks.count + 1, allowed: limits.chunks)
      }
      let start = reader.offset
      let chunk = try PNGChunk(&reader, limits: limits)
      if chunks.isEmpty {
        // Apple's variant for app bundles: headerless deflate, channels swapped.
        guard chunk.type != "CgBI" else { throw .unsupported("png-cgbi") }
        guard chunk.type == "IHDR" else { throw .malformed("png-ihdr", offset: start) }
      }
      if !chunk.isCritical, chunk.type != "fdAT" {
        ancillaryBytes += chunk.range.count
        guard ancillaryBytes <= limits.ancillaryBytes else {
          throw .overLimit(
            .ancillaryBytes, actual: ancillaryBytes, allowed: limits.ancillaryBytes)
        }
      }
      chunks.append(chunk)
    } while chunks[chunks.count - 1].type != "IEND"
    return chunks
  }

  /// Holds the order of chunks against the specification (5.6) and takes palette and transparency.
  private mutating func checkOrder(_ bytes: [UInt8]) throws(ContainerError) {
    var hasPalette = false
    var firstData: Int?
    var lastData = 0
    var dataBytes = 0
    for (index, chunk) in chunks.enumerated().dropFirst() {
      let offset = chunk.range.lowerBound
      switch chunk.type {
      case "PLTE":
        guard !hasPalette else { throw .malformed("png-plte-again", offset: offset) }
        hasPalette = true
        try takePalette(chunk, isLate: firstData != nil)
      case "tRNS":
        if firstData == nil { takeTransparency(chunk) }
      case "IDAT":
        guard header.colorType != .palette || palette != nil else {
          throw .malformed("png-plte-missing", offset: offset)
        }
        guard firstData == nil || lastData == index - 1 else {
          throw .malformed("png-idat-order", offset: offset)
        }
        if firstData == nil { firstData = index }
        lastData = index
        dataBytes += chunk.data.count
      case "IEND":
        guard chunk.data.isEmpty else { throw .malformed("png-iend-length", offset: offset) }
        guard firstData != nil else { throw .malformed("png-idat-missing", offset: offset) }
        // A byte of deflate data makes at most 1032 bytes: what falls short of that cannot be whole.
        guard header.pixelBytes / 1032 <= dataBytes else {
          throw .truncated("png-idat", offset: offset)
        }
      case "IHDR": throw .malformed("png-ihdr-again", offset: offset)
      default:
        guard !chunk.isCritical else { throw .malformed("png-critical-chunk", offset: offset) }
      }
    }
  }

  /// Only an indexed picture needs its palette; in an RGB one it is a mere suggestion. Too many
  /// entries are tolerated, as in libpng.
  private mutating func takePalette(_ chunk: PNGChunk, isLate: Bool) throws(ContainerError) {
    guard header.colorType == .palette else { return }
    let count = chunk.data.count
    guard !isLate, count > 0, count <= 768, count % 3 == 0 else {
      throw .malformed("png-plte-length", offset: chunk.range.lowerBound)
    }
    palette = chunk
  }

  /// Takes the first tRNS of a legal length; libpng ignores the others with a warning.
  private mutating func takeTransparency(_ chunk: PNGChunk) {
    guard transparency == nil, chunk.isIntact else { return }
    let length = chunk.data.count
    let isLegal =
      switch header.colorType {
      case .gray: length == 2
      case .rgb: length == 6
      case .palette:
        length > 0 && length <= min((palette?.data.count ?? 0) / 3, 1 << header.bitDepth)
      case .grayAlpha, .rgbAlpha: false
      }
    if isLegal { transparency = chunk }
  }

  private mutating func takeAnimation(
    _ bytes: [UInt8], limits: ContainerLimits
  ) throws(ContainerError) {
    guard chunks.contains(where: \.isAnimation) else { return }
    guard let animation = PNGAnimation(bytes, chunks: chunks, header: header) else {
      hasBrokenAnimation = true
      return
    }
    try limits.check(
      frames: animation.frames.count, width: header.width, height: header.height)
    // One frame that is the default picture is a still picture with needless chunks around it.
    guard animation.frames.count > 1 || !animation.startsWithDefault else { return }
    self.animation = animation
    let showsData =
      animation.startsWithDefault
      || !startsWithFrame && stream(of: still, in: bytes) == header.blankStream
    for (index, chunk) in chunks.enumerated() {
      if chunk.isAnimation { isPicture[index] = isAnimated || chunk.type == "fdAT" }
      // Browsers that know APNG never show it.
      if chunk.type == "IDAT" { isPicture[index] = showsData }
    }
  }

  /// Whether the picture of the product's IDAT is a frame: the animation's first one, when it covers
  /// the canvas.
  var startsWithFrame: Bool {
    guard let animation else { return false }
    let first = animation.frames[0]
    return (first.width, first.height) == (header.width, header.height)
  }

  /// Whether the product is animated: a single frame that covers the canvas is a still picture.
  var isAnimated: Bool {
    animation.map { $0.frames.count > 1 || !startsWithFrame } ?? false
  }
}
