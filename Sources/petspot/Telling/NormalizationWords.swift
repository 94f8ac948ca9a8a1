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

  /// What `attach` would do, in the language that the command speaks: `rotate, convert the colors from
  /// Display P3, remove EXIF (12 KB), location` or `keep the picture bit for bit`.
  func plan(from format: ImageFormat, to product: ImageFormat, profile: String?) -> String {
    var steps: [String] = []
    if method == .carriedOver {
      steps.append(
        Speech.pick(en: "keep the picture bit for bit", pl: "zachować obraz bit w bit"))
    }
    if !repairs.isEmpty {
      steps.append(Speech.pick(en: "repair its structure", pl: "naprawić strukturę"))
    }
    steps += reasons.map { step($0, format, product, profile) }
    let gone =
      removed.filter { !$0.isNoise }.map(\.words)
      // Told as steps already.
      + losses.filter { method == .carriedOver || !["bit-depth", "gamut", "cmyk"].contains($0) }
      .map(Self.lossWords)
    if !gone.isEmpty {
      let list = gone.joined(separator: ", ")
      steps.append(Speech.pick(en: "remove \(list)", pl: "usunąć: \(list)"))
    }
    return steps.joined(separator: ", ")
  }

  private func step(
    _ reason: Reason, _ format: ImageFormat, _ product: ImageFormat, _ profile: String?
  ) -> String {
    switch reason {
    case .orientation: Speech.pick(en: "rotate", pl: "obrócić")
    case .color:
      Speech.pick(
        en: "convert the colors " + colorOrigin(profile),
        pl: "przeliczyć kolory" + (profile.map { " z profilu " + DisplayText.name($0) } ?? ""))
    case .bitDepth:
      Speech.pick(en: "reduce it to 8 bits a channel", pl: "zmniejszyć do 8 bitów na kanał")
    case .format:
      Speech.pick(
        en: "convert from \(format.name) to \(product.name)",
        pl: "przekształcić z \(format.name) na \(product.name)")
    case .coding: Speech.pick(en: "encode it again for browsers", pl: "zakodować dla przeglądarek")
    }
  }

  private func colorOrigin(_ profile: String?) -> String {
    let profile = profile.map(DisplayText.name)
    if losses.contains("cmyk") { return "from CMYK" + (profile.map { " (\($0))" } ?? "") }
    return profile.map { "from \($0)" } ?? "to sRGB"
  }

  /// For `--verbose`: a line for every reason, repair and removed piece.
  var details: [String] {
    let (reason, repaired, gone, lost) = Speech.pick(
      en: ("reason", "repaired", "removed", "lost"),
      pl: ("powód", "naprawiono", "usunięto", "utracono"))
    return reasons.map { "\(reason): \($0.words)" } + repairs.map { "\(repaired): \($0)" }
      + removed.map { "\(gone): \($0.words)" } + losses.map { "\(lost): \(Self.lossWords($0))" }
  }

  /// What a photo is stored without, in the language that the command speaks.
  static func lossWords(_ loss: String) -> String {
    Speech.pick(en: englishLoss(loss), pl: polishLoss(loss))
  }

  private static func polishLoss(_ loss: String) -> String {
    switch loss {
    case "frames": "animacja"
    case "gamut": "kolory spoza sRGB"
    case "cmyk": "kolory druku (CMYK)"
    case "bit-depth": "bity powyżej 8 na kanał"
    case "motion-video": "film"
    case "second-picture": "drugie zdjęcie"
    case "thumbnail": "miniatura"
    case "depth-map": "mapa głębi"
    case "gain-map": "mapa jasności HDR"
    default: loss.replacing("-", with: " ")
    }
  }

  private static func englishLoss(_ loss: String) -> String {
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

extension Normalization.Reason {
  fileprivate var words: String {
    switch self {
    case .orientation:
      Speech.pick(en: "it is to be turned or mirrored", pl: "trzeba je obrócić lub odbić")
    case .color: Speech.pick(en: "its colors are not sRGB", pl: "kolory inne niż sRGB")
    case .bitDepth: Speech.pick(en: "more than 8 bits a channel", pl: "ponad 8 bitów na kanał")
    case .format:
      Speech.pick(
        en: "browsers do not show its format", pl: "przeglądarki nie pokazują tego formatu")
    case .coding:
      Speech.pick(
        en: "browsers may not show its coding",
        pl: "przeglądarki mogą nie pokazać tego kodowania")
    }
  }
}

extension Normalization.Removed {
  /// Whether it is not worth mentioning: the few bytes of a JFIF header, which say no more than a density.
  fileprivate var isNoise: Bool { bytes < 64 && ["application", "unknown"].contains(kind) }

  /// `EXIF (12 KB)`; the location has no size of its own.
  fileprivate var words: String {
    let name = Speech.pick(en: english, pl: polish)
    return bytes > 0 ? "\(name) (\(Words.size(bytes)))" : name
  }

  private var polish: String {
    switch kind {
    case "exif", "xmp", "iptc": kind.uppercased()
    case "location": "miejsce wykonania"
    case "color-profile": "profil kolorów"
    case "comment": "komentarze"
    case "text": "teksty"
    case "application": "dane programów"
    case "unknown": "nieznane dane"
    case "trailing": "bajty za końcem obrazu"
    default: Normalization.lossWords(kind)
    }
  }

  private var english: String {
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
  }
}
