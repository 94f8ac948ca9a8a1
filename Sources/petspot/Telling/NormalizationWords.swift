import ImageContainers
import PhotoAttachments
import PhotoIngestion

extension Normalization {
  /// What was done, in one line: `rotated, colors converted from Display P3, location removed` or
  /// `kept bit for bit; removed EXIF (12 KB), location, gain map`.
  ///
  /// - Parameters:
  ///   - format: the original's.
  ///   - product: the blob's.
  ///   - profile: name of the original's color profile.
  func summary(from format: ImageFormat, to product: ImageFormat, profile: String?) -> String {
    let gone = removed.filter { !$0.isNoise }.map(\.words) + losses.map(Self.lossWords)
    let mended = repairs.isEmpty ? [] : ["structure repaired"]
    switch method {
    case .carriedOver:
      let kept = (["kept bit for bit"] + mended).joined(separator: ", ")
      return gone.isEmpty ? kept : kept + "; removed " + gone.joined(separator: ", ")
    case .reEncoded:
      let steps = reasons.map { reason in
        switch reason {
        case .orientation: "rotated"
        case .color: "colors converted " + colorOrigin(profile)
        case .bitDepth: "reduced to 8 bits a channel"
        case .format: "converted from \(format.name) to \(product.name)"
        case .coding: "encoded again for browsers"
        }
      }
      let location = removed.contains { $0.kind == "location" } ? ["location removed"] : []
      // Told as steps already.
      let lost = losses.filter { !["bit-depth", "gamut", "cmyk"].contains($0) }.map {
        Self.lossWords($0) + " removed"
      }
      let all = mended + steps + location + lost
      return all.isEmpty ? "encoded again" : all.joined(separator: ", ")
    }
  }

  private func colorOrigin(_ profile: String?) -> String {
    let profile = profile.map(DisplayText.name)
    if losses.contains("cmyk") { return "from CMYK" + (profile.map { " (\($0))" } ?? "") }
    return profile.map { "from \($0)" } ?? "to sRGB"
  }

  /// For `--verbose`: a line for every reason, repair and removed piece.
  var details: [String] {
    reasons.map { "reason: \($0.rawValue)" } + repairs.map { "repaired: \($0)" }
      + removed.map { "removed: \($0.words)" } + losses.map { "lost: \(Self.lossWords($0))" }
  }

  static func lossWords(_ loss: String) -> String {
    switch loss {
    case "frames": "animation"
    case "gamut": "colors outside sRGB"
    case "cmyk": "print colors (CMYK)"
    case "bit-depth": "bits beyond 8 a channel"
    case "motion-video": "motion video"
    case "second-picture": "second picture"
    default: loss.replacing("-", with: " ")
    }
  }
}

extension Normalization.Removed {
  /// Whether nobody misses it: the few bytes of a JFIF header, which say no more than a density.
  fileprivate var isNoise: Bool { bytes < 64 && ["application", "unknown"].contains(kind) }

  /// `EXIF (12 KB)`; the location has no size of its own.
  fileprivate var words: String {
    let name =
      switch kind {
      case "exif", "xmp", "iptc": kind.uppercased()
      case "color-profile": "color profile"
      case "comment": "comments"
      case "text": "texts"
      case "application": "application data"
      case "unknown": "unknown data"
      case "trailing": "bytes after the end"
      default: kind.replacing("-", with: " ")
      }
    return bytes > 0 ? "\(name) (\(Words.size(bytes)))" : name
  }
}
