/// Writes the animation again with only the visible data.
extension GIFStructure {
  /// Returns the cleaned file: screen, palettes, a looping extension if it is animated, control blocks and frames. The
  /// LZW codes are copied unchanged, except for three kinds of frames, which are encoded again without loss: those that
  /// extend beyond the screen, those with surplus codes, and those with several palette entries of the same color.
  /// Unused palette entries become black, and bytes that decoders ignore become zero.
  func cleaned(_ bytes: [UInt8]) throws(ContainerError) -> [UInt8] {
    let pictures = try frames.map { frame throws(ContainerError) in
      try CleanFrame(frame, of: self, in: bytes)
    }
    // Some decoders, but no browsers, paint the background if the first frame doesn't cover the screen or a frame is
    // removed.
    let isBare = pictures[0].width < width || pictures[0].height < height
    let showsBackground =
      (isBare || pictures.contains { $0.disposal == 2 && !$0.isTransparent })
      && background < palette.count / 3
    var used = GIFIndices()
    for picture in pictures where picture.palette.isEmpty { used.formUnion(picture.shown) }
    if showsBackground { used.insert(background) }

    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    let loop = isAnimated ? loopValue : nil
    let hasExtension = loop != nil || pictures.contains { $0.hasControl }
    output += hasExtension ? Array("GIF89a".utf8) : Array(bytes[0..<6])
    output += Self.little(width) + Self.little(height)
    let keepsPalette = !palette.isEmpty && !used.isEmpty
    output.append(keepsPalette ? 0x80 | bytes[10] & 7 : 0)
    output += [showsBackground ? UInt8(background) : 0, 0]
    if keepsPalette { output += Self.blackened(bytes[palette], but: used) }
    if let loop {
      output += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.little(loop) + [0]
    }
    for picture in pictures { picture.append(to: &output, bytes) }
    output.append(0x3B)
    return output
  }

  fileprivate static func little(_ value: Int) -> [UInt8] {
    [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)]
  }

  /// Returns the color table with all unused entries set to black.
  fileprivate static func blackened(_ table: ArraySlice<UInt8>, but used: GIFIndices) -> [UInt8] {
    var table = Array(table)
    for index in 0..<table.count / 3 where !used.contains(index) {
      table.replaceSubrange(index * 3..<index * 3 + 3, with: [0, 0, 0])
    }
    return table
  }
}

/// A frame of the cleaned file, cropped to the screen.
private struct CleanFrame {
  var left, top, width, height: Int
  var isTransparent: Bool
  var transparentIndex: Int
  var disposal: Int
  var delay: Int
  var isInterlaced: Bool
  var palette: Range<Int>
  var codes: GIFImageData.Reading
  /// The code size and the codes, if they aren't copied.
  var coded: (literalBits: Int, data: [UInt8])?
  /// The palette entries of visible pixels.
  var shown: GIFIndices

  init(_ frame: GIFFrame, of structure: GIFStructure, in bytes: [UInt8]) throws(ContainerError) {
    left = frame.left
    top = frame.top
    width = frame.width
    height = frame.height
    isTransparent = frame.isTransparent
    transparentIndex = frame.transparentIndex
    disposal = structure.isAnimated ? frame.disposal : 0
    delay = structure.isAnimated ? frame.delay : 0
    isInterlaced = frame.isInterlaced
    palette = frame.palette
    codes = frame.codes
    shown = frame.codes.used
    guard let part = frame.shown(width: structure.width, height: structure.height) else {
      // Browsers wait for the duration of an invisible frame, so a transparent pixel takes its place.
      left = 0
      top = 0
      width = 1
      height = 1
      disposal = 1
      isInterlaced = false
      palette = 0..<0
      transparentIndex = 0
      shown = GIFIndices()
      coded = GIFCodes.encode([0])
      return
    }
    if part != (width, height) || !codes.isPlain || frame.mergedEntries != nil {
      var imageData = GIFImageData()
      var pixels = try imageData.pixels(of: codes, in: bytes, count: width * height)
      if part != (width, height) {
        pixels = GIFCodes.cut(pixels, of: frame, to: part)
        width = part.width
        height = part.height
        isInterlaced = false
      }
      if let entries = frame.mergedEntries { pixels = pixels.map { entries[Int($0)] } }
      shown = GIFIndices()
      for pixel in pixels { shown.insert(Int(pixel)) }
      coded = GIFCodes.encode(pixels)
    }
    guard isTransparent else { return }
    // Uses the first free index, because an arbitrary unused index could hide data.
    if !shown.contains(transparentIndex), let missing = shown.firstMissing {
      transparentIndex = missing
    }
    shown.remove(transparentIndex)
  }

  var hasControl: Bool { isTransparent || disposal != 0 || delay != 0 }

  func append(to output: inout [UInt8], _ bytes: [UInt8]) {
    if hasControl {
      output += [0x21, 0xF9, 4, UInt8(disposal << 2 | (isTransparent ? 1 : 0))]
      output += GIFStructure.little(delay) + [UInt8(transparentIndex), 0]
    }
    output.append(0x2C)
    for number in [left, top, width, height] { output += GIFStructure.little(number) }
    let tableBits = palette.isEmpty ? 0 : 0x80 | (palette.count / 3).trailingZeroBitCount - 1
    output.append(UInt8(tableBits | (isInterlaced ? 0x40 : 0)))
    output += GIFStructure.blackened(bytes[palette], but: shown)
    if let coded {
      output.append(UInt8(coded.literalBits))
      GIFCodes.append(coded.data, to: &output)
      return
    }
    output.append(UInt8(codes.literalBits))
    if codes.isInFullBlocks(bytes) {
      output += bytes[codes.subBlocks.lowerBound..<codes.end]
      output[output.count - 1] &= codes.lastMask
      output.append(0)
    } else {
      GIFCodes.append(codes.data(in: bytes), to: &output)
    }
  }
}
