import Announcements
import PhotoIngestion
import ReportFlow

extension ReportDraft {
  /// A line of a draft for people: the label and the value of a field that is filled in.
  typealias Line = (label: String, text: String)

  /// Returns the draft's progress and contents as lines.
  func lines(with photo: PhotoAttachmentStatus, in words: Words) -> [Line] {
    let missing = missingSteps(with: photo).map { words($0.title) }
    let standing: [(TextKey, String?)] = [
      ("status.step", words(step.title)), ("status.missing", missing.joined(separator: ", ")),
    ]
    return Self.filled(standing, in: words) + contents(with: photo, in: words)
  }

  /// Returns the contents of the draft as lines.
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
