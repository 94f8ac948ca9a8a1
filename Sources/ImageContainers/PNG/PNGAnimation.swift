/// The animation of an APNG, checked against all rules (W3C PNG Third Edition, 4.9 and 11.3.7).
struct PNGAnimation {
  /// The declared number of frames.
  let count: Int
  /// The number of plays, or 0 for endless.
  let plays: Int
  /// The frames that are played, in order.
  private(set) var frames: [Frame] = []
  /// `true` if the picture in IDAT is the first frame. Otherwise only decoders without APNG support show it.
  let startsWithDefault: Bool

  /// One frame: its size and position on the canvas in pixels, and the ranges of its compressed data.
  struct Frame {
    let width: Int
    let height: Int
    var left = 0
    var top = 0
    /// The ranges of its IDAT data, or of its fdAT data after the sequence number.
    var data: [Range<Int>] = []
  }

  /// Parses the animation. Returns `nil` if a rule is broken, because browsers then show the default picture as a still
  /// one. Missing frames don't break a rule, and from the first damaged frame on, all count as missing.
  init?(_ bytes: [UInt8], chunks: [PNGChunk], header: PNGHeader) {
    guard let control = chunks.firstIndex(where: { $0.type == "acTL" }),
      let firstData = chunks.firstIndex(where: { $0.type == "IDAT" }), control < firstData,
      chunks[control].data.count == 8, chunks[control].isIntact
    else { return nil }
    var reader = ByteReader(bytes, in: chunks[control].data)
    guard let count = try? reader.big(4, "acTL"), let plays = try? reader.big(4, "acTL"), count > 0
    else { return nil }
    self.count = count
    self.plays = plays
    startsWithDefault = chunks[..<firstData].contains { $0.type == "fcTL" }

    var sequence = 0
    var isDamaged = false
    for (index, chunk) in chunks.enumerated() where !isDamaged {
      guard !chunk.isAnimation || chunk.isIntact || chunk.isCut else {
        isDamaged = true
        // If the damaged frame is the default picture, it is kept, because its data is in IDAT.
        if chunk.type == "fdAT", let last = frames.indices.last, last > 0 || !startsWithDefault {
          frames.removeLast()
        }
        continue
      }
      var reader = ByteReader(bytes, in: chunk.data)
      switch chunk.type {
      case "acTL":
        guard index == control else { return nil }
      case "IDAT":
        if startsWithDefault { frames[frames.count - 1].data.append(chunk.data) }
      case "fcTL":
        let isDefault = index < firstData
        guard index > control, (try? reader.big(4, "fcTL")) == sequence,
          frames.last?.data.isEmpty != true,
          let frame = Self.frame(&reader, header: header, isDefault: isDefault)
        else { return nil }
        sequence += 1
        frames.append(frame)
      case "fdAT":
        guard index > firstData, (try? reader.big(4, "fdAT")) == sequence,
          let last = frames.indices.last, !(startsWithDefault && last == 0)
        else { return nil }
        sequence += 1
        frames[last].data.append(reader.offset..<reader.end)
      default: break
      }
    }
    if frames.last?.data.isEmpty == true, frames.count > 1 || isDamaged { frames.removeLast() }
    guard 1...count ~= frames.count, frames.last?.data.isEmpty == false else { return nil }
  }

  /// Keeps only the first `count` frames.
  mutating func keepFirst(_ count: Int) { frames.removeSubrange(min(count, frames.count)...) }

  /// Parses a frame control chunk after its sequence number (11.3.7.2).
  private static func frame(
    _ reader: inout ByteReader, header: PNGHeader, isDefault: Bool
  ) -> Frame? {
    guard reader.remaining == 22, let width = try? reader.big(4, "fcTL"),
      let height = try? reader.big(4, "fcTL"), let x = try? reader.big(4, "fcTL"),
      let y = try? reader.big(4, "fcTL"), (try? reader.skip(4, for: "fcTL")) != nil,
      let dispose = try? reader.u8("fcTL"), let blend = try? reader.u8("fcTL"),
      width > 0, height > 0, x + width <= header.width, y + height <= header.height,
      dispose <= 2, blend <= 1
    else { return nil }
    if isDefault {
      guard width == header.width, height == header.height, x == 0, y == 0 else { return nil }
    }
    return Frame(width: width, height: height, left: x, top: y)
  }
}
