import Announcements
import PhotoIngestion
import ReportFlow

extension ReportDraft {
  /// A line of the draft for people: a field that is filled in, under its label.
  typealias Line = (label: String, text: String)

  /// Where the draft stands, and all that it says.
  func lines(with photo: PhotoAttachmentStatus, in words: Words) -> [Line] {
    let missing = missingSteps(with: photo).map { words($0.title) }
    let standing: [(TextKey, String?)] = [
      ("status.step", words(step.title)), ("status.missing", missing.joined(separator: ", ")),
    ]
    return Self.filled(standing, in: words) + contents(with: photo, in: words)
  }

  /// All that the draft says.
  func contents(with photo: PhotoAttachmentStatus, in words: Words) -> [Line] {
    var name: String?
    if case .confirmed(let photo) = photo { name = photo.fileName }
    let lines = FlowStep.allCases.flatMap { step -> [(TextKey, String?)] in
      step == .photo
        ? [(step.title, name)]
        : step.fields.map { ($0.name, shownText(of: $0, in: words)) }
    }
    return Self.filled(lines + [("status.announcement", submission?.announcementID)], in: words)
  }

  private static func filled(
    _ fields: [(TextKey, String?)], in words: Words
  ) -> [Line] {
    fields.compactMap { key, text in
      text.flatMap { $0.isEmpty ? nil : (words(key), $0) }
    }
  }

  static func text(of lines: [Line]) -> String {
    lines.map { "\($0.label): \(ReadableText.escaped($0.text))" }.joined(separator: "\n")
  }
}
