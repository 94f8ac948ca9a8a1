import Foundation
import ImageContainers
import PhotoAttachments

extension PhotoAttachmentMetadata {
  /// The confirmation card: name, size, dimensions, and in one line what was done.
  func card(verbose: Bool, on terminal: Terminal) -> String {
    let format = ImageFormat(uti: uti)
    var facts = [
      Words.size(fileSizeBytes), Words.dimensions(pixelWidth, pixelHeight), format?.name ?? uti,
    ]
    if source.frameCount > 1 { facts.append("\(source.frameCount) frames") }
    var lines = [
      terminal.bold(DisplayText.name(fileName)),
      "  " + facts.joined(separator: " · "),
      "  "
        + normalization.summary(
          from: format ?? blob.format, to: blob.format, profile: source.colorProfile),
    ]
    if verbose {
      lines += normalization.details.map { "  " + $0 }
      lines.append("  blob \(blob.format.name), \(Words.size(blob.sizeBytes)), \(blob.path)")
      lines.append("  id \(id.uuidString), saved \(Words.moment(savedAt))")
    }
    let rest = lines.dropFirst(2).map { $0 == lines[2] ? $0 : terminal.dim($0) }
    return (lines.prefix(2) + rest).joined(separator: "\n")
  }

  /// One line of `list`: id, when, size, dimensions, name.
  func row(on terminal: Terminal) -> String {
    let facts = [
      id.uuidString, Words.moment(savedAt), Words.size(fileSizeBytes),
      Words.dimensions(pixelWidth, pixelHeight),
    ]
    return terminal.dim(facts.joined(separator: "  ")) + "  " + DisplayText.name(fileName)
  }
}

extension PhotoAttachmentStatus {
  /// The card, or a line that says there is none.
  func card(verbose: Bool, on terminal: Terminal) -> String {
    switch self {
    case .empty: "No photo attached."
    case .loading: "A photo is being attached."
    case .confirmed(let metadata): metadata.card(verbose: verbose, on: terminal)
    }
  }
}
