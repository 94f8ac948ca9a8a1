public import Announcements
public import Foundation
package import PhotoModel

/// The contents of an announcement's card in one language, for a reader at one place (seed 058).
public struct AnnouncementCard: Sendable {
  /// The announcement.
  public let announcement: Announcement
  /// The language of the texts.
  package let words: Words
  /// The reader's position, or `nil` if unknown.
  public let readerLocation: Coordinate?

  /// Creates a card for a reader at `readerLocation`.
  package init(_ announcement: Announcement, readerLocation: Coordinate?, words: Words) {
    self.announcement = announcement
    self.readerLocation = readerLocation
    self.words = words
  }

  /// The pet's name, or `Dog, name not given` without a name.
  public var title: String {
    if announcement.details.petNameGiven { return announcement.petName }
    guard speciesID != "other" else { return words("card.unnamedPet") }
    return words("card.unnamed", ["species": speciesText])
  }

  private var speciesID: String {
    announcement.details.speciesID ?? announcement.species.lowercased()
  }

  /// The everyday name of the species.
  public var speciesText: String { SpeciesTaxonomyOption(id: speciesID).displayName(in: words) }

  /// The breed, or `-` if unknown.
  public var breedText: String { announcement.details.breed?.nilIfBlank ?? "-" }

  /// The breed, or `nil` if it's just the species' name in any language.
  public var distinctBreedText: String? {
    guard let breed = announcement.details.breed?.nilIfBlank?.trimmed, breed != "-" else {
      return nil
    }
    let species = Language.allCases.map {
      SpeciesTaxonomyOption(id: speciesID).displayName(in: Words($0))
    }
    return (species + [speciesID]).contains { $0.lowercased() == breed.lowercased() } ? nil : breed
  }

  /// The text of the status badge.
  public var statusText: String {
    switch announcement.status {
    case .lost: words("card.lost")
    case .found: words("card.found")
    case .closed: words("card.closed")
    }
  }

  /// The headline of a poster. In Polish, its verb and noun agree with the animal's sex.
  public var missingText: String {
    let name = "poster.missing.\(speciesID)"
    let sex = announcement.details.sex?.rawValue.lowercased() ?? ""
    return words.text(named: "\(name).\(sex)") ?? words.text(named: name)
      ?? words.text(named: "\(name).male") ?? words("poster.missing")
  }

  /// The color of the badge as `#RRGGBB`. Red and green are from seed 058.
  public var statusColor: String {
    switch announcement.status {
    case .lost: "#FF0000"
    case .found: "#008236"
    case .closed: "#93A2B4"
    }
  }

  /// The day of the disappearance as `2025-11-20`, or the day of the announcement in UTC if unknown.
  public var dateText: String { day.description }

  private var day: CalendarDay {
    announcement.details.dateOfDisappearance ?? CalendarDay(announcement.createdAt, in: .gmt)
  }

  /// That day in long form: `November 20, 2025`.
  public var longDateText: String { words.day(day) }

  /// Returns the age of the day, such as `2 days ago`, or its date after more than 30 days.
  public func friendlyDateText(today: CalendarDay = CalendarDay(Date(), in: .current)) -> String {
    let days = max(0, day.days(to: today))
    if days < 2 { return words(days == 0 ? "date.today" : "date.yesterday") }
    return days <= 30 ? words("days.ago", count: days) : longDateText
  }

  /// Returns the date and its age: `November 20, 2025 (2 days ago)`.
  public func fullDateText(today: CalendarDay = CalendarDay(Date(), in: .current)) -> String {
    let friendly = friendlyDateText(today: today)
    return friendly == longDateText ? friendly : "\(longDateText) (\(friendly))"
  }

  /// The title of a link preview: `Missing dog: Max, Mokotów`.
  public var shareTitle: String {
    let place = nearText.map { ", " + $0 } ?? ""
    if announcement.status == .found { return words("share.found", ["title": title]) + place }
    let missing = missingText.prefix(1) + missingText.dropFirst().lowercased()
    return missing + (announcement.details.petNameGiven ? ": " + title : "") + place
  }

