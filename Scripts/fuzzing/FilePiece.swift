/// A part of a file that says how long it is: a segment, a chunk, a box.
struct FilePiece {
  var payload: Range<Int>
  /// All numbers that change with the length of the payload: its own and those around it.
  var sizes: [SizeField]

  struct SizeField {
    var offset: Int
    var byteCount: Int
    var isBigEndian = true

    func add(_ difference: Int, to bytes: inout [UInt8]) {
      let places = (0..<byteCount).map { offset + (isBigEndian ? $0 : byteCount - 1 - $0) }
      let value = places.reduce(0) { $0 << 8 | Int(bytes[$1]) } + difference
      for (index, place) in places.enumerated() {
        bytes[place] = UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - index)))
      }
    }
  }

  /// The pieces of a file of this format, as far as they can be followed.
  static func all(in bytes: [UInt8], of format: ImageFormat?) -> [FilePiece] {
    var pieces: [FilePiece] = []
    switch format {
    case .jpeg: addSegments(bytes, to: &pieces)
    case .png: addChunks(bytes, to: &pieces)
    case .webp:
      guard bytes.count > 12 else { return [] }
      let whole = SizeField(offset: 4, byteCount: 4, isBigEndian: false)
      addRIFF(bytes, in: 12..<bytes.count, around: [whole], to: &pieces)
    case .heic: addBoxes(bytes, in: 0..<bytes.count, around: [], to: &pieces)
    case .gif, nil: break
    }
    return pieces
  }

  private static func addSegments(_ bytes: [UInt8], to pieces: inout [FilePiece]) {
    var offset = 2
    while offset + 4 <= bytes.count, pieces.count < 200 {
      guard bytes[offset] == 0xFF, bytes[offset + 1] >= 0xC0, !(0xD0...0xD9 ~= bytes[offset + 1])
      else {
        // Entropy-coded data, or a marker without a length.
        offset += 1
        continue
      }
      let end = offset + 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      guard end >= offset + 4, end <= bytes.count else { return }
      pieces.append(
        FilePiece(
          payload: offset + 4..<end, sizes: [SizeField(offset: offset + 2, byteCount: 2)]))
      offset = end
    }
  }

  private static func addChunks(_ bytes: [UInt8], to pieces: inout [FilePiece]) {
    var reader = ByteReader(bytes, in: 8..<max(8, bytes.count))
    while pieces.count < 200, let length = try? reader.big(4, ""),
      (try? reader.skip(4, for: "")) != nil, let payload = try? reader.range(length, for: ""),
      (try? reader.skip(4, for: "")) != nil
    {
      let size = SizeField(offset: payload.lowerBound - 8, byteCount: 4)
      pieces.append(FilePiece(payload: payload, sizes: [size]))
    }
  }

  private static func addRIFF(
    _ bytes: [UInt8], in range: Range<Int>, around sizes: [SizeField],
    to pieces: inout [FilePiece]
  ) {
    var reader = ByteReader(bytes, in: range)
    while pieces.count < 200, let type = try? reader.fourCC(""),
      let length = try? reader.little(4, ""), let payload = try? reader.range(length, for: "")
    {
      let size = SizeField(offset: payload.lowerBound - 4, byteCount: 4, isBigEndian: false)
      pieces.append(FilePiece(payload: payload, sizes: sizes + [size]))
      if type == "ANMF", length > 16 {
        let frame = payload.lowerBound + 16..<payload.upperBound
        addRIFF(bytes, in: frame, around: sizes + [size], to: &pieces)
      }
      if length % 2 == 1 { _ = try? reader.skip(1, for: "") }
    }
  }

  /// Boxes that hold boxes, and how many bytes of their body come first.
  private static let containers = [
    "meta": 4, "iinf": 6, "iref": 4, "iprp": 0, "ipco": 0, "grpl": 0, "moov": 0, "trak": 0,
    "mdia": 0,
  ]

  private static func addBoxes(
    _ bytes: [UInt8], in range: Range<Int>, around sizes: [SizeField],
    to pieces: inout [FilePiece]
  ) {
    var reader = ByteReader(bytes, in: range)
    while pieces.count < 400, let box = try? reader.box() {
      let size = SizeField(offset: box.range.lowerBound, byteCount: 4)
      pieces.append(FilePiece(payload: box.body, sizes: sizes + [size]))
      if let skip = containers[box.type], skip < box.body.count, sizes.count < 8 {
        let inner = box.body.lowerBound + skip..<box.body.upperBound
        addBoxes(bytes, in: inner, around: sizes + [size], to: &pieces)
      }
    }
  }

  /// Writes the right checksum behind every chunk that lies inside the file.
  static func mendChecksums(ofPNG bytes: inout [UInt8]) {
    var pieces: [FilePiece] = []
    addChunks(bytes, to: &pieces)
    for piece in pieces {
      let end = piece.payload.upperBound
      let checksum = CRC32.checksum(bytes, in: piece.payload.lowerBound - 4..<end)
      for index in 0..<4 {
        bytes[end + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * index))
      }
    }
  }
}
