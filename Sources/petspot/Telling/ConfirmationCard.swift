import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion

extension PhotoAttachmentMetadata {
  /// The confirmation card: name, size, dimensions, and in one line what was done.
  func card(verbose: Bool, on terminal: Terminal) -> String {
    let source = facts.source
    var told = [
      Words.size(facts.fileSizeBytes), Words.dimensions(facts.pixelWidth, facts.pixelHeight),
      facts.format.name,
    ]
    if source.frameCount > 1 { told.append("\(source.frameCount) frames") }
    var lines = [
      terminal.bold(DisplayText.name(facts.fileName)),
      "  " + told.joined(separator: " · "),
      "  "
        + facts.normalization.summary(
          from: facts.format, to: blob.format, profile: source.colorProfile),
    ]
    if verbose {
      lines += facts.normalization.details.map { "  " + $0 }
      lines.append("  blob \(blob.format.name), \(Words.size(blob.sizeBytes)), \(blob.path)")
      lines.append("  id \(id.uuidString), saved \(Words.moment(savedAt))")
    }
    let rest = lines.dropFirst(2).map { $0 == lines[2] ? $0 : terminal.dim($0) }
    return (lines.prefix(2) + rest).joined(separator: "\n")
  }

  /// One line of `list`: id, when, size, dimensions, name.
  func row(on terminal: Terminal) -> String {
    let told = [
      id.uuidString, Words.moment(savedAt), Words.size(facts.fileSizeBytes),
      Words.dimensions(facts.pixelWidth, facts.pixelHeight),
    ]
    return terminal.dim(told.joined(separator: "  ")) + "  " + DisplayText.name(facts.fileName)
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

extension AttachmentLook {
  /// The status's card, what is wrong with a photo that cannot be shown, and why the last try ended.
  func card(verbose: Bool, on terminal: Terminal) -> String {
    let notes = [invalid?.sentence, failure.map { "the last try ended with: \($0)" }]
    return
      ([status.card(verbose: verbose, on: terminal)] + notes.compactMap { $0.map { "  " + $0 } })
      .joined(separator: "\n")
  }
}

extension InvalidPhoto {
  /// What happened to the photo, and what to do.
  var sentence: String {
    let name = DisplayText.name(photo.fileName)
    return switch problem {
    case .missing:
      "The stored file of \(name) is gone. It is attached again as soon as the file is back; bring it "
        + "back with: petspot verify --repair --from DIR, or attach the photo again."
    case .damaged:
      "The stored file of \(name) is damaged. Bring it back with: petspot verify --repair --from DIR, "
        + "or attach the photo again."
    }
  }
}
