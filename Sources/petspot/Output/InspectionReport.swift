import ImageContainers
import SystemPackage
import PhotoIngestion
import ReportFlow

extension PhotoInspection {
  /// Returns the documented JSON object for one inspected file.
  func json(path: FilePath) -> JSON {
    [
      "path": DisplayText.verbatim(path), "format": format.rawValue, "uti": format.uti,
      "mime": format.mime, "extensionMatches": extensionMatches, "pixelWidth": pixelWidth,
      "pixelHeight": pixelHeight, "storedWidth": facts.storedWidth,
      "storedHeight": facts.storedHeight, "orientation": facts.orientation,
      "frameCount": facts.frameCount, "hasAlpha": facts.hasAlpha, "bitDepth": facts.bitDepth,
      "colorProfile": colorProfile, "fileSizeBytes": fileSizeBytes, "hasLocation": hasLocation,
      "capturedAt": capturedAt, "plan": plan.json,
    ]
  }

  /// Returns a paragraph for people that describes the file, and what would be done to it and why.
  func report(path: FilePath, verbose: Bool, on terminal: Terminal) -> String {
    var facts = [
      "\(format.name)", Amounts.dimensions(pixelWidth, pixelHeight), Amounts.size(fileSizeBytes),
    ]
    let frames = self.facts.frameCount
    if frames > 1 { facts.append(L10n.words("inspect.frames", ["count": "\(frames)"])) }
    if self.facts.hasAlpha { facts.append(L10n.words("inspect.transparency")) }
    if !extensionMatches { facts.append(L10n.words("inspect.otherName")) }
    var lines = [
      terminal.bold(DisplayText.path(path)) + ": " + facts.joined(separator: ", "),
      L10n.words("inspect.plan")
        + plan.plan(from: format, to: blobFormat, profile: colorProfile),
    ]
    let notes = [
      capturedAt.map { L10n.words("inspect.taken", ["date": $0]) },
      hasLocation ? L10n.words("inspect.location") : nil,
    ].compactMap { $0 }
    if !notes.isEmpty { lines.append("  " + notes.joined(separator: ", ")) }
    if verbose {
      lines.append(
        L10n.words("inspect.stored")
          + Amounts.dimensions(self.facts.storedWidth, self.facts.storedHeight)
          + L10n.words(
            "inspect.orientation",
            ["orientation": "\(self.facts.orientation)", "bitDepth": "\(self.facts.bitDepth)"])
          + (colorProfile.map(DisplayText.name)
            ?? L10n.words("inspect.noProfile")))
      lines += plan.details.map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }
}
