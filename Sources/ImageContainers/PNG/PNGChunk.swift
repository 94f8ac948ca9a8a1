/// A chunk of a PNG, as ranges of the file (W3C PNG Third Edition, 5.3).
struct PNGChunk {
  /// The four letters, such as `IDAT`.
  let type: String
  /// The range of its data, without length, type and checksum.
  let data: Range<Int>
  let isIntact: Bool
  /// `true` if the file ends before the chunk's checksum.
  let isCut: Bool

  /// The range of the chunk with length, type and checksum.
  var range: Range<Int> { data.lowerBound - 8..<data.upperBound + 4 }

  /// `true` if decoders must understand the chunk. Its first letter is upper case then.
  var isCritical: Bool { type.utf8.first.map { $0 & 0x20 == 0 } ?? false }

  var isAnimation: Bool { type == "acTL" || type == "fcTL" || type == "fdAT" }

  /// Parses the next chunk. The length is first checked against the remaining bytes, because libpng allocates the
  /// declared length. Data of pictures may be truncated; the code that reads it decides how much is usable.
  init(_ reader: inout ByteReader, limits: ContainerLimits) throws(ContainerError) {
    let start = reader.offset
    let length = try reader.big(4, "png-chunk")
    let name = try reader.range(4, for: "png-chunk")
    let isData = reader.bytes[name].dropFirst().elementsEqual("DAT".utf8)
    isCut = length > reader.remaining - 4
    guard !isCut || isData else { throw .truncated("png-chunk", offset: start) }
    guard reader.bytes[name].allSatisfy({ 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 }) else {
      throw .malformed("png-chunk-type", offset: start)
    }
    type = String(decoding: reader.bytes[name], as: UTF8.self)
    data = try reader.range(min(length, reader.remaining), for: "png-chunk")
    guard !isCut else {
      isIntact = false
      reader.offset = reader.end
      return
    }
    let stored = try reader.big(4, "png-chunk")
    let isAncillary = reader.bytes[name.lowerBound] & 0x20 != 0
    // The data of an animation frame is part of the picture and has no limit. All other ancillary chunks have one.
    if isAncillary, type != "fdAT", length > limits.chunkBytes {
      throw .overLimit(.chunkBytes, actual: length, allowed: limits.chunkBytes)
    }
    isIntact =
      CRC32.checksum(reader.bytes, in: name.lowerBound..<data.upperBound) == UInt32(stored)
    guard isIntact || isAncillary else { throw .malformed("png-chunk-crc", offset: start) }
  }

  /// Appends a chunk with this type and data and its checksum.
  static func append(_ type: String, _ data: [UInt8], to output: inout [UInt8]) {
    let start = output.count
    output += .big(data.count) + type.utf8
    output += data
    output += .big(Int(CRC32.checksum(output, in: start + 4..<output.count)))
  }
}
