extension PNGStructure {
  /// Writes the cleaned file. Its chunks have a fixed order, and the data of each picture is a single chunk.
  func cleaned(_ bytes: [UInt8]) -> [UInt8] {
    Self.file(
      header: Array(bytes[chunks[0].data]), color: color.keptChunk.map { bytes[$0.range] } ?? [],
      animation: animationControl, tables: tables(in: bytes),
      pictures: zip(frameControls, pictures).lazy.map { control, picture in
        (control.map { Array(bytes[$0.data].dropFirst(4)) }, stream(of: picture, in: bytes))
      }, capacity: bytes.count)
  }

  /// Writes a frame as a still PNG: header with the frame's size, palette, transparency, data.
  func picture(of frame: PNGAnimation.Frame, in bytes: [UInt8]) -> [UInt8] {
    Self.file(
      header: .big(frame.width) + .big(frame.height) + bytes[chunks[0].data].dropFirst(8),
      tables: tables(in: bytes), pictures: [(nil, stream(of: frame, in: bytes))],
      capacity: frame.data.reduce(2_048) { $0 + $1.count })
  }

  /// Writes a PNG in which the data of each picture is a single chunk.
  ///
  /// - Parameters:
  ///   - header: the data of IHDR.
  ///   - color: the chunk with the color space of the samples.
  ///   - animation: the data of acTL, or `nil` for a still picture.
  ///   - tables: the chunks of palette and transparency.
  ///   - pictures: the data of each picture, the first for IDAT, and for a frame the contents of its fcTL after the
  ///     sequence number.
  ///   - capacity: the approximate size of the file in bytes.
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

  /// Returns the chunks of palette and transparency, unchanged.
  private func tables(in bytes: [UInt8]) -> [UInt8] {
    [palette, transparency].compactMap(\.self).flatMap { bytes[$0.range] }
  }

  /// The data of acTL for the played frames, or `nil` for a still picture.
  var animationControl: [UInt8]? {
    guard isAnimated, let animation else { return nil }
    return .big(animation.frames.count) + .big(animation.plays)
  }

  /// The control chunk of each of `pictures`, or `nil` if it isn't a frame of an animation.
  var frameControls: [PNGChunk?] {
    guard isAnimated, let animation else { return [nil] }
    let controls = chunks.filter { $0.type == "fcTL" }.prefix(animation.frames.count)
    return (startsWithFrame ? [] : [nil]) + Array(controls)
  }

  /// The pictures of the product, the one for IDAT first. That is a picture of zeros if the animation's first frame
  /// doesn't cover the canvas.
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

  /// Returns the compressed data of a picture, or zeros if the picture has no data. A stream without checksum is
  /// written again with one, because decoders require it although it doesn't protect pixels.
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
