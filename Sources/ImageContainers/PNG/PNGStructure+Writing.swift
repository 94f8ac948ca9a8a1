extension PNGStructure {
  /// Writes the chunks in one order, each picture's data as one chunk.
  func cleaned(_ bytes: [UInt8]) -> [UInt8] {
    var output = PNGContainer.signature
    output.reserveCapacity(bytes.count)
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

    copy(chunks[0])
    if let chunk = color.keptChunk { copy(chunk) }
    if isAnimated, let animation {
      append("acTL", .big(animation.frames.count) + .big(animation.plays))
    }
    if let palette { copy(palette) }
    if let transparency { copy(transparency) }
    var controls = frameControls[...]
    if startsWithFrame, let first = controls.popFirst() { control(first) }
    let pictures = pictures
    append("IDAT", stream(of: pictures[0], in: bytes))
    for (chunk, picture) in zip(controls, pictures.dropFirst()) {
      control(chunk)
      append("fdAT", number() + stream(of: picture, in: bytes))
    }
    append("IEND", [])
    return output
  }

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

  /// The compressed data of a picture, zeros where it has none. What is without its checksum, which guards no
  /// pixel, is made again for decoders, which ask for one.
  func stream(of picture: PNGAnimation.Frame, in bytes: [UInt8]) -> [UInt8] {
    guard let first = picture.data.first else { return header.blankStream }
    let stream =
      picture.data.count == 1 ? Array(bytes[first]) : picture.data.flatMap { bytes[$0] }
    guard withoutChecksum.contains(first) else { return stream }
    var rows: [UInt8] = []
    _ = Inflate.pieces(stream) { rows += $0 }
    return ZlibStream.stored(rows)
  }
}
