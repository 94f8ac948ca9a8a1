/// Reading the data of a PNG to leave behind what no pixel needs.
extension PNGContainer {
  /// The pieces of a PNG that are written: each zlib stream whole, and what of palette and transparency
  /// is used.
  struct Pieces {
    /// The stream of IDAT, then those of the frames behind it.
    var streams: [[UInt8]]
    var palette: [UInt8]
    var transparency: [UInt8]

    /// All as it is in the file.
    init(_ structure: PNGStructure, of bytes: [UInt8]) {
      streams = structure.pictures.map { picture in
        picture.data.count == 1
          ? Array(bytes[picture.data[0]]) : picture.data.flatMap { bytes[$0] }
      }
      palette = structure.palette.map { Array(bytes[$0.data]) } ?? []
      transparency = structure.transparency.map { Array(bytes[$0.data]) } ?? []
    }

    /// Trims every stream to its rows and the tables to what pixels use. A stream that holds more
    /// than its rows in its own codes is deflated anew, without loss.
    ///
    /// - Returns: false when a stream cannot be read: nothing is trimmed then.
    mutating func trim(_ structure: PNGStructure) -> Bool {
      let header = structure.header
      // Decoders look at so many bits of the transparent color as a sample has.
      let isKey = header.colorType != .palette && !transparency.isEmpty
      let key =
        !isKey
        ? []
        : stride(from: 1, to: transparency.count, by: 2).map {
          transparency[$0] & UInt8(truncatingIfNeeded: 1 << header.bitDepth - 1)
        }
      var use = PNGUse()
      var trimmed: [[UInt8]] = []
      for (picture, stream) in zip(structure.pictures, streams) {
        func rows(_ cleansPadding: Bool) -> PNGRows {
          PNGRows(
            header: header, width: picture.width, height: picture.height, transparentColor: key,
            use: use, cleansPadding: cleansPadding)
        }
        var seen = rows(false)
        guard
          let reading = try? Inflate.pieces(
            stream, in: 0..<stream.count, receive: { seen.take($0) }),
          seen.isWhole
        else { return false }
        if reading.isPlain, seen.surplus == 0, !seen.hasPadding {
          trimmed.append(reading.end == stream.count ? stream : Array(stream[..<reading.end]))
        } else {
          var again = rows(seen.hasPadding)
          var deflate = Deflate()
          _ = try? Inflate.pieces(stream, in: 0..<stream.count) {
            again.take($0)
            deflate.add(again.clean[...])
          }
          deflate.finish()
          trimmed.append(deflate.output)
        }
        use = seen.use
      }
      streams = trimmed
      if header.colorType == .palette {
        trimTables(use)
      } else if isKey {
        transparency = use.hasTransparentColor ? key.flatMap { [0, $0] } : []
      }
      return true
    }

    /// Unused entries become black and opaque; behind the last used one there are none.
    private mutating func trimTables(_ use: PNGUse) {
      let count = palette.count / 3
      let kept = (0..<count).last { use.entries[$0] }.map { $0 + 1 } ?? 1
      palette = Array(palette[..<(kept * 3)])
      transparency = Array(transparency.prefix(kept))
      for index in 0..<kept where !use.entries[index] {
        palette.replaceSubrange(index * 3..<index * 3 + 3, with: [0, 0, 0])
        if index < transparency.count { transparency[index] = 255 }
      }
      while transparency.last == 255 { transparency.removeLast() }
    }
  }

  /// Writes the chunks in one order, each picture's data as one chunk.
  static func write(_ pieces: Pieces, _ structure: PNGStructure, of bytes: [UInt8]) -> [UInt8] {
    var output = signature
    output.reserveCapacity(pieces.streams.reduce(2_048) { $0 + $1.count + 64 })
    func append(_ type: String, _ data: [UInt8]) {
      PNGChunk.append(type, data, in: 0..<data.count, to: &output)
    }
    func copy(_ chunk: PNGChunk) { output += bytes[chunk.range] }
    var sequence = 0
    func number() -> [UInt8] {
      defer { sequence += 1 }
      return .big(sequence)
    }
    func control(_ chunk: PNGChunk) { append("fcTL", number() + bytes[chunk.data].dropFirst(4)) }

    copy(structure.chunks[0])
    if let chunk = structure.color.keptChunk { copy(chunk) }
    let isAnimated = structure.animation != nil
    if isAnimated, let chunk = structure.chunks.first(where: { $0.type == "acTL" }) { copy(chunk) }
    if !pieces.palette.isEmpty { append("PLTE", pieces.palette) }
    if !pieces.transparency.isEmpty { append("tRNS", pieces.transparency) }
    var controls = (isAnimated ? structure.chunks.filter { $0.type == "fcTL" } : [])[...]
    if structure.animation?.startsWithDefault == true, let first = controls.popFirst() {
      control(first)
    }
    append("IDAT", pieces.streams[0])
    for (chunk, stream) in zip(controls, pieces.streams.dropFirst()) {
      control(chunk)
      append("fdAT", number() + stream)
    }
    append("IEND", [])
    return output
  }
}

extension PNGStructure {
  /// The pictures in the file: that of IDAT, then the frames behind it.
  var pictures: [PNGAnimation.Frame] {
    let still = PNGAnimation.Frame(
      width: header.width, height: header.height,
      data: chunks.filter { $0.type == "IDAT" }.map(\.data))
    guard let animation else { return [still] }
    return [still] + animation.frames.dropFirst(animation.startsWithDefault ? 1 : 0)
  }
}
