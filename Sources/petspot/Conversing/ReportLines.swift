import Announcements
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension ReportSession {
  /// The draft for people: every field that is filled in, under its label.
  var lines: [(label: String, text: String)] {
    let (draft, form, contact) = (
      flow.draft, flow.draft.descriptionInput, flow.draft.contactInput
    )
    let all: [(TextKey, String?)] = [
      (.statusStep, words(draft.step.title)),
      (
        .statusMissing,
        draft.missingSteps(with: flow.photoStatus).map { words($0.title) }.joined(separator: ", ")
      ),
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
    ]
    return all.compactMap { key, text in
      text.flatMap { $0.isEmpty ? nil : (words(key), $0) }
    }
  }
}
