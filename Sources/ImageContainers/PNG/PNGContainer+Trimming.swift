/// Reading the data of a PNG to leave behind what no pixel needs.
extension PNGContainer {
  /// The pieces of a PNG that are written: each zlib stream whole, and what of palette and transparency
  /// is used.
  struct Pieces {
    /// The stream of each picture, the one for IDAT first.
    var streams: [[UInt8]]
    var palette: [UInt8]
    var transparency: [UInt8]

    /// All as it is in the file.
    init(_ structure: PNGStructure, of bytes: [UInt8]) {
      streams = structure.pictures.map { structure.stream(of: $0, in: bytes) }
      palette = structure.palette.map { Array(bytes[$0.data]) } ?? []
      transparency = structure.transparency.map { Array(bytes[$0.data]) } ?? []
    }

    /// Trims every stream to its rows and the tables to what pixels use. A stream that holds more
    /// than its rows show is deflated again, without loss. Of an animation the frames before the first
    /// that lacks rows stay.
    ///
    /// - Throws: `incomplete` when the picture lacks rows itself.
    mutating func trim(
      _ structure: inout PNGStructure, of bytes: [UInt8]
    ) throws(ContainerError) {
      let header = structure.header
      // Decoders look at this many bits of the transparent color as a sample has.
      let isKey = header.colorType != .palette && !transparency.isEmpty
      let key =
        !isKey
        ? []
        : stride(from: 1, to: transparency.count, by: 2).map {
          transparency[$0] & UInt8(truncatingIfNeeded: 1 << header.bitDepth - 1)
        }
      var use = PNGUse()
      func rows(of picture: PNGAnimation.Frame, writing entries: [UInt8]? = nil) -> PNGRows {
        PNGRows(
          header: header, width: picture.width, height: picture.height, transparentColor: key,
          use: use, writing: entries)
      }
      let pictures = structure.pictures
      var readings: [(reading: Inflate.StreamFacts, seen: PNGRows)] = []
      for (index, picture) in pictures.enumerated() {
        var seen = rows(of: picture)
        let stream = streams[index]
        let reading = Inflate.pieces(stream, in: 0..<stream.count) { seen.take($0) }
        guard seen.isComplete else {
          // A blank picture may come before the frames.
          let frame = index - (pictures.count - (structure.animation?.frames.count ?? 1))
          try structure.lose(from: frame, of: bytes, seen)
          self = Pieces(structure, of: bytes)
          return try trim(&structure, of: bytes)
        }
        if !reading.hasChecksum { structure.repaired("png-zlib-checksum") }
        use = seen.use
        readings.append((reading, seen))
      }
      let entries = mergedEntries(use)
      guard header.bitDepth <= 8 else { return keepWhole(readings.map(\.reading)) }
      let areMerged = (0..<256).contains { use.entries[$0] && Int(entries[$0]) != $0 }
      for (index, (reading, seen)) in readings.enumerated() {
        let stream = streams[index]
        let isRewritten = seen.hasPadding || seen.hasHiddenColor || areMerged
        if reading.isCanonical, seen.surplus == 0, !isRewritten {
          if reading.end < stream.count { streams[index] = Array(stream[..<reading.end]) }
          continue
        }
        var again = rows(of: pictures[index], writing: isRewritten ? entries : nil)
        var deflate = Deflate()
        _ = Inflate.pieces(stream, in: 0..<stream.count) {
          again.take($0)
          deflate.add(again.clean[...])
        }
        deflate.finish()
        streams[index] = deflate.output
      }
      if header.colorType == .palette {
        for index in 0..<256 where Int(entries[index]) != index { use.entries[index] = false }
        trimTables(use)
      } else if isKey {
        transparency = use.hasTransparentColor ? key.flatMap { [0, $0] } : []
      }
    }

    /// Makes streams that lack their end again, and leaves all else to a decoder.
    private mutating func keepWhole(_ readings: [Inflate.StreamFacts]) {
      for (index, reading) in readings.enumerated() where !reading.hasChecksum {
        let stream = streams[index]
        var deflate = Deflate()
        _ = Inflate.pieces(stream, in: 0..<stream.count) { deflate.add($0) }
        deflate.finish()
        streams[index] = deflate.output
      }
    }

    /// For each entry the first one in use that shows the same: which of them a pixel has, and the color
    /// of one that is wholly transparent, would say something that is never shown.
    private func mergedEntries(_ use: PNGUse) -> [UInt8] {
      var entries = [UInt8](0...255)
      var first: [[UInt8]: UInt8] = [:]
      for index in 0..<palette.count / 3 where index < 256 && use.entries[index] {
        let alpha = index < transparency.count ? transparency[index] : 255
        let color = palette[index * 3..<index * 3 + 3]
        let shown = alpha == 0 ? [0] : color + [alpha]
        entries[index] = first[shown] ?? UInt8(index)
        first[shown] = entries[index]
      }
      return entries
    }

    /// Colors that are wholly transparent become black. Unused entries become black and opaque; after
    /// the last used one there are none.
    private mutating func trimTables(_ use: PNGUse) {
      let count = palette.count / 3
      let kept = (0..<count).last { use.entries[$0] }.map { $0 + 1 } ?? 1
      palette = Array(palette[..<(kept * 3)])
      transparency = Array(transparency.prefix(kept))
      for index in 0..<kept {
        let isHidden = index < transparency.count && transparency[index] == 0
        guard isHidden || !use.entries[index] else { continue }
        palette.replaceSubrange(index * 3..<index * 3 + 3, with: [0, 0, 0])
        if !use.entries[index], index < transparency.count { transparency[index] = 255 }
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
    let isAnimated = structure.isAnimated
    if isAnimated, let animation = structure.animation {
      append("acTL", .big(animation.frames.count) + .big(animation.plays))
    }
    if !pieces.palette.isEmpty { append("PLTE", pieces.palette) }
    if !pieces.transparency.isEmpty { append("tRNS", pieces.transparency) }
    var controls = structure.frameControls[...]
    if structure.startsWithFrame, let first = controls.popFirst() {
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
  /// The control chunks of the frames that are played.
  var frameControls: [PNGChunk] {
    guard isAnimated, let animation else { return [] }
    return Array(chunks.lazy.filter { $0.type == "fcTL" }.prefix(animation.frames.count))
  }

  /// The pictures that are shown, the one for IDAT first: zeros where the animation's first frame does
  /// not cover the canvas and is none of IDAT.
  var pictures: [PNGAnimation.Frame] {
    guard let animation else { return [still] }
    let blank = PNGAnimation.Frame(width: header.width, height: header.height)
    return (startsWithFrame ? [] : [blank]) + animation.frames
  }

  /// The picture in IDAT.
  var still: PNGAnimation.Frame {
    .init(
      width: header.width, height: header.height,
      data: chunks.filter { $0.type == "IDAT" }.map(\.data))
  }

  /// The compressed data of a picture, zeros where it has none.
  func stream(of picture: PNGAnimation.Frame, in bytes: [UInt8]) -> [UInt8] {
    switch picture.data.count {
    case 0: header.blankStream
    case 1: Array(bytes[picture.data[0]])
    default: picture.data.flatMap { bytes[$0] }
    }
  }
}
