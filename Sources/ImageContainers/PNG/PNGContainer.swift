/// PNG and APNG: chunks walked, checked and rewritten (W3C PNG Third Edition, 2025).
public enum PNGContainer {
  /// The eight bytes every PNG starts with (5.2).
  public static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Walks all chunks and returns what is there, without decoding pixels; checksums are verified. When
  /// the end is missing, the data is read to see whether rows are missing as well.
  ///
  /// Ancillary chunks that are damaged or against the rules count as absent and are listed among
  /// the parts, as decoders do. An animation that breaks a rule is none: oddity `apng-broken`.
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - limits: pixels, frames, chunks and bytes of ancillary chunks.
  /// - Throws: `ContainerError`, words starting with `png-`: `incomplete` when rows are missing with the
  ///   end.
  public static func walk(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    facts(of: try PNGStructure(bytes, limits: limits), in: bytes)
  }

  static func facts(of structure: PNGStructure, in bytes: [UInt8]) -> ImageFacts {
    let header = structure.header
    var facts = ImageFacts(
      format: .png, storedWidth: header.width, storedHeight: header.height)
    facts.colorModel = header.colorType.model
    facts.bitDepth = header.colorType == .palette ? 8 : header.bitDepth
    facts.hasAlpha =
      header.colorType == .grayAlpha || header.colorType == .rgbAlpha
      || structure.transparency != nil
    if let animation = structure.animation {
      facts.frameCount = animation.frames.count
      facts.loopCount = animation.plays
    }
    if let count = structure.fileFrameCount, count > facts.frameCount {
      facts.fileFrameCount = count
    }
    (facts.repairs, facts.losses) = (structure.repairs, structure.losses)
    facts.colorTag = structure.color.tag
    facts.oddities = structure.color.oddities
    if structure.hasBrokenAnimation { facts.oddities.append("apng-broken") }

    let metadata = PNGMetadata(bytes, chunks: structure.chunks)
    facts.exif = metadata.exif
    facts.orientation = metadata.exif?.orientation ?? 1
    facts.hasLocation = metadata.hasLocation
    facts.parts = zip(structure.chunks, structure.isPicture).filter { !$0.1 }.map { chunk, _ in
      ContainerPart(
        PNGMetadata.kind(of: chunk, in: bytes), bytes: chunk.range.count, origin: chunk.type)
    }
    if !structure.trailing.isEmpty {
      facts.parts.append(.init(.trailing, bytes: structure.trailing.count, origin: "after IEND"))
    }
    return facts
  }

  /// Writes the chunks that decoding needs and nothing else: IHDR, PLTE of an indexed picture, tRNS,
  /// IDAT, IEND, the chunks of a sound animation, and sRGB where it holds.
  ///
  /// Shown pixels stay as they are, bit for bit: each zlib stream is kept up to its end, and deflated
  /// again only when it holds more than its rows show. Colors of pixels that are wholly transparent
  /// become zero, entries of a palette that show the same become one, and entries and transparency
  /// that no pixel uses are gone. A picture in IDAT that no browser shows gives way to the animation's
  /// first frame, or to zeros where that does not cover the canvas (decision 38). Orientation and color
  /// other than sRGB are lost: that is for the caller to have applied.
  /// Data of 16 bits a sample has to be decoded: its rows are read, and stay what they are.
  /// - Throws: what `walk` throws, `incomplete` when rows of the picture are missing.
  public static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try walkAndClean(bytes, limits: limits).clean
  }

  /// What `walk` and `clean` give, from one reading of the structure, but nothing is inflated: the data
  /// comes along whatever it holds, so that the product is clean only when it is proved so.
  /// - Throws: what `walk` throws.
  static func walkAndCleanUnread(
    _ bytes: [UInt8], limits: ContainerLimits
  ) throws(ContainerError) -> (facts: ImageFacts, clean: [UInt8]) {
    let structure = try PNGStructure(bytes, limits: limits)
    return (
      facts(of: structure, in: bytes), write(Pieces(structure, of: bytes), structure, of: bytes)
    )
  }

  /// What `walk` and `clean` give, from one reading.
  ///
  /// - Parameters:
  ///   - bytes: the file, from its first byte to its last.
  ///   - limits: what a file may cost before it is refused.
  /// - Throws: what `walk` throws, `incomplete` when rows of the picture are missing.
  public static func walkAndClean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> (facts: ImageFacts, clean: [UInt8]) {
    var structure = try PNGStructure(bytes, limits: limits)
    let clean = try clean(&structure, of: bytes)
    return (facts(of: structure, in: bytes), clean)
  }

  /// The product, its data trimmed.
  ///
  /// The reader of the proof is many times faster, and what it accounts for needs no trimming: most
  /// pictures. All else is read, judged and trimmed by the cleaner's own.
  ///
  /// - Throws: `incomplete` when rows of the picture are missing.
  private static func clean(
    _ structure: inout PNGStructure, of bytes: [UInt8]
  ) throws(ContainerError) -> [UInt8] {
    var pieces = Pieces(structure, of: bytes)
    let untrimmed = write(pieces, structure, of: bytes)
    if (try? PNGProof.account(for: untrimmed)) != nil { return untrimmed }
    try pieces.trim(&structure, of: bytes)
    return write(pieces, structure, of: bytes)
  }

  /// The frame that a browser shows first, when that is not the picture in IDAT, which then is for
  /// decoders that know no APNG.
  ///
  /// - Returns: the frame as a PNG of its own and its place on the canvas in pixels; around it the
  ///   canvas is transparent (13.2 and 13.4). Nil when IDAT is what everybody shows.
  /// - Throws: what `walk` throws.
  public static func firstFrame(
    of bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> (png: [UInt8], left: Int, top: Int)? {
    let structure = try PNGStructure(bytes, limits: limits)
    guard let animation = structure.animation, !animation.startsWithDefault else { return nil }
    let frame = animation.frames[0]
    return (structure.picture(of: frame, in: bytes), frame.left, frame.top)
  }

  /// Each frame that a browser plays as a PNG of its own, made when it is asked for, so that a
  /// decoder that knows no APNG can prove every one of them.
  ///
  /// A frame has its own size in pixels, which is at most the canvas; it is not yet composed with
  /// the frames before it. A still picture is one frame.
  /// - Throws: what `walk` throws.
  public static func frames(
    of bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> some RandomAccessCollection<[UInt8]> {
    let structure = try PNGStructure(bytes, limits: limits)
    return (structure.animation?.frames ?? [structure.still]).lazy.map {
      structure.picture(of: $0, in: bytes)
    }
  }
}

extension PNGStructure {
  /// A still PNG of one frame: header with the frame's size, palette, transparency, data.
  func picture(of frame: PNGAnimation.Frame, in bytes: [UInt8]) -> [UInt8] {
    var header = [UInt8](bytes[chunks[0].data])
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      header[index] = UInt8(truncatingIfNeeded: frame.width >> shift)
      header[4 + index] = UInt8(truncatingIfNeeded: frame.height >> shift)
    }
    var output = PNGContainer.signature
    output.reserveCapacity(2_048 + frame.data.reduce(0) { $0 + $1.count + 12 })
    PNGChunk.append("IHDR", header, in: 0..<header.count, to: &output)
    for chunk in [palette, transparency] {
      if let chunk { output += bytes[chunk.range] }
    }
    let stream = stream(of: frame, in: bytes)
    PNGChunk.append("IDAT", stream, in: 0..<stream.count, to: &output)
    PNGChunk.append("IEND", [], in: 0..<0, to: &output)
    return output
  }
}
