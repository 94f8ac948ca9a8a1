/// Parses, checks and rewrites PNG and APNG (W3C PNG Third Edition, 2025).
package enum PNGContainer {
  /// The eight bytes at the start of every PNG (5.2).
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Returns the facts from all chunks.
  ///
  /// Like decoders, it ignores damaged and illegal ancillary chunks; they are listed among the parts. An animation that
  /// breaks a rule is ignored and reported as the oddity `apng-broken`.
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

  /// The repair of a zlib stream that lacks the checksum of its rows.
  package static let checksumRepair = "png-zlib-checksum"

  /// Returns the first frame that a browser shows if it isn't the picture in IDAT, which is only for decoders without
  /// APNG support.
  ///
  /// - Returns: the frame as a separate PNG, and its position on the canvas in pixels. The canvas around it is
  ///   transparent (13.2 and 13.4). `nil` if all decoders show IDAT.
  /// - Throws: the errors of parsing the structure.
  package static func firstFrame(
    of bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> (png: [UInt8], left: Int, top: Int)? {
    let structure = try PNGStructure(bytes, limits: limits)
    guard let animation = structure.animation, !animation.startsWithDefault else { return nil }
    let frame = animation.frames[0]
    return (structure.picture(of: frame, in: bytes), frame.left, frame.top)
  }

  /// Returns each frame that a browser plays as a separate PNG, so that a decoder without APNG support can verify it.
  /// The PNGs are made on access.
  ///
  /// A frame has its own size in pixels, which is at most the canvas. It isn't composed with the previous frames. A
  /// still picture has one frame.
  ///
  /// - Throws: the errors of parsing the structure.
  package static func frames(
    of bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> some RandomAccessCollection<[UInt8]> {
    let structure = try PNGStructure(bytes, limits: limits)
    return (structure.animation?.frames ?? [structure.still]).lazy.map {
      structure.picture(of: $0, in: bytes)
    }
  }
}
