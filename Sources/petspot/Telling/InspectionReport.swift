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
    if self.facts.frameCount > 1 { facts.append("\(self.facts.frameCount) frames") }
    if self.facts.hasAlpha { facts.append("with transparency") }
    if !extensionMatches { facts.append("its name says otherwise") }
    var lines = [
      terminal.bold(DisplayText.path(path)) + ": " + facts.joined(separator: ", "),
      "  would be " + (plan.method == .reEncoded ? "re-encoded: " : "")
        + plan.summary(from: format, to: blobFormat, profile: colorProfile),
    ]
    let told = [capturedAt.map { "taken \($0)" }, hasLocation ? "names the place" : nil]
      .compactMap { $0 }
    if !told.isEmpty { lines.append("  " + told.joined(separator: ", ")) }
    if verbose {
      lines.append(
        "  stored \(Words.dimensions(self.facts.storedWidth, self.facts.storedHeight)), "
          + "orientation \(self.facts.orientation), \(self.facts.bitDepth) bits, "
          + (colorProfile.map(DisplayText.name) ?? "no color profile"))
      lines += plan.details.map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }
}
