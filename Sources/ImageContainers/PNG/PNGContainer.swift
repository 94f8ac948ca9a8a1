/// PNG and APNG: chunks parsed, checked and rewritten (W3C PNG Third Edition, 2025).
package enum PNGContainer {
  /// The eight bytes every PNG starts with (5.2).
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Parses all chunks and returns what is there, without decoding pixels; checksums are verified. When
  /// the end is missing, the data is read to see whether rows are missing as well.
  ///
  /// Ancillary chunks that are damaged or against the rules count as absent and are listed among
  /// the parts, as decoders do. An animation that breaks a rule is none: oddity `apng-broken`.
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - limits: pixels, frames, chunks and bytes of ancillary chunks.
  /// - Throws: `ContainerError`, words starting with `png-`: `incomplete` when rows are missing with the
  ///   end.
  package static func parse(
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
    facts.repairs = structure.repairs
    facts.losses = structure.losses
    facts.colorTag = structure.color.tag
    facts.oddities = structure.color.oddities
    if structure.hasBrokenAnimation { facts.oddities.append("apng-broken") }

    let metadata = PNGMetadata(bytes, chunks: structure.chunks)
    facts.exif = metadata.exif
    facts.orientation = metadata.exif?.orientation ?? 1
    facts.hasLocation = metadata.hasLocation
    facts.parts = zip(structure.chunks, structure.isPicture).filter { !$0.1 }.flatMap { chunk, _ in
      RemovedBytes.parts(
        of: chunk.range, in: bytes, as: PNGMetadata.kind(of: chunk, in: bytes), origin: chunk.type)
    }
    facts.parts += RemovedBytes.parts(
      of: structure.trailing, in: bytes, as: .trailing, origin: "after IEND")
    return facts
  }

  /// Names the repair of a zlib stream that lacks the checksum of its rows.
  package static let checksumRepair = "png-zlib-checksum"

  /// Writes the chunks that decoding needs and nothing else: IHDR, PLTE of an indexed picture, tRNS,
  /// IDAT, IEND, the chunks of a sound animation, and sRGB where it holds.
  ///
  /// Each zlib stream is copied once its rows are counted, whatever else it holds: the proof finds that. A
  /// picture in IDAT that no browser shows gives way to the animation's first frame, or to zeros where that does
  /// not cover the canvas (decision 38). Orientation and color other than sRGB are lost: that is for the caller
  /// to have applied.
  /// - Throws: what `parse` throws, `incomplete` when rows of the picture are missing.
  package static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try parseAndClean(bytes, limits: limits, readingData: true).clean
  }

  /// Parses and cleans a file from one reading of its structure.
  ///
  /// - Parameters:
  ///   - bytes: the file, from its first byte to its last.
  ///   - limits: what a file may cost before it is refused.
  ///   - readingData: false inflates nothing, so that rows may be missing.
  /// - Throws: what `parse` throws, `incomplete` when rows of the picture are missing.
  static func parseAndClean(
    _ bytes: [UInt8], limits: ContainerLimits = .init(), readingData: Bool
  ) throws(ContainerError) -> (facts: ImageFacts, clean: [UInt8]) {
    var structure = try PNGStructure(bytes, limits: limits)
    if readingData { try structure.keepWholeFrames(in: bytes) }
    return (facts(of: structure, in: bytes), structure.cleaned(bytes))
  }

  /// Returns the frame that a browser shows first, when that is not the picture in IDAT, which then
  /// is for decoders that know no APNG.
  ///
  /// - Returns: the frame as a PNG of its own and its place on the canvas in pixels; around it the
  ///   canvas is transparent (13.2 and 13.4). Nil when all decoders show IDAT.
  /// - Throws: what `parse` throws.
  package static func firstFrame(
    of bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> (png: [UInt8], left: Int, top: Int)? {
    let structure = try PNGStructure(bytes, limits: limits)
    guard let animation = structure.animation, !animation.startsWithDefault else { return nil }
    let frame = animation.frames[0]
    return (structure.picture(of: frame, in: bytes), frame.left, frame.top)
  }

  /// Returns each frame that a browser plays as a PNG of its own, made when it is asked for, so that a
  /// decoder that knows no APNG can verify every one of them.
  ///
  /// A frame has its own size in pixels, which is at most the canvas; it is not yet composed with
  /// the frames before it. A still picture is one frame.
  /// - Throws: what `parse` throws.
  package static func frames(
    of bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> some RandomAccessCollection<[UInt8]> {
    let structure = try PNGStructure(bytes, limits: limits)
    return (structure.animation?.frames ?? [structure.still]).lazy.map {
      structure.picture(of: $0, in: bytes)
    }
  }
}