  /// The sentences of a link preview. They don't contain the owner's name and phone number.
  public var shareText: String { shareText(call: words("share.call")) }

  /// The sentences of a message with which people pass the announcement on.
  public var shareMessage: String {
    shareText(call: words("share.callNumber", ["phone": announcement.contactPhone]))
  }

  private func shareText(call: String) -> String {
    let details = announcement.details
    let animal = [
      speciesText, distinctBreedText, details.sex?.displayName(in: words).lowercased(),
      details.age.map { words("age.years", count: $0) },
    ]
    let since =
      announcement.status == .found ? nil : words("share.since", ["date": longDateText])
    let sentences = [
      nearText.map { words("announcement.seen") + ": " + $0 + "." }, since,
      animal.compactMap { $0 }.joined(separator: ", ") + ".", rewardText.map { $0 + "." },
      question + " " + call,
    ]
    return sentences.compactMap { $0 }.joined(separator: " ")
  }

  /// The question on posters and announcements: `Have you seen Max?`
  public var question: String {
    announcement.details.petNameGiven
      ? words("share.question", ["name": title]) : words("share.questionUnnamed")
  }

  /// The title of a closed announcement: `Max is back home` if that is the reason.
  public var closedTitle: String {
    guard announcement.details.isHome else { return words("announcement.closedTitle") }
    if announcement.details.petNameGiven { return words("announcement.home", ["name": title]) }
    guard speciesID != "other" else { return words("announcement.homePet") }
    return words(
      "announcement.homeUnnamed",
      ["species": words.language == .en ? speciesText.lowercased() : speciesText])
  }

  /// The message for a closed announcement.
  public var closedText: String {
    if announcement.details.isHome { return words("announcement.homeThanks") }
    if announcement.details.petNameGiven {
      return words("announcement.closedNamed", ["name": title])
    }
    guard speciesID != "other" else { return words("announcement.closed") }
    return words("announcement.closedUnnamed", ["species": speciesText.lowercased()])
  }

  /// The finder's reward, such as `Reward: 100 zł`, or `nil` if there isn't one.
  public var rewardText: String? {
    announcement.details.texts[.reward]?.nilIfBlank.map { words("card.reward", ["reward": $0]) }
  }

  /// The place in the reporter's words, or `nil` if it's blank.
  public var nearText: String? {
    announcement.details.texts[.near]?.nilIfBlank ?? announcement.location?.address?.nilIfBlank
  }

  /// The coordinates, such as `52.2297° N, 21.0122° E`, or `nil` if unknown.
  public var locationText: String? {
    announcement.location?.coordinate.map { CoordinateText.place($0, in: words) }
  }

  /// The known parts of the place in words and numbers: `by the lake (52.2297° N, 21.0122° E)`.
  public var seenText: String? {
    guard let nearText else { return locationText }
    return locationText.map { "\(nearText) (\($0))" } ?? nearText
  }

  /// The distance, such as `2.3 km`, or `nil` if either place is unknown.
  public var distanceText: String? {
    announcement.distance(from: readerLocation).map {
      words("card.distance", ["km": words.decimal($0, digits: 1)])
    }
  }

  /// The distance in kilometers, or `nil` if either place is unknown.
  public var distanceKm: Double? { announcement.distance(from: readerLocation) }

  /// The URL of the photo, or `nil` to show the placeholder.
  public var photoURL: URL? { announcement.photoUrl }

  /// The identifier of the card in tests.
  public var accessibilityID: String { "animalList.item.\(announcement.id)" }
}

extension Gender {
  /// Returns the everyday name of the gender.
  package func displayName(in words: Words) -> String {
    words(self == .male ? "gender.male" : "gender.female")
  }
}
