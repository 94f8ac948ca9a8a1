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

  static let fields: [FormField] = [
    .date, .petName, .species, .race, .gender, .age, .latitude, .longitude, .description,
  ]

  init(
    _ posted: PostedForm, photoPosition: Coordinate?, taxonomy: SpeciesTaxonomy, now: Date = Date()
  ) {
    (self.posted, self.photoPosition, self.taxonomy) = (posted, photoPosition, taxonomy)
    self.now = now
  }

  /// What was typed.
  var texts: [FormField: String] {
    Dictionary(uniqueKeysWithValues: Self.fields.map { ($0, posted[$0.rawValue]) })
  }

  /// The reporter's day: in the zone the browser names, else wherever on earth it is latest, so that
  /// nobody's own day is refused (decision 22).
  var today: CalendarDay {
    let zone = TimeZone(identifier: posted["timeZone"])
    return CalendarDay(now, in: zone ?? .latest)
  }

  /// What Continue needs to know.
  var facts: FlowFacts { FlowFacts(today: today, now: now, shownDay: day) }

  /// The box that says that a day long ago is meant; nil for no day.
  func longAgo(in words: Words) -> LongAgoView? {
    day.map {
      LongAgoView(day: $0.description, text: words(.pageLongAgo, ["day": $0.description]))
    }
  }

  private var day: CalendarDay? {
    CalendarDay(posted["date"].trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Brings the texts into the draft; gives the errors of what it cannot hold.
  func edit(_ draft: inout ReportDraft) -> [ValidationError] {
    let errors = editDate(&draft)
    func edit(_ change: DescriptionEdit) { draft.handle(.edited(.description(change))) }
    editSpecies(draft.descriptionInput).forEach(edit)
    if posted.given("gender") != nil { edit(.gender(Gender(rawValue: posted["gender"]))) }
    if let text = posted.given("petName") { edit(.petName(text)) }
    if let text = posted.given("age") { edit(.age(text)) }
    place.forEach(edit)
    if let text = posted.given("description") { edit(.additionalDescription(text)) }
    return errors
  }

  /// A day that was only shown, by the page or its script, is not chosen before it counts (seed 021,
  /// FR-003).
  private func editDate(_ draft: inout ReportDraft) -> [ValidationError] {
    guard let text = posted.given("date") else { return [] }
    guard let day else { return [.missingDate] }
    if draft.descriptionInput.date == nil, text == posted["shownDate"] || day == today {
      return day > today ? [.futureDate] : []
    }
    // Asked about: a mistyped year, more often than not. The box says yes to this very day.
    if day != draft.descriptionInput.date, DescriptionRules.isLongAgo(day, today: today),
      posted["longAgo"] != day.description
    {
      return [.invalidDate(.dateLongAgo)]
    }
    if case .refused(let errors) = draft.handle(.edited(.date(day, today: today))) { return errors }
    return []
  }

  /// Another species clears the race that was there before (decision 16), not one that was typed for
  /// it.
  private func editSpecies(_ input: DescriptionInput) -> [DescriptionEdit] {
    var edits: [DescriptionEdit] = []
    var isOther = false
    if let id = posted.given("species") {
      isOther = input.species != nil && input.species?.id != id
      edits.append(.species(taxonomy.option(id: id)))
    }
    if let race = posted.given("race"), !(isOther && race == input.race) {
      edits.append(.race(race))
    }
    return edits
  }

  private var place: [DescriptionEdit] {
    if let photoPosition {
      return [.captured(photoPosition, context(.authorizedWhenInUse))]
    }
    let (latitude, longitude) = (posted.given("latitude"), posted.given("longitude"))
    if posted["captureMethod"] == "gps", let latitude, let longitude,
      let point = CoordinateRules.coordinate(latitude: latitude, longitude: longitude)
    {
      return [.captured(point, context(.authorizedWhenInUse))]
    }
    return [
      latitude.map { .latitude($0, context(.notDetermined)) },
      longitude.map { .longitude($0, context(.notDetermined)) },
    ].compactMap { $0 }
  }

  private func context(_ authorization: LocationAuthorization) -> LocationContext {
    LocationContext(now: now, authorization: authorization)
  }
}

extension TimeZone {
  /// Where on earth it is latest: 14 hours ahead of UTC.
  static var latest: TimeZone { TimeZone(secondsFromGMT: 14 * 3600) ?? .gmt }
}
