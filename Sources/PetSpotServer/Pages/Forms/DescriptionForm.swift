import Announcements
import Foundation
import ReportFlow

/// The posted form of step 3. Turns its texts into edits of the draft.
struct DescriptionForm: Sendable {
  let posted: PostedForm
  /// The position of the draft's photo, if the reporter uses it.
  let photoPosition: Coordinate?
  private let taxonomy: SpeciesTaxonomy
  private let now: Date

  init(
    _ posted: PostedForm, photoPosition: Coordinate?, taxonomy: SpeciesTaxonomy, now: Date = Date()
  ) {
    self.posted = posted
    self.photoPosition = photoPosition
    self.taxonomy = taxonomy
    self.now = now
  }

  /// The reporter's current day, in the time zone of the browser. If that is unknown, in the zone where each day begins
  /// first, so that every reporter's own day is accepted (decision 22).
  var today: CalendarDay {
    let zone = TimeZone(identifier: posted["timeZone"])
    return CalendarDay(now, in: zone ?? .latest)
  }

  /// The values that Continue needs.
  var context: FlowContext { FlowContext(today: today, now: now, shownDay: day) }

  /// Returns `true` if the form has a new day that is long ago, about which the page asks once (decision 42).
  func asks(_ before: ReportDraft) -> Bool {
    guard let day, day != before.animalDescription?.disappearanceDate,
      posted["askedDate"] != day.description
    else { return false }
    return DescriptionRules.isLongAgo(day, today: today)
  }

  private var day: CalendarDay? {
    CalendarDay(posted["date"].trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Applies the texts to the draft. Returns errors for values that a draft can't contain.
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

  /// Applies the day. A day that only the page or its script has filled in is applied by Continue, not before (seed
  /// 021, FR-003).
  private func editDate(_ draft: inout ReportDraft) -> [ValidationError] {
    guard let text = posted.given("date") else { return [] }
    guard let day else { return [.missingDate] }
    if draft.descriptionInput.date == nil, text == posted["shownDate"] || day == today {
      return DescriptionRules.isInFuture(day, today: today) ? [.futureDate] : []
    }
    if case .refused(let errors) = draft.handle(.edited(.date(day, today: today))) { return errors }
    return []
  }

  /// Returns the edits of species and race. A new species clears the old race (decision 16), but not a race that was
  /// typed for it.
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

  /// `true` if the place is rounded to about 100 meters.
  private var roundsPlace: Bool { posted.given("roundPlace") != nil }

  private func rounded(_ point: Coordinate) -> Coordinate {
    func round(_ degrees: Double) -> Double { (degrees * 1000).rounded() / 1000 }
    return roundsPlace
      ? Coordinate(latitude: round(point.latitude), longitude: round(point.longitude)) ?? point
      : point
  }

  private var place: [FlowEdit] {
    // The script sends the permission if it has asked for one.
    let authorization =
      LocationAuthorization(rawValue: posted["locationPermission"]) ?? .notDetermined
    let context = LocationContext(now: now, authorization: authorization)
    if posted.action == .again("removePlace") {
      return [.coordinate(.latitude, "", context), .coordinate(.longitude, "", context)]
    }
    if let photoPosition { return [.captured(rounded(photoPosition), .manual, context)] }
    var latitude = posted.given("latitude")
    var longitude = posted.given("longitude")
    if let latitude, let longitude, let capture = BrowserCapture(posted["captured"], now: now),
      capture.latitude == latitude, capture.longitude == longitude,
      let point = CoordinateRules.coordinate(latitude: latitude, longitude: longitude)
    {
      return [
        .captured(
          rounded(point), .gps,
          LocationContext(now: capture.moment, authorization: .authorizedWhenInUse))
      ]
    }
    if roundsPlace,
      let point = CoordinateRules.coordinate(latitude: latitude ?? "", longitude: longitude ?? "")
    {
      latitude = CoordinateText.fiveDecimals(rounded(point).latitude)
      longitude = CoordinateText.fiveDecimals(rounded(point).longitude)
    }
    // A position that was edited back to its old value also comes from the reporter.
    let touched = posted["captured"] == "edited" ? FlowEdit.coordinate(.latitude, "", context) : nil
    return [
      touched, latitude.map { .coordinate(.latitude, $0, context) },
      longitude.map { .coordinate(.longitude, $0, context) },
    ].compactMap { $0 }
  }
}

/// The position that the browser's Geolocation gave to the page's script: `52.22970 21.01220 1764000000000`.
///
/// The script adds this field when it fills in the position, and an edit changes it to `edited`. The page itself never
/// contains the field. A position is `manual` if the field is missing or differs from the position's own fields
/// (decision 45).
private struct BrowserCapture {
  let latitude, longitude: String
  /// The time at which the position was found (seed 021, FR-009).
  let moment: Date

  init?(_ text: String, now: Date) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 3, let milliseconds = Double(parts[2]) else { return nil }
    latitude = parts[0]
    longitude = parts[1]
    let stated = Date(timeIntervalSince1970: milliseconds / 1000)
    // A browser's clock may be wrong, so only times of the last day are accepted.
    moment = (now - 86_400...now).contains(stated) ? stated : now
  }
}

extension TimeZone {
  /// The time zone in which each day begins first, 14 hours ahead of UTC.
  static var latest: TimeZone { TimeZone(secondsFromGMT: 14 * 3600) ?? .gmt }
}
