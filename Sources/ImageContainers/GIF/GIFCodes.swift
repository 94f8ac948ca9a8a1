/// Encodes LZW codes, for the few frames that are not copied unchanged (GIF89a, appendix F).
enum GIFCodes {
  /// Returns the visible part of a frame's pixels, its rows from top to bottom.
  static func cut(
    _ pixels: [UInt8], of frame: GIFFrame, to part: (width: Int, height: Int)
  ) -> [UInt8] {
    let passes = frame.isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
    let rows = passes.flatMap { start, step in
      stride(from: start, to: frame.height, by: step)
    }
    var shown = [UInt8](repeating: 0, count: part.width * part.height)
    for (index, row) in rows.enumerated() where row < part.height {
      let start = index * frame.width
      shown.replaceSubrange(
        row * part.width..<(row + 1) * part.width, with: pixels[start..<start + part.width])
    }
    return shown
  }

  /// Returns the codes of these pixels and the bits of a literal.
  static func encode(_ pixels: [UInt8]) -> (literalBits: Int, data: [UInt8]) {
    let highest = Int(pixels.max() ?? 0)
    let literalBits = max(2, Int.bitWidth - highest.leadingZeroBitCount)
    let clear = 1 << literalBits
    var data: [UInt8] = []
    var bits = 0
    var bitCount = 0
    var size = literalBits + 1
    var next = clear + 2
    func emit(_ code: Int) {
      bits |= code << bitCount
      bitCount += size
      while bitCount >= 8 {
        data.append(UInt8(bits & 0xFF))
        bits >>= 8
        bitCount -= 8
      }
    }
    // The code of each string by the previous code and the following pixel, 0 if undefined.
    var strings = [UInt16](repeating: 0, count: 4_096 << literalBits)
    var current: Int?
    emit(clear)
    for pixel in pixels {
      guard let before = current else {
        current = Int(pixel)
        continue
      }
      let key = before << literalBits | Int(pixel)
      if strings[key] != 0 {
        current = Int(strings[key])
        continue
      }
      emit(before)
      if next < 4_096 {
        strings[key] = UInt16(next)
        next += 1
        // The decoder defines a string one code later than the encoder.
        if next == 1 << size + 1, size < 12 { size += 1 }
      } else {
        emit(clear)
        for index in strings.indices { strings[index] = 0 }
        size = literalBits + 1
        next = clear + 2
      }
      current = Int(pixel)
    }
    if let current { emit(current) }
    if next == 1 << size, size < 12 { size += 1 }
    emit(clear + 1)
    if bitCount > 0 { data.append(UInt8(bits)) }
    return (literalBits, data)
  }

  /// Appends sub-blocks, all of them full except the last, and the terminator.
  static func append(_ data: [UInt8], to output: inout [UInt8]) {
    for start in stride(from: 0, to: data.count, by: 255) {
      let block = data[start..<min(start + 255, data.count)]
      output.append(UInt8(block.count))
      output += block
    }
    output.append(0)
  }
}

extension GIFImageData.Reading {
  /// Returns the codes without the sub-block framing, up to the last code.
  func data(in bytes: [UInt8]) -> [UInt8] {
    var data: [UInt8] = []
    data.reserveCapacity(byteCount)
    var offset = subBlocks.lowerBound
    while data.count < byteCount {
      let count = min(Int(bytes[offset]), byteCount - data.count)
      data += bytes[offset + 1..<offset + 1 + count]
      offset += 1 + Int(bytes[offset])
    }
    if let last = data.indices.last { data[last] &= lastMask }
    return data
  }

  /// Returns `true` if all sub-blocks except the last have 255 bytes and the last one ends with the codes.
  func isInFullBlocks(_ bytes: [UInt8]) -> Bool {
    var offset = subBlocks.lowerBound
    while offset + 256 < end {
      guard bytes[offset] == 255 else { return false }
      offset += 256
    }
    return offset + 1 + Int(bytes[offset]) == end && end == subBlocks.upperBound
  }
}
