import Announcements
import Foundation
import ReportFlow

/// The posted form of step 3: how its texts become edits of the draft.
struct DescriptionForm: Sendable {
  let posted: PostedForm
  /// The position of the draft's photo, when the reporter wants to use it.
  let photoPosition: Coordinate?
  private let taxonomy: SpeciesTaxonomy
  private let now: Date

  init(
    _ posted: PostedForm, photoPosition: Coordinate?, taxonomy: SpeciesTaxonomy, now: Date = Date()
  ) {
    (self.posted, self.photoPosition, self.taxonomy) = (posted, photoPosition, taxonomy)
    self.now = now
  }

  /// The reporter's day: in the zone the browser names, else wherever on earth it is latest, so that
  /// no reader's own day is refused (decision 22).
  var today: CalendarDay {
    let zone = TimeZone(identifier: posted["timeZone"])
    return CalendarDay(now, in: zone ?? .latest)
  }

  /// What Continue needs to know.
  var facts: FlowFacts { FlowFacts(today: today, now: now, shownDay: day) }

  /// Whether this form brings a day that is so long ago that it is asked about once (decision 42).
  func asks(_ before: ReportDraft) -> Bool {
    guard let day, day != before.animalDescription?.disappearanceDate,
      posted["askedDate"] != day.description
    else { return false }
    return DescriptionRules.isLongAgo(day, today: today)
  }

  private var day: CalendarDay? {
    CalendarDay(posted["date"].trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Brings the texts into the draft; gives the errors of what it cannot hold.
  func edit(_ draft: inout ReportDraft) -> [ValidationError] {
    let errors = editDate(&draft)
    func edit(_ change: FlowEdit) { draft.handle(.edited(change)) }
    editSpecies(draft.descriptionInput).forEach(edit)
    if posted.given("gender") != nil { edit(.gender(Gender(rawValue: posted["gender"]))) }
    place.forEach(edit)
    let texts = FlowStep.description.fields.filter(\.isText)
    for field in texts where ![.race, .latitude, .longitude].contains(field) {
      if let text = posted.given(field.rawValue) { edit(.typed(field, text)) }
    }
    return errors
  }

  /// A day that was only shown, by the page or its script, is not chosen before it counts (seed 021,
  /// FR-003).
  private func editDate(_ draft: inout ReportDraft) -> [ValidationError] {
    guard let text = posted.given("date") else { return [] }
    guard let day else { return [.missingDate] }
    if draft.descriptionInput.date == nil, text == posted["shownDate"] || day == today {
      return DescriptionRules.isInFuture(day, today: today) ? [.futureDate] : []
    }
    if case .refused(let errors) = draft.handle(.edited(.date(day, today: today))) { return errors }
    return []
  }

  /// Another species clears the race that was there before (decision 16), not one that was typed for
  /// it.
  private func editSpecies(_ input: DescriptionInput) -> [FlowEdit] {
    var edits: [FlowEdit] = []
    var isOther = false
    if let id = posted.given("species") {
      isOther = input.species != nil && input.species?.id != id
      edits.append(.species(taxonomy.option(id: id)))
    }
    if let race = posted.given("race"), !(isOther && race == input[.race]) {
      edits.append(.typed(.race, race))
    }
    return edits
  }

  private var place: [FlowEdit] {
    // The script says what the person allowed, where it has asked.
    let authorization =
      LocationAuthorization(rawValue: posted["locationPermission"]) ?? .notDetermined
    let context = LocationContext(now: now, authorization: authorization)
    if let photoPosition { return [.captured(photoPosition, .manual, context)] }
    let (latitude, longitude) = (posted.given("latitude"), posted.given("longitude"))
    if let latitude, let longitude, let capture = BrowserCapture(posted["captured"], now: now),
      capture.latitude == latitude, capture.longitude == longitude,
      let point = CoordinateRules.coordinate(latitude: latitude, longitude: longitude)
    {
      return [
        .captured(
          point, .gps, LocationContext(now: capture.moment, authorization: .authorizedWhenInUse))
      ]
    }
    // Edited and the same again is the reporter's own word too.
    let touched = posted["captured"] == "edited" ? FlowEdit.coordinate(.latitude, "", context) : nil
    return [
      touched, latitude.map { .coordinate(.latitude, $0, context) },
      longitude.map { .coordinate(.longitude, $0, context) },
    ].compactMap { $0 }
  }
}

/// What the page's script says that the browser's Geolocation gave: `52.22970 21.01220 1764000000000`.
///
/// The script makes this field when it fills the position in, and an edit makes it `edited`; no page is
/// sent with it. A form without script never has it, and one whose fields say something else than
/// it is `manual` (decision 45).
private struct BrowserCapture {
  let latitude, longitude: String
  /// When the position was found (seed 021, FR-009).
  let moment: Date

  init?(_ text: String, now: Date) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 3, let milliseconds = Double(parts[2]) else { return nil }
    (latitude, longitude) = (parts[0], parts[1])
    let stated = Date(timeIntervalSince1970: milliseconds / 1000)
    // A browser's clock may be wrong.
    moment = (now - 86_400...now).contains(stated) ? stated : now
  }
}

extension TimeZone {
  /// Where on earth it is latest: 14 hours ahead of UTC.
  static var latest: TimeZone { TimeZone(secondsFromGMT: 14 * 3600) ?? .gmt }
}
