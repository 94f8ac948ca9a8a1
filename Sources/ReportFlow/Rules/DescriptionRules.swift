package import Announcements
package import Foundation

/// The rules for the description step (seeds 021, 031, 046; decision 16).
package enum DescriptionRules {
  /// The number of years back beyond which the reporter is asked once to check the day. Such a day is never refused,
  /// but a mistyped year is more likely (decision 42).
  package static let yearsBeforeQuestion = 20

  /// Returns `true` if `day` is so long before `today` that the person should check it.
  package static func isLongAgo(_ day: CalendarDay, today: CalendarDay) -> Bool {
    (day.year + yearsBeforeQuestion, day.month, day.day) < (today.year, today.month, today.day)
  }

  /// Returns `true` if `day` is after `today`, which a report rejects. The API has its own rule, which allows for every
  /// time zone: `NewAnnouncement.invalidFields`.
  package static func isInFuture(_ day: CalendarDay, today: CalendarDay) -> Bool { day > today }

  /// Validates `input` on the day `today` and returns its details with `now` as their save time. On failure, returns
  /// all errors at once, in the order of the fields.
  package static func details(
    from input: DescriptionInput, today: CalendarDay, now: Date
  ) -> Result<AnimalDescriptionDetails, ValidationErrors> {
    var errors = [ValidationError]()
    let date = input.date ?? today
    if isInFuture(date, today: today) { errors.append(.futureDate) }
    let name = input[.petName].trimmed
    if name.count > Announcement.maxNameLength {
      errors.append(.invalidPetName("petName.tooLong"))
    } else if !name.fits(characters: Announcement.maxNameLength) {
      errors.append(.invalidPetName("text.oversized"))
    }
    if input.species == nil { errors.append(.missingSpecies) }
    let race = input[.race].trimmed
    if race.isEmpty { errors.append(.missingRace) }
    if race.count > Announcement.maxBreedLength {
      errors.append(.invalidRace("race.tooLong"))
    } else if !race.fits(characters: Announcement.maxBreedLength) {
      errors.append(.invalidRace("text.oversized"))
    }
    if input.gender == nil { errors.append(.missingGender) }
    let age = AgeRule.age(input[.age])
    if case .failure(let error) = age { errors.append(error) }
    if case .invalid(let latitude, let longitude) = CoordinateRules.validate(
      latitude: input[.latitude], longitude: input[.longitude])
    {
      if let latitude { errors.append(.invalidLatitude(latitude)) }
      if let longitude { errors.append(.invalidLongitude(longitude)) }
    }
    for field in FlowStep.description.fields
    where field.maxLength != nil && !input[field].fits(characters: field.limit) {
      errors.append(.invalidText(field))
    }
    guard errors.isEmpty, let species = input.species, let gender = input.gender else {
      return .failure(ValidationErrors(errors))
    }
    let place = CoordinateRules.coordinate(
      latitude: input[.latitude], longitude: input[.longitude])
    return .success(
      AnimalDescriptionDetails(
        disappearanceDate: date, species: species, race: race, gender: gender,
        age: (try? age.get()) ?? nil, latitude: place?.latitude, longitude: place?.longitude,
        additionalDescription: input[.description].nilIfBlank,
        texts: PublishedTexts { input[$0].trimmed.nilIfBlank }, lastUpdated: now))
  }
}
