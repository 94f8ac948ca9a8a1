import Foundation
import ImageContainers
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension PhotoAttachmentMetadata {
  /// Returns the confirmation card: name, size, dimensions, and a line about the normalization.
  func card(verbose: Bool, on terminal: Terminal) -> String {
    let source = facts.source
    let words = L10n.words
    let isEnglish = words.language == .en
    var parts = [
      Amounts.size(facts.fileSizeBytes),
      Amounts.dimensions(facts.pixelWidth, facts.pixelHeight), facts.format.name,
    ]
    if source.frameCount > 1 {
      parts.append(words("status.frames", ["count": "\(source.frameCount)"]))
    }
    var lines = [
      terminal.bold(DisplayText.name(facts.fileName)),
      "  " + parts.joined(separator: " · "),
      "  "
        + (isEnglish
          ? facts.normalization.summary(
            from: facts.format, to: blob.format, profile: source.colorProfile)
          : changes(in: words)),
    ]
    if verbose {
      if isEnglish { lines += facts.normalization.details.map { "  " + $0 } }
      let size = Amounts.size(blob.sizeBytes)
      lines.append("  blob \(blob.format.name), \(size), \(blob.path)")
      let saved = words("status.saved")
      lines.append("  id \(id.uuidString), \(saved) \(Amounts.moment(savedAt))")
    }
    let rest = lines.dropFirst(2).map { $0 == lines[2] ? $0 : terminal.dim($0) }
    return (lines.prefix(2) + rest).joined(separator: "\n")
  }
}

extension FoundPhoto {
  /// Returns one row of `list`: a prefix of the id that commands accept, the day it was taken, its size, folder and
  /// name. The path is cut at its start if it doesn't fit the terminal. `verbose` shows everything in full, and adds
  /// the time at which it was stored and its dimensions.
  ///
  /// - Parameter indent: the number of cells before the row.
  func row(on terminal: Terminal, verbose: Bool, indent: Int = 0) -> String {
    let facts = photo.facts
    let id = photo.id.uuidString
    let columns = Self.columns(
      [
        verbose ? id : String(id.prefix(8)), dayTaken ?? "-",
        Amounts.size(facts.fileSizeBytes),
        Amounts.dimensions(facts.pixelWidth, facts.pixelHeight), Amounts.moment(photo.savedAt),
      ], verbose: verbose)
    let mark = holder.map { "  (\($0))" } ?? ""
    let room = terminal.columns - indent - TextCells.width(of: columns + mark)
    let name = ReadableText.escaped(
      [folder, self.name].compactMap(\.self)
        .filter { !$0.isEmpty }.joined(separator: "/"))
    let isWhole = verbose || isatty(STDOUT_FILENO) == 0 || TextCells.width(of: name) <= room
    let shown = isWhole ? name : TextCells.shortened(fromEndOf: name, to: max(8, room))
    return terminal.dim(columns) + shown + terminal.dim(mark)
  }

  /// The announcement or report that uses the photo, as text. `nil` if only the library has it.
  var holder: String? {
    holders.announcement.map { L10n.words("photos.ofAnnouncement", ["id": $0]) }
      ?? holders.draft.map { L10n.words("photos.ofReport", ["name": DisplayText.name($0)]) }
  }

  /// A line with the day on which the photo was taken and the folder from which it was imported. Begins with a line
  /// break. Empty if neither is known.
  var originLine: String {
    let parts =
      [
        dayTaken.map { L10n.words("inspect.taken", ["date": $0]) },
        folder.map { L10n.words("photo.importedFrom", ["folder": $0.isEmpty ? "." : $0]) },
      ].compactMap(\.self)
      + places.dropFirst().map { place in
        let path = [place.folder, place.name].filter { !$0.isEmpty }.joined(separator: "/")
        return L10n.words("photo.alsoIn", ["path": path])
      }
    return parts.isEmpty ? "" : "\n  " + ReadableText.escaped(parts.joined(separator: " · "))
  }

  static func rowHeader(verbose: Bool) -> String {
    columns(L10n.list("photos.columns"), verbose: verbose) + L10n.words("photos.name")
  }

  /// Pads the texts to the widths of the columns.
  private static func columns(_ texts: [String], verbose: Bool) -> String {
    zip(texts, verbose ? [36, 10, 9, 11, 16] : [8, 10, 9]).map { text, width in
      text + String(repeating: " ", count: max(0, width - text.count) + 2)
    }.joined()
  }
}

extension PhotoAttachmentStatus {
  /// Returns the photo's card, or a line for the other states.
  func card(verbose: Bool, on terminal: Terminal) -> String {
    switch self {
    case .empty: L10n.words("status.none")
    case .loading: L10n.words("status.loading")
    case .confirmed(let metadata): metadata.card(verbose: verbose, on: terminal)
    }
  }
}

extension AttachmentSnapshot {
  /// Returns the status's card, the problem of a photo that can't be shown, and why the last attempt failed.
  func card(verbose: Bool, on terminal: Terminal) -> String {
    let notes = [invalid?.sentence, failure.map(Self.sentence)].compactMap(\.self)
    return ([status.card(verbose: verbose, on: terminal)] + notes.map { "  " + $0 })
      .joined(separator: "\n")
  }

  /// Returns a sentence for a failure's code. The code itself is never shown to people.
  private static func sentence(about failure: String) -> String {
    if failure == "asset-forgotten" { return L10n.words("status.forgotten") }
    let name = failure == "too-many-pixels" ? "too-large" : failure
    let reason = L10n.words.text(named: "status.attempt.\(name)")
    return L10n.words(
      "status.lastAttempt", ["reason": reason ?? L10n.words("status.attempt.other")])
  }
}

extension InvalidPhoto {
  var sentence: String {
    let text: TextKey = problem == .missing ? "status.fileMissing" : "status.fileDamaged"
    let name = DisplayText.name(photo.fileName)
    return L10n.words(text, ["name": name, "repair": "petspot verify --repair --from DIR"])
  }
}
