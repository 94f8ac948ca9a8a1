import Announcements
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension ReportSession {
  /// A line of the draft for people: a field that is filled in, under its label.
  typealias Line = (label: String, text: String)

  /// Where the draft stands, and all that it says.
  var lines: [Line] {
    let missing = flow.draft.missingSteps(with: flow.photoStatus).map { words($0.title) }
    return filled([
      (.statusStep, words(flow.draft.step.title)),
      (.statusMissing, missing.joined(separator: ", ")),
    ]) + contents
  }

  /// All that the draft says.
  var contents: [Line] {
    let (draft, form, contact) = (
      flow.draft, flow.draft.descriptionInput, flow.draft.contactInput
    )
    return filled([
      (.chipLabel, draft.chipInput),
      (.photoTitle, flow.photoAttachment?.fileName),
      (.dateLabel, form.date?.description),
      (.petNameLabel, form.petName),
      (.speciesLabel, form.species?.displayName(in: words)),
      (.raceLabel, form.race),
      (.genderLabel, form.gender?.displayName(in: words)),
      (.ageLabel, form.age),
      (.locationLatitudeLabel, form.latitude),
      (.locationLongitudeLabel, form.longitude),
      (.additionalLabel, form.additionalDescription),
      (.contactNameLabel, contact.name),
      (.contactPhoneLabel, contact.phone),
      (.contactEmailLabel, contact.email),
      (.contactRewardLabel, contact.reward),
      (.statusAnnouncement, draft.submission?.announcementID),
    ])
  }

  private func filled(_ fields: [(TextKey, String?)]) -> [Line] {
    fields.compactMap { key, text in
      text.flatMap { $0.isEmpty ? nil : (words(key), $0) }
    }
  }

  /// The lines as they are shown.
  func text(of lines: [Line]) -> String {
    lines.map { "\($0.label): \(ReadableText.escaped($0.text))" }.joined(separator: "\n")
  }
}
