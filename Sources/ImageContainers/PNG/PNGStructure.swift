/// The result of one pass over the chunks of a PNG. Their order is checked, but nothing is decoded.
///
/// Critical chunks must follow the specification strictly. Ancillary chunks that break a rule are ignored, as in libpng
/// and browsers, and listed among the parts.
struct PNGStructure {
  let header: PNGHeader
  private(set) var chunks: [PNGChunk] = []
  /// For each of `chunks`, `true` if decoding needs it.
  private(set) var isPicture: [Bool] = []
  private(set) var palette: PNGChunk?
  /// The transparency chunk that decoders use.
  private(set) var transparency: PNGChunk?
  /// The animation that browsers play, or `nil` for a still picture.
  private(set) var animation: PNGAnimation?
  /// The combined meaning of the color chunks.
  private(set) var color: PNGColor
  /// `true` if there are animation chunks, but browsers would not play them.
  private(set) var hasBrokenAnimation = false
  /// The bytes after IEND, or after the last readable chunk.
  let trailing: Range<Int>
  /// The parts that are missing after the last pixel, and the losses of the animation.
  private(set) var repairs: [String] = []
  private(set) var losses: [String] = []
  /// The first data ranges of the streams that lack their checksum.
  private(set) var withoutChecksum: Set<Range<Int>> = []
  /// The number of frames that the file declares, including those that are missing or left out. `nil` for a still
  /// picture.
  private(set) var fileFrameCount: Int?

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
    let hasEnd = chunks[chunks.count - 1].type == "IEND"
    if !hasEnd { repairs.append("png-iend") }
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
    takeAnimation(bytes, limits: limits)
    // If the end is missing, pixels may be missing, too.
    if !hasEnd { try keepWholeFrames(in: bytes) }
  }

  /// Splits the file into chunks up to IEND. The first is IHDR. After the picture's data, the first chunk that breaks a
  /// rule ends the file, as in browsers.
  private static func chunks(
    _ reader: inout ByteReader, limits: ContainerLimits
  ) throws(ContainerError) -> [PNGChunk] {
    var chunks: [PNGChunk] = []
    var ancillaryBytes = 0
    var hasData = false
    repeat {
      guard !reader.isAtEnd || !hasData else { break }
      guard !reader.isAtEnd else { throw .truncated("png-iend", offset: reader.offset) }
      guard chunks.count < limits.chunks else {
        throw .overLimit(
          .chunks, actual: chunks.count + Self.count(&reader), allowed: limits.chunks)
      }
      let start = reader.offset
      let chunk: PNGChunk
      do throws(ContainerError) { chunk = try PNGChunk(&reader, limits: limits) } catch {
        switch error {
        // In IDAT, a wrong checksum means damaged pixels.
        case .malformed("png-chunk-crc", _)
        where reader.bytes[start + 4..<start + 8]
          .elementsEqual("IDAT".utf8):
          throw error
        case .malformed where hasData, .truncated where hasData: reader.offset = start
        default: throw error
        }
        break
      }
      if hasData, !Self.mayFollowData(chunk) {
        reader.offset = start
        break
      }
      hasData = hasData || chunk.type == "IDAT"
      if chunks.isEmpty {
        // Apple's variant for app bundles has headerless deflate data and swapped channels.
        guard chunk.type != "CgBI" else { throw .unsupported("png-cgbi") }
        guard chunk.type == "IHDR" else { throw .malformed("png-ihdr", offset: start) }
      }
      if !chunk.isCritical, chunk.type != "fdAT" {
        ancillaryBytes += chunk.range.count
        try limits.check(ancillaryBytes, .ancillaryBytes, upTo: limits.ancillaryBytes)
      }
      chunks.append(chunk)
    } while chunks[chunks.count - 1].type != "IEND"
    return chunks
  }

  /// Returns `true` if a chunk may follow the first IDAT. The only critical chunks there are more data and the end.
  private static func mayFollowData(_ chunk: PNGChunk) -> Bool {
    switch chunk.type {
    case "IDAT": true
    case "IEND": chunk.data.isEmpty
    default: !chunk.isCritical
    }
  }

  /// Counts the remaining chunks by their lengths.
  private static func count(_ reader: inout ByteReader) -> Int {
    var count = 0
    while let length = try? reader.big(4, "png-chunk"),
      (try? reader.skip(length + 8, for: "png-chunk")) != nil
    {
      count += 1
    }
    return max(1, count)
  }

  /// Checks the order of chunks against the specification (5.6) and stores palette and transparency.
  private mutating func checkOrder(_ bytes: [UInt8]) throws(ContainerError) {
    var hasPalette = false
    var firstData: Int?
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
        if firstData == nil { firstData = index }
        // Data with other chunks in between is complete, and browsers join it.
        if chunks[index - 1].type != "IDAT", firstData != index { addRepair("png-idat-order") }
        dataBytes += chunk.data.count
      case "IEND":
        guard firstData != nil else { throw .malformed("png-idat-missing", offset: offset) }
      case "IHDR": throw .malformed("png-ihdr-again", offset: offset)
      default:
        guard !chunk.isCritical else { throw .malformed("png-critical-chunk", offset: offset) }
      }
    }
    // A byte of deflate data yields at most 1032 bytes, so with less data the picture can't be complete.
    guard header.pixelBytes / 1032 <= dataBytes else {
      throw .incomplete(
        "png-rows", shown: dataBytes * 1032, of: header.pixelBytes,
        isInterlaced: header.isInterlaced)
    }
  }

  /// Stores the palette of an indexed picture. For RGB, a palette is only a suggestion and is ignored. Too many entries
  /// are accepted, as in libpng.
  private mutating func takePalette(_ chunk: PNGChunk, isLate: Bool) throws(ContainerError) {
    guard header.colorType == .palette else { return }
    let count = chunk.data.count
    guard !isLate, count > 0, count <= 768, count % 3 == 0 else {
      throw .malformed("png-plte-length", offset: chunk.range.lowerBound)
    }
    palette = chunk
  }

  /// Stores the first tRNS of a legal length. libpng ignores others with a warning.
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

  private mutating func takeAnimation(_ bytes: [UInt8], limits: ContainerLimits) {
    guard chunks.contains(where: \.isAnimation) else { return }
    guard let animation = PNGAnimation(bytes, chunks: chunks, header: header) else {
      hasBrokenAnimation = true
      return
    }
    self.animation = animation
    if animation.frames.count < animation.count { losses = ["frames"] }
    fileFrameCount = animation.count
    if limits.allow(
      frames: animation.frames.count, width: header.width, height: header.height)
    {
      keepFrames(animation.frames.count, of: bytes)
    } else {
      losses = ["animation"]
      keepFrames(1, of: bytes)
    }
  }

  /// Keeps the first frames of the animation and the chunks for decoding them.
  private mutating func keepFrames(_ count: Int, of bytes: [UInt8]) {
    animation?.keepFirst(count)
    // If only the default picture is left as a frame, the product is a still picture.
    if count == 1, animation?.startsWithDefault == true { animation = nil }
    let showsData =
      animation?.startsWithDefault != false
      || !startsWithFrame && stream(of: still, in: bytes) == header.blankStream
    for (index, chunk) in chunks.enumerated() {
      if chunk.isAnimation {
        isPicture[index] = animation != nil && (isAnimated || chunk.type == "fdAT")
      }
      // Browsers with APNG support never show it.
      if chunk.type == "IDAT" { isPicture[index] = showsData }
    }
  }

  /// Reads the data of each picture up to the last row. In an animation, the frames before the first incomplete one are
  /// kept. Streams without checksum are recorded.
  ///
  /// - Throws: `incomplete` if the first picture lacks rows.
  mutating func keepWholeFrames(in bytes: [UInt8]) throws(ContainerError) {
    for (index, picture) in (animation?.frames ?? [still]).enumerated() {
      var rows = PNGRows(header: header, width: picture.width, height: picture.height)
      let hasChecksum = Inflate.pieces(stream(of: picture, in: bytes)) { rows.addBytes($0) }
      guard rows.isComplete else {
        guard index > 0 else {
          throw .incomplete(
            "png-rows", shown: rows.pixelsShown, of: rows.pixelCount,
            isInterlaced: header.isInterlaced)
        }
        if losses.isEmpty { losses = ["frames"] }
        return keepFrames(index, of: bytes)
      }
      guard !hasChecksum, let data = picture.data.first else { continue }
      withoutChecksum.insert(data)
      addRepair(PNGContainer.checksumRepair)
    }
  }

  /// Adds a repair, once.
  private mutating func addRepair(_ repair: String) {
    if !repairs.contains(repair) { repairs.append(repair) }
  }

  /// `true` if the picture in the product's IDAT is a frame, because the animation's first frame covers the canvas.
  var startsWithFrame: Bool {
    guard let animation else { return false }
    let first = animation.frames[0]
    return (first.width, first.height) == (header.width, header.height)
  }

  /// `true` if the product is animated. A single frame that covers the canvas is a still picture.
  var isAnimated: Bool { animation.map { $0.frames.count > 1 || !startsWithFrame } ?? false }
}
