/// Recognizes, parses and cleans files of all five formats.
///
/// Each format has its own parser with four uses: to confirm the detected format, to reject bad files before C code
/// reads them, to rewrite the container, and to check that the product, which is the file that PetSpot stores, is
/// clean.
public enum ImageContainer {
  /// Returns the format by the file's first bytes, or `nil` if the format isn't supported.
  ///
  /// An ISO file is only recognized as HEIF-like (`ftyp`). `parse` decides by the type of the primary item.
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

  /// Parses the whole structure and returns the facts, without decoding pixels.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - format: the format that `format(of:)` returned.
  ///   - limits: the limits. They are checked before memory is allocated.
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

  /// Parses the structure once and returns the facts and the cleaned file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - format: the format that `format(of:)` returned.
  ///   - limits: the limits. They are checked before memory is allocated.
  ///   - readingData: `false` skips the check of the compressed data of a JPEG, PNG or WebP. The caller must then
  ///     verify that the product is complete.
  package static func parseAndClean(
    _ bytes: [UInt8], as format: ImageFormat, limits: ContainerLimits = .init(),
    readingData: Bool = true
  ) throws(ContainerError) -> (facts: ImageFacts, clean: [UInt8]) {
    switch format {
    case .gif:
      let structure = try GIFStructure(bytes, limits: limits)
      return (structure.facts(of: bytes), try structure.cleaned(bytes))
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

  /// Rewrites the container with only the parts that decoding needs. Compressed pixels are copied unchanged, and
  /// parsing the result finds no parts. The result for HEIC is only for decoding: it contains the primary item with its
  /// tiles, properties and alpha.
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
