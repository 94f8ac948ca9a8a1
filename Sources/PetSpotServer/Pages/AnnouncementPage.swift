import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import ReportFlow

/// One announcement.
struct AnnouncementPage: Sendable {
  let site: Site

  /// `GET /announcements/{id}`; 410 once it is closed or taken down.
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let announcement = try await site.openAnnouncement(context.parameter("id"), context)
    let renderer = PageRenderer(context, on: site)
    let place = ReaderLocation((try? context.query()) ?? [:])
    var view = AnnouncementView(announcement, place: place.coordinate, in: renderer.words)
    view.back = Self.list(context)
    if context.header(.userAgent)?.contains("Android") == true {
      view.mapApp = announcement.location?.coordinate.map(AnnouncementView.mapApp)
    }
    var head = PageHead("\(view.title) – \(view.status)")
    // A closed one is gone at once, also for Back.
    head.caching = "no-store"
    head.returnTo = view.address
    head.canonical = view.address
    return renderer.page(
      "announcement", view, head,
      share: ShareView(announcement, base: context.base, reader: renderer.words.language))
  }

  /// `GET /a/{code}`: 302 to the announcement; 410 once it is closed or erased. Codes are short, so misses are
  /// counted, before anything is looked up.
  @Sendable func follow(_ context: RequestContext) async throws -> Response {
    try site.clients.count(.miss, of: context.client)
    let id: String
    do {
      id = try await site.announcements.id(shortCode: context.parameter("code"))
    } catch AnnouncementError.closed {
      site.clients.giveBack(.miss, of: context.client)
      throw ErrorResponse.erased
    }
    site.clients.giveBack(.miss, of: context.client)
    _ = try await site.openAnnouncement(id, context)
    return .empty(.found, [.location: "/announcements/" + id, .cacheControl: "no-store"])
  }

  /// The list that the reader comes from, as it was.
  private static func list(_ context: RequestContext) -> String {
    guard let from = context.header(.referer).flatMap(URLComponents.init(string:)),
      from.path == "/announcements", let query = from.percentEncodedQuery
    else { return "/announcements" }
    return LocalPath("/announcements?" + query).text
  }
}

extension Site {
  /// The announcement that visitors see at this id.
  ///
  /// - Throws: 404; 410 for one that was closed, taken down or erased, with what its page says.
  func openAnnouncement(_ id: String, _ context: RequestContext) async throws -> Announcement {
    let announcement: Announcement
    do { announcement = try await self.announcement(id) } catch AnnouncementError.closed {
      throw ErrorResponse.erased
    }
    do { try announcement.requireOpen() } catch {
      guard var answer = ErrorResponse(cause: error) else { throw error }
      // Whoever has its code can open it again, or erase it.
      answer.owner = OwnerPage.path(announcement.id)
      let words = PageRenderer(context, on: self).words
      answer.pet = AnnouncementCard(announcement, readerLocation: nil, words: words).closedText
      throw answer
    }
    return announcement
  }
}

extension ShareView {
  /// What messengers and other sites show of a link to the announcement, in its own language where that is
  /// known: they don't say for whom they ask.
  init(_ announcement: Announcement, base: String, reader: Language) {
    let words = Words(announcement.details.language.flatMap(Language.init(rawValue:)) ?? reader)
    let card = AnnouncementCard(announcement, readerLocation: nil, words: words)
    title = card.shareTitle
    text = card.shareText
    address = base + "/announcements/" + announcement.id
    locale = words.language == .pl ? "pl_PL" : "en_US"
    picture = announcement.sharedSize.map {
      SharedPicture($0, base: base, text: words("photo.of", ["name": card.title]))
    }
  }
}

/// An announcement as its page shows it.
struct AnnouncementView {
  struct Fact { let name, text: String }

  let address, short, title, status, statusName: String
  /// Where and since when it is missing, in one line.
  let spot: String
  let facts: [Fact]
  let more, reward: String?
  /// Where a map of the place is, what its link says, and on a phone that has one, a link to its app for maps.
  let map, mapText: String?
  var mapApp: String?
  /// The list that the reader comes from.
  var back = "/announcements"
  /// When it was published.
  let published: String
  let contactName, contactPhone, call: String
  /// Whether the reader has seen it.
  let question: String
  /// The number as a link dials it, and writes to it.
  let dial, message: String
  let picture: PictureView?
  /// The picture at its largest size.
  let largest: String?

  init(_ announcement: Announcement, place: Coordinate? = nil, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: place, words: words)
    let details = announcement.details
    address = "/announcements/" + announcement.id
    short = announcement.shortPath ?? address
    (title, status) = (card.title, card.statusText)
    statusName = announcement.status.rawValue.lowercased()
    spot = [card.nearText, card.friendlyDateText()].compactMap { $0 }.joined(separator: " · ")
    let candidates: [(TextKey, String?)] = [
      ("announcement.species", card.speciesText), ("announcement.breed", card.tellingBreedText),
      ("gender.label", details.sex?.displayName(in: words)),
      ("announcement.age", details.age.map { words("age.years", count: $0) }),
      ("announcement.since", card.fullDateText()),
      ("announcement.seen", card.nearText ?? card.locationText),
      ("announcement.distance", card.distanceText),
    ]
    facts = candidates.compactMap { key, text in text.map { Fact(name: words(key), text: $0) } }
    (more, reward) = (announcement.description, card.rewardText)
    map = announcement.location?.coordinate.map(Self.map)
    mapText = card.nearText == nil ? nil : card.locationText
    published = words(
      "announcement.published",
      ["date": words.day(CalendarDay(announcement.createdAt, in: .current))])
    (contactName, contactPhone) = (announcement.contactName, announcement.contactPhone)
    question = card.question
    call = words("announcement.call", ["phone": contactPhone])
    let number = contactPhone.filter { $0.isASCII && $0.isNumber || $0 == "+" }
    (dial, message) = ("tel:" + number, "sms:" + number)
    picture = PictureView(announcement, .page, text: words("photo.of", ["name": card.title]))
    largest = announcement.largestSize()?.path
  }

  private static func map(_ place: Coordinate) -> String {
    let (latitude, longitude) = (
      CoordinateText.fiveDecimals(place.latitude), CoordinateText.fiveDecimals(place.longitude)
    )
    return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)"
      + "#map=16/\(latitude)/\(longitude)"
  }

  /// A `geo:` address (RFC 5870), which Android opens with a mark at the place.
  static func mapApp(_ place: Coordinate) -> String {
    let text =
      CoordinateText.fiveDecimals(place.latitude) + ","
      + CoordinateText.fiveDecimals(place.longitude)
    return "geo:\(text)?q=\(text)"
  }
}
