extension PNGStructure {
  /// Writes the chunks in one order, each picture's data as one chunk.
  func cleaned(_ bytes: [UInt8]) -> [UInt8] {
    Self.file(
      header: Array(bytes[chunks[0].data]), color: color.keptChunk.map { bytes[$0.range] } ?? [],
      animation: animationControl, tables: tables(in: bytes),
      pictures: zip(frameControls, pictures).lazy.map { control, picture in
        (control.map { Array(bytes[$0.data].dropFirst(4)) }, stream(of: picture, in: bytes))
      }, capacity: bytes.count)
  }

  /// Writes a still PNG of one frame: header with the frame's size, palette, transparency, data.
  func picture(of frame: PNGAnimation.Frame, in bytes: [UInt8]) -> [UInt8] {
    Self.file(
      header: .big(frame.width) + .big(frame.height) + bytes[chunks[0].data].dropFirst(8),
      tables: tables(in: bytes), pictures: [(nil, stream(of: frame, in: bytes))],
      capacity: frame.data.reduce(2_048) { $0 + $1.count })
  }

  /// Writes a PNG, each picture's data as one chunk.
  ///
  /// - Parameters:
  ///   - header: the data of IHDR.
  ///   - color: the chunk that says what color the samples have.
  ///   - animation: the data of acTL; nil in a still picture.
  ///   - tables: the chunks of palette and transparency.
  ///   - pictures: the data of each, the first for IDAT, with what the fcTL of a frame says after its sequence
  ///     number.
  ///   - capacity: about how many bytes the file will have.
  static func file(
    header: [UInt8], color: ArraySlice<UInt8> = [], animation: [UInt8]? = nil,
    tables: [UInt8] = [],
    pictures: some Sequence<(control: [UInt8]?, data: [UInt8])>, capacity: Int
  ) -> [UInt8] {
    var output = PNGContainer.signature
    output.reserveCapacity(capacity)
    var sequence = 0
    func number() -> [UInt8] {
      defer { sequence += 1 }
      return .big(sequence)
    }
    PNGChunk.append("IHDR", header, to: &output)
    output += color
    if let animation { PNGChunk.append("acTL", animation, to: &output) }
    output += tables
    for (index, picture) in pictures.enumerated() {
      if let control = picture.control { PNGChunk.append("fcTL", number() + control, to: &output) }
      if index == 0 {
        PNGChunk.append("IDAT", picture.data, to: &output)
      } else {
        PNGChunk.append("fdAT", number() + picture.data, to: &output)
      }
    }
    PNGChunk.append("IEND", [], to: &output)
    return output
  }

  /// Returns the chunks of palette and transparency as they stand in the file.
  private func tables(in bytes: [UInt8]) -> [UInt8] {
    [palette, transparency].compactMap(\.self).flatMap { bytes[$0.range] }
  }

  /// The data of acTL for the frames that are played; nil for a still picture.
  var animationControl: [UInt8]? {
    guard isAnimated, let animation else { return nil }
    return .big(animation.frames.count) + .big(animation.plays)
  }

  /// The control chunk of each of `pictures`; nil for one that is no frame of an animation.
  var frameControls: [PNGChunk?] {
    guard isAnimated, let animation else { return [nil] }
    let controls = chunks.filter { $0.type == "fcTL" }.prefix(animation.frames.count)
    return (startsWithFrame ? [] : [nil]) + Array(controls)
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

  /// Returns the compressed data of a picture, zeros where it has none. What is without its
  /// checksum, which guards no pixel, is made again for decoders, which ask for one.
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
