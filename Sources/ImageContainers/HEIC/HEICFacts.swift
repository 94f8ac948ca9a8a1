extension HEICFile {
  /// Returns the facts about a checked picture and all other parts of the file. Sizes are in pixels as libheif 1.15
  /// delivers them: upright, after `clap`, `irot` and `imir`.
  func facts(of picture: HEICPicture) throws(ContainerError) -> ImageFacts {
    var facts = ImageFacts(
      format: .heic, storedWidth: picture.width, storedHeight: picture.height)
    facts.hasAlpha = picture.hasAlpha

    // A grid has no coding of its own, and only has a color property if it differs from that of its tiles.
    let primary = meta.properties(of: meta.primary.id)
    if meta.primary.type == "iovl" {
      addLayers(of: picture, to: &facts)
      facts.colorTag = colorTag(primary) ?? facts.colorTag
    } else {
      let tile = picture.items[0].tiles.first.map(meta.properties(of:)) ?? primary
      if let configuration = tile.configuration {
        facts.bitDepth = configuration.bitDepth
        facts.colorModel = configuration.chromaFormat == 0 ? .gray : .rgb
        // With an odd size or position, cropping or turning would resample chroma a second time, between its samples.
        facts.chromaSubsampled =
          configuration.chromaFormat == 1 && picture.width % 2 == 0 && picture.height % 2 == 0
          && !primary.hasOddCrop
      }
      facts.colorTag = colorTag(primary) ?? colorTag(tile) ?? .untagged
      // If the file has no color property, the stream may have one.
      if facts.colorTag == .untagged, let tag = tile.configuration?.parameterSets.first?.colorTag,
        tag.meaning(for: facts.colorModel) != .sRGB
      {
        facts.colorTag = tag
      }
    }

    facts.remainingMirroring = picture.remainingMirroring

    readMetadata(into: &facts)
    facts.parts = parts(beside: picture)
    facts.repairs = repairs(picture)
    return facts
  }

  /// Adds the combined facts of an overlay's layers: the highest bit depth and the first color tag.
  private func addLayers(of picture: HEICPicture, to facts: inout ImageFacts) {
    facts.layerPixels = picture.layerPixels
    for id in picture.items[0].tiles {
      let layer = picture.items.first { $0.id == id }
      for coded in [id] + (layer?.tiles.prefix(1) ?? []) {
        let properties = meta.properties(of: coded)
        if facts.colorTag == .untagged { facts.colorTag = colorTag(properties) ?? .untagged }
        guard let configuration = properties.configuration else { continue }
        facts.bitDepth = max(facts.bitDepth, configuration.bitDepth)
      }
    }
  }

  /// Returns the color tag. An ICC profile takes precedence over code points, and the last property of each kind
  /// counts, as in libheif.
  func colorTag(_ properties: [HEICProperty]) -> ColorTag? {
    var codePoints: ColorTag?
    for property in properties.reversed() {
      switch property.value {
      case .profile(let range): return .profile(Array(bytes[range]))
      case .codePoints(let primaries, let transfer, let matrix, let fullRange)
      where codePoints == nil:
        codePoints = .codePoints(
          primaries: primaries, transfer: transfer, matrix: matrix, fullRange: fullRange)
      default: break
      }
    }
    return codePoints
  }

  private func readMetadata(into facts: inout ImageFacts) {
    let described = Set(
      meta.references.lazy.filter { $0.type == "cdsc" && $0.to.contains(meta.primary.id) }
        .map(\.from))
    // Metadata of the primary item takes precedence over that of other items.
    let items =
      meta.items.filter { described.contains($0.id) }
      + meta.items.filter { !described.contains($0.id) }
    // Items can overlap. The budget limits the total that is read to the size of the file.
    var budget = bytes.count
    for item in items where item.isPlain && (item.type == "Exif" || item.isXMP) {
      guard let ranges = try? meta.ranges(of: item.id), !ranges.isEmpty else { continue }
      budget -= ranges.reduce(0) { $0 + $1.count }
      guard budget >= 0 else { return }
      let (bytes, range) = meta.joined(ranges)
      if item.isXMP {
        facts.hasLocation = facts.hasLocation || XMP.parse(bytes, in: range).hasLocation
      } else if facts.exif == nil {
        facts.exif = exif(bytes, in: range)
        facts.hasLocation = facts.hasLocation || facts.exif?.hasGPS == true
      }
    }
  }

  /// Parses the EXIF block after its four-byte offset field (ISO 23008-12, A.2.1).
  private func exif(_ bytes: [UInt8], in range: Range<Int>) -> EXIF? {
    var reader = ByteReader(bytes, in: range)
    guard let offset = try? reader.big(4, "Exif") else { return nil }
    if offset < reader.remaining,
      let exif = EXIF.parse(bytes, in: reader.offset + offset..<reader.end)
    {
      return exif
    }
    return EXIF.parse(bytes, in: reader.offset..<reader.end)
  }

  /// Returns the problems that the cleaned file no longer has, because libheif 1.15 rejects them or fails on them
  /// (`HeifContext::interpret_heif_file`; libvips 8.14 fails on an empty profile).
  private func repairs(_ picture: HEICPicture) -> [String] {
    var repairs: Set<String> = []
    for reference in meta.references {
      guard let from = meta.item(reference.from) else { continue }
      switch reference.type {
      case "cdsc" where reference.to.count > 1: repairs.insert("heif-multi-cdsc")
      case "auxl" where reference.to.count > 1 && from.isPictureToDecoder:
        repairs.insert("heif-multi-auxl")
      case "auxl" where !from.isPictureToDecoder, "thmb" where !from.isPictureToDecoder: continue
      default: break
      }
      if ["cdsc", "auxl", "thmb"].contains(reference.type),
        !reference.to.allSatisfy({ meta.item($0)?.isPictureToDecoder == true })
      {
        repairs.insert("heif-foreign-reference")
      }
    }
    let properties = picture.items.lazy.flatMap { meta.properties(of: $0.id) }
    if properties.contains(where: { if case .emptyColor = $0.value { true } else { false } }) {
      repairs.insert("heif-empty-colr")
    }
    if isCut || meta.items.contains(where: { meta.isCut($0.id) }) { repairs.insert("heif-end") }
    if meta.items.contains(where: { meta.locations[$0.id] == nil }) {
      repairs.insert("heif-item-without-data")
    }
    return repairs.sorted()
  }
}

extension [HEICProperty] {
  /// `true` if a crop begins between two pixels that share a sample of subsampled chroma.
  fileprivate var hasOddCrop: Bool {
    guard let size = pictureSize else { return false }
    return steps(width: size.width, height: size.height).contains {
      if case .crop(let left, let top, _, _) = $0 { left % 2 == 1 || top % 2 == 1 } else { false }
    }
  }
}
