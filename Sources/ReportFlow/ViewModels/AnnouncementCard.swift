public import Announcements
public import Foundation

/// What a card shows of an announcement, in one language, to a reader at some place (seed 058).
public struct AnnouncementCard: Sendable {
  /// The announcement.
  public let announcement: Announcement
  /// The language of the texts.
  public let words: Words
  /// Where the reader is; nil when that is not known.
  public let readerLocation: Coordinate?

  /// A card for a reader at `readerLocation`.
  public init(_ announcement: Announcement, readerLocation: Coordinate?, words: Words) {
    (self.announcement, self.readerLocation, self.words) = (announcement, readerLocation, words)
  }

  /// The pet's name, `Dog, name not given` when it has none.
  public var title: String {
    if announcement.details.petNameGiven { return announcement.petName }
    guard speciesID != "other" else { return words("card.unnamedPet") }
    return words("card.unnamed", ["species": speciesText])
  }

  private var speciesID: String {
    announcement.details.speciesID ?? announcement.species.lowercased()
  }

  /// The species as people call it.
  public var speciesText: String { SpeciesTaxonomyOption(id: speciesID).displayName(in: words) }

  /// The breed, `-` when it is not known.
  public var breedText: String { announcement.details.breed?.nilIfBlank ?? "-" }

  /// The breed where it says more than the species does, in whatever language; else nil.
  public var tellingBreedText: String? {
    guard let breed = announcement.details.breed?.nilIfBlank?.trimmed, breed != "-" else {
      return nil
    }
    let species = Language.allCases.map {
      SpeciesTaxonomyOption(id: speciesID).displayName(in: Words($0))
    }
    return (species + [speciesID]).contains { $0.lowercased() == breed.lowercased() } ? nil : breed
  }

  /// The badge.
  public var statusText: String {
    switch announcement.status {
    case .lost: words("card.lost")
    case .found: words("card.found")
    case .closed: words("card.closed")
    }
  }

  /// What a poster says at its top, in Polish with the verb's form and the noun for the animal's sex.
  public var missingText: String {
    let name = "poster.missing.\(speciesID)"
    let sex = announcement.details.sex?.rawValue.lowercased() ?? ""
    return words.text(named: "\(name).\(sex)") ?? words.text(named: name)
      ?? words("poster.missing")
  }

  /// The badge's color as `#RRGGBB`: red and green as in seed 058.
  public var statusColor: String {
    switch announcement.status {
    case .lost: "#FF0000"
    case .found: "#008236"
    case .closed: "#93A2B4"
    }
  }

  /// The day of the disappearance, else the day of the announcement in UTC, as `2025-11-20`.
  public var dateText: String { day.description }

  private var day: CalendarDay {
    announcement.details.dateOfDisappearance ?? CalendarDay(announcement.createdAt, in: .gmt)
  }

  /// The same day as people write it: `November 20, 2025`.
  public var longDateText: String { words.day(day) }

  /// How long ago that is, `2 days ago`; the date where it's more than 30 days.
  public func friendlyDateText(today: CalendarDay = CalendarDay(Date(), in: .current)) -> String {
    let days = max(0, day.days(to: today))
    if days < 2 { return words(days == 0 ? "date.today" : "date.yesterday") }
    return days <= 30 ? words("days.ago", count: days) : longDateText
  }

  /// Both: `November 20, 2025 (2 days ago)`.
  public func fullDateText(today: CalendarDay = CalendarDay(Date(), in: .current)) -> String {
    let friendly = friendlyDateText(today: today)
    return friendly == longDateText ? friendly : "\(longDateText) (\(friendly))"
  }

  /// The title of a link's preview: `Missing: Max`.
  public var shareTitle: String {
    words(announcement.status == .found ? "share.found" : "share.missing", ["title": title])
  }

  /// The sentences of a link's preview.
  public var shareText: String {
    let details = announcement.details
    let animal = [
      speciesText, tellingBreedText, details.sex?.displayName(in: words).lowercased(),
      details.age.map { words("age.years", count: $0) },
    ]
    let since =
      announcement.status == .found ? nil : words("share.since", ["date": longDateText])
    let sentences = [
      animal.compactMap { $0 }.joined(separator: ", ") + ".", since, rewardText.map { $0 + "." },
      question + " " + words("share.call"),
    ]
    return sentences.compactMap { $0 }.joined(separator: " ")
  }

  /// What a poster and an announcement ask: `Have you seen Max?`
  public var question: String {
    announcement.details.petNameGiven
      ? words("share.question", ["name": title]) : words("share.questionUnnamed")
  }

  /// What is said of a closed one.
  public var closedText: String {
    announcement.details.petNameGiven
      ? words("announcement.closedNamed", ["name": title])
      : words("announcement.closedUnnamed", ["species": speciesText.lowercased()])
  }

  /// What the finder gets, `Reward: 100 zł`; nil when nothing is promised.
  public var rewardText: String? {
    announcement.details.texts[.reward]?.nilIfBlank.map { words("card.reward", ["reward": $0]) }
  }

  /// The place in the reporter's words; nil when there are none.
  public var nearText: String? { announcement.details.texts[.near]?.nilIfBlank }

  /// The place, `52.2297° N, 21.0122° E`; nil when it is not known.
  public var locationText: String? {
    announcement.location?.coordinate.map { CoordinateText.place($0, in: words) }
  }

  /// The place in words and in numbers, as far as they are known: `by the lake (52.2297° N, 21.0122° E)`.
  public var seenText: String? {
    guard let nearText else { return locationText }
    return locationText.map { "\(nearText) (\($0))" } ?? nearText
  }

  /// The distance, `2.3 km`; nil when either place is not known.
  public var distanceText: String? {
    announcement.distance(from: readerLocation).map {
      words("card.distance", ["km": words.decimal($0, digits: 1)])
    }
  }

  /// The distance in kilometers; nil when either place is not known.
  public var distanceKm: Double? { announcement.distance(from: readerLocation) }

  /// Where to load the photo; nil means the placeholder.
  public var photoURL: URL? { announcement.photoUrl }

  /// Names the card in tests.
  public var accessibilityID: String { "animalList.item.\(announcement.id)" }
}
