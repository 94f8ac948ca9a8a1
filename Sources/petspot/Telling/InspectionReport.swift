import ImageContainers
import PhotoAttachments
import SystemPackage
import PhotoIngestion

extension PhotoInspection {
  /// The contract's object for one inspected file.
  func json(path: FilePath) -> JSON {
    [
      "path": .string(DisplayText.verbatim(path)), "format": .string(format.rawValue),
      "uti": .string(format.uti), "mime": .string(format.mime),
      "extensionMatches": .bool(extensionMatches),
      "pixelWidth": .int(pixelWidth), "pixelHeight": .int(pixelHeight),
      "storedWidth": .int(facts.storedWidth), "storedHeight": .int(facts.storedHeight),
      "orientation": .int(facts.orientation), "frameCount": .int(facts.frameCount),
      "hasAlpha": .bool(facts.hasAlpha), "bitDepth": .int(facts.bitDepth),
      "colorProfile": .optional(colorProfile), "fileSizeBytes": .int(fileSizeBytes),
      "hasLocation": .bool(hasLocation), "capturedAt": .optional(capturedAt), "plan": plan.json,
    ]
  }

  /// A block for people: what the file is, and what would be done and why.
  func report(path: FilePath, verbose: Bool, on terminal: Terminal) -> String {
    var facts = [
      "\(format.name)", Words.dimensions(pixelWidth, pixelHeight), Words.size(fileSizeBytes),
    ]
    let frames = self.facts.frameCount
    if frames > 1 { facts.append(Speech.pick(en: "\(frames) frames", pl: "klatek: \(frames)")) }
    if self.facts.hasAlpha {
      facts.append(Speech.pick(en: "with transparency", pl: "z przezroczystością"))
    }
    if !extensionMatches {
      facts.append(Speech.pick(en: "its name says otherwise", pl: "nazwa mówi co innego"))
    }
    var lines = [
      terminal.bold(DisplayText.path(path)) + ": " + facts.joined(separator: ", "),
      Speech.pick(en: "  attach would: ", pl: "  attach ma: ")
        + plan.plan(from: format, to: blobFormat, profile: colorProfile),
    ]
    let notes = [
      capturedAt.map { Speech.pick(en: "taken \($0)", pl: "wykonano \($0)") },
      hasLocation
        ? Speech.pick(
          en: "says where it was taken", pl: "zdjęcie zawiera informację o miejscu wykonania")
        : nil,
    ].compactMap { $0 }
    if !notes.isEmpty { lines.append("  " + notes.joined(separator: ", ")) }
    if verbose {
      lines.append(
        Speech.pick(en: "  stored ", pl: "  w pliku ")
          + Words.dimensions(self.facts.storedWidth, self.facts.storedHeight)
          + Speech.pick(
            en: ", orientation \(self.facts.orientation), \(self.facts.bitDepth) bits, ",
            pl: ", orientacja \(self.facts.orientation), bity: \(self.facts.bitDepth), ")
          + (colorProfile.map(DisplayText.name)
            ?? Speech.pick(en: "no color profile", pl: "bez profilu kolorów")))
      lines += plan.details.map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }
}
