import ImageContainers

/// A plan for normalizing a photo. It is made from facts alone, before a pixel is decoded.
struct NormalizationPlan: Equatable {
  /// The normalization that `inspect` shows and the record keeps.
  var normalization: Normalization
  /// The colors that pixels must be converted from. `nil` if they are sRGB.
  var colors: SourceColors?
  /// The name of the source's colors. `nil` if the photo is untagged.
  var colorProfile: String?
  var blobFormat: ImageFormat

  init(for facts: ImageFacts) {
    let meaning = facts.colorTag.meaning(for: facts.colorModel)
    colors = meaning.colors
    colorProfile = Self.name(of: facts.colorTag, meaning: meaning)
    blobFormat = Self.blobFormat(for: facts)

    let reasons = Self.reasons(for: facts, convertsColor: colors != nil)
    normalization = Normalization(
      method: reasons.isEmpty ? .carriedOver : .reEncoded,
      reasons: reasons,
      losses: Self.losses(for: facts, meaning: meaning),
      repairs: facts.repairs,
      removed: Self.removed(from: facts))
  }

  /// Changes the plan from carrying the picture over to decoding and encoding it.
  mutating func codeAnew() {
    guard normalization.method == .carriedOver else { return }
    normalization.method = .reEncoded
    normalization.reasons = [.coding]
  }

  private static func reasons(
    for facts: ImageFacts, convertsColor: Bool
  ) -> [Normalization.Reason] {
    var reasons: [Normalization.Reason] = []
    if facts.orientation != 1 { reasons.append(.orientation) }
    if convertsColor || facts.colorModel == .cmyk { reasons.append(.color) }
    if facts.bitDepth > 8 { reasons.append(.bitDepth) }
    if !facts.format.isStored { reasons.append(.format) }
    let recoded = ["arithmetic-coding", "no-huffman-tables"]
    if facts.oddities.contains(where: recoded.contains) { reasons.append(.coding) }
    return reasons
  }

  private static func losses(
    for facts: ImageFacts, meaning: ColorMeaning
  ) -> [String] {
    var losses: [String] = []
    for part in facts.parts where part.kind.isLoss && !losses.contains(part.kind.rawValue) {
      losses.append(part.kind.rawValue)
    }
    losses += facts.losses
    if facts.colorModel == .cmyk { losses.append("cmyk") }
    if facts.bitDepth > 8 { losses.append("bit-depth") }
    if facts.colorModel != .gray, meaning.colors?.exceedsSRGB == true { losses.append("gamut") }
    switch meaning {
    case .toneMap: losses.append("hdr")
    case .unknown: losses.append("color")
    case .sRGB, .convert, .unusable: break
    }
    return losses
  }

  private static func removed(from facts: ImageFacts) -> [Normalization.Removed] {
    var removed: [Normalization.Removed] = []
    for part in facts.parts where !part.kind.isLoss {
      if let index = removed.firstIndex(where: { $0.kind == part.kind.rawValue }) {
        removed[index].bytes += part.byteCount
      } else {
        removed.append(.init(kind: part.kind.rawValue, bytes: part.byteCount))
      }
    }
    if facts.hasLocation { removed.append(.init(kind: "location", bytes: 0)) }
    return removed
  }

  private static func blobFormat(for facts: ImageFacts) -> ImageFormat {
    guard !facts.format.isStored else { return facts.format }
    guard facts.hasAlpha else { return .jpeg }
    // The side of a WebP has 14 bits (RFC 9649, 2.5).
    return max(facts.storedWidth, facts.storedHeight) <= 16_383 ? .webp : .png
  }

  private static func name(of tag: ColorTag, meaning: ColorMeaning) -> String? {
    switch (tag, meaning) {
    case (.untagged, _): nil
    case (_, .toneMap(let colors)): colors.name
    case (.codePoints(let primaries, let transfer, _, _), .unknown):
      "H.273 \(primaries)/\(transfer)"
    case (.profile(let bytes), _): ICCProfile(bytes)?.name
    case (_, .convert(_, let name)): name
    default: "sRGB"
    }
  }
}
