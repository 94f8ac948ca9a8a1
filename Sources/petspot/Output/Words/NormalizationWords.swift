import ImageContainers
import PhotoIngestion
import ReportFlow

extension Normalization {
  /// Returns one line about what was done: `rotated, colors converted from Display P3, location removed` or
  /// `kept bit for bit; removed EXIF (12 KB), location, gain map`.
  ///
  /// - Parameters:
  ///   - format: the original's format.
  ///   - product: the blob's format.
  ///   - profile: the name of the original's color profile.
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
        case .bitDepth: "reduced to 8 bits per channel"
        case .format: "converted from \(format.name) to \(product.name)"
        case .coding: "re-encoded for browsers"
        }
      }
      let location = removed.contains { $0.kind == "location" } ? ["location removed"] : []
      let lost = losses.filter { !Self.lossesOfColor.contains($0) }.map {
        Self.lossWords($0) + " removed"
      }
      let all = mended + steps + location + lost
      return all.isEmpty ? "re-encoded" : all.joined(separator: ", ")
    }
  }

  /// Returns one line in the command's language about what `attach` would do:
  /// `rotate, convert the colors from Display P3, remove EXIF (12 KB), location` or `keep the picture bit for bit`.
  func plan(from format: ImageFormat, to product: ImageFormat, profile: String?) -> String {
    var steps: [String] = []
    if method == .carriedOver { steps.append(L10n.words("inspect.keep")) }
    if !repairs.isEmpty { steps.append(L10n.words("inspect.repair")) }
    steps += reasons.map { step($0, format, product, profile) }
    let gone =
      removed.filter { !$0.isNoise }.map(\.words)
      + losses.filter { method == .carriedOver || !Self.lossesOfColor.contains($0) }
      .map(Self.lossWords)
    if !gone.isEmpty {
      let list = gone.joined(separator: ", ")
      steps.append(L10n.words("inspect.remove", ["list": list]))
    }
    return steps.joined(separator: ", ")
  }

  private func step(
    _ reason: Reason, _ format: ImageFormat, _ product: ImageFormat, _ profile: String?
  ) -> String {
    let color = (losses.contains("cmyk") ? "cmyk" : "color") + (profile == nil ? "" : ".profile")
    let profile = profile.map(DisplayText.name) ?? ""
    return L10n.words(
      TextKey(rawValue: "inspect.step.\(reason == .color ? color : reason.rawValue)"),
      ["profile": profile, "from": format.name, "to": product.name])
  }

  /// Losses that the steps of a conversion already mention.
  private static let lossesOfColor = ["bit-depth", "gamut", "cmyk", "hdr"]

  private func colorOrigin(_ profile: String?) -> String {
    let profile = profile.map(DisplayText.name)
    if losses.contains("cmyk") { return "from CMYK" + (profile.map { " (\($0))" } ?? "") }
    return profile.map { "from \($0)" } ?? "to sRGB"
  }

  /// Lines for `--verbose` about every reason, repair, removed piece and loss.
  var details: [String] {
    reasons.map {
      L10n.words(
        "inspect.detail.reason",
        ["what": L10n.words(TextKey(rawValue: "inspect.reason.\($0.rawValue)"))])
    }
      + repairs.map { L10n.words("inspect.detail.repaired", ["what": $0]) }
      + removed.map { L10n.words("inspect.detail.removed", ["what": $0.words]) }
      + losses.map { L10n.words("inspect.detail.lost", ["what": Self.lossWords($0)]) }
  }

  /// Returns the words for something that was lost, in the command's language.
  static func lossWords(_ loss: String) -> String {
    L10n.words.text(named: "loss.\(loss)") ?? loss.replacing("-", with: " ")
  }
}

extension Normalization.Removed {
  /// `true` for a few bytes that aren't worth mentioning, such as a JFIF header with only a density.
  fileprivate var isNoise: Bool { bytes < 64 && ["application", "unknown"].contains(kind) }

  /// A text such as `EXIF (12 KB)`. The location has no size of its own.
  fileprivate var words: String {
    let name =
      ["exif", "xmp", "iptc"].contains(kind)
      ? kind.uppercased()
      : L10n.words.text(named: "removed.\(kind)") ?? Normalization.lossWords(kind)
    return bytes > 0 ? "\(name) (\(Amounts.size(bytes)))" : name
  }
}
