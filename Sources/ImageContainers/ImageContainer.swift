/// Reads and cleans files of all five formats, and recognizes the format by its first bytes.
///
/// Each format has a parser of its own. A parser is used four times: as second opinion for the sniff, as
/// guard before C code runs, to rewrite the container, and to verify that a product is clean.
public enum ImageContainer {
  /// Names the format from its first bytes, nil when it is none of the five.
  ///
  /// For ISO files this only says that it is a HEIF-like file (`ftyp`); `parse` decides by the
  /// primary item's type.
  public static func format(of bytes: [UInt8]) -> ImageFormat? {
    func starts(_ signature: String, at offset: Int = 0) -> Bool {
      bytes.count >= offset + signature.utf8.count
        && zip(bytes[offset...], signature.utf8).allSatisfy { $0 == $1 }
    }
    if bytes.count >= 3, bytes[0] == 0xFF, bytes[1] == 0xD8, bytes[2] == 0xFF { return .jpeg }
    if bytes.starts(with: PNGContainer.signature) { return .png }
    if starts("GIF87a") || starts("GIF89a") { return .gif }
    if starts("RIFF"), starts("WEBP", at: 8) { return .webp }
    if starts("ftyp", at: 4) { return .heic }
    return nil
  }

  /// Parses the whole structure and returns what it contains, without decoding pixels.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - format: what the sniff said.
  ///   - limits: refused when exceeded, before anything is allocated for it.
  public static func parse(
    _ bytes: [UInt8], as format: ImageFormat, limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    switch format {
    case .jpeg: return try JPEGContainer.parse(bytes, limits: limits)
    case .png: return PNGContainer.facts(of: try PNGStructure(bytes, limits: limits), in: bytes)
    case .gif: return try GIFStructure(bytes, limits: limits).facts(of: bytes)
    case .webp: return try WebPStructure(bytes, limits: limits).facts(of: bytes)
    case .heic:
      let file = try HEICFile(bytes, limits: limits)
      return try file.facts(of: HEICPicture(file.meta, limits: limits))
    }
  }

  /// Parses and cleans a file from one reading of its structure.
  ///
  /// - Parameters:
  ///   - bytes: the file, from its first byte to its last.
  ///   - format: what `format(of:)` says of it.
  ///   - limits: what a file may cost before it is refused.
  ///   - readingData: false leaves the data of a JPEG, PNG or WebP unread, so that the product is whole only
  ///     when it is verified so.
  package static func parseAndClean(
    _ bytes: [UInt8], as format: ImageFormat, limits: ContainerLimits = .init(),
    readingData: Bool = true
  ) throws(ContainerError) -> (facts: ImageFacts, clean: [UInt8]) {
    switch format {
    case .gif:
      let structure = try GIFStructure(bytes, limits: limits)
      return (structure.facts(of: bytes), structure.cleaned(bytes))
    case .png:
      var structure = try PNGStructure(bytes, limits: limits)
      if readingData { try structure.keepWholeFrames(in: bytes) }
      return (PNGContainer.facts(of: structure, in: bytes), structure.cleaned(bytes))
    case .jpeg:
      let (segments, frame) = try JPEGContainer.structure(of: bytes, limits: limits)
      var facts = JPEGContainer.facts(of: segments, frame, in: bytes, limits: limits)
      let clean = try JPEGContainer.clean(segments, frame, of: bytes)
      guard readingData, let whole = try JPEGContainer.withoutSurplus(clean, limits: limits)
      else { return (facts, clean) }
      facts.repairs.append(JPEGContainer.surplusRepair)
      return (facts, whole)
    case .webp:
      var structure = try WebPStructure(bytes, limits: limits)
      if readingData { try structure.keepWholeFrames(in: bytes) }
      return (structure.facts(of: bytes), structure.cleaned(bytes, readingData: false))
    case .heic:
      let file = try HEICFile(bytes, limits: limits)
      let picture = try HEICPicture(file.meta, limits: limits)
      return (try file.facts(of: picture), try HEICWriter(file.meta, picture).file())
    }
  }

  /// Rewrites the container with nothing but what decoding needs; codes of pixels stay what they are.
  /// Parsing the result finds no parts. For HEIC the result is for decoding only: the
  /// primary item, its tiles, properties and alpha.
  public static func clean(
    _ bytes: [UInt8], as format: ImageFormat, limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    switch format {
    case .jpeg: return try JPEGContainer.clean(bytes, limits: limits)
    case .png, .gif: return try parseAndClean(bytes, as: format, limits: limits).clean
    case .webp: return try WebPStructure(bytes, limits: limits).cleaned(bytes, readingData: true)
    case .heic:
      let file = try HEICFile(bytes, limits: limits)
      return try HEICWriter(file.meta, HEICPicture(file.meta, limits: limits)).file()
    }
  }
}
