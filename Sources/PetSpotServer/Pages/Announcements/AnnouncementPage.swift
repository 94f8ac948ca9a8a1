import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import ReportFlow

/// The page of an announcement.
struct AnnouncementPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /announcements/{id}`. Fails with 410 if the announcement was closed or taken down.
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let announcement = try await Self.openAnnouncement(context.announcementID, context, in: stores)
    let renderer = PageRenderer(context)
    let place = ReaderLocation((try? context.query()) ?? [:])
    var view = AnnouncementView(announcement, place: place.coordinate, in: renderer.words)
    view.back = Self.list(context)
    if context.header(.userAgent)?.contains("Android") == true {
      view.mapApp = announcement.location?.coordinate.map(AnnouncementView.mapApp)
    }
    // A closed announcement must disappear at once, even for Back.
    let card = AnnouncementCard(announcement, readerLocation: nil, words: renderer.words)
    var head = PageHead(card.shareTitle, isSecret: true)
    head.returnTo = view.address
    head.canonical = view.address
    return renderer.page(
      "announcement", view, head,
      share: ShareView(announcement, base: context.base, reader: renderer.words.language))
  }

  /// `GET /a/{code}`: redirects (302) to the announcement. Fails with 410 if it was closed or erased. Codes are short
  /// and could be guessed, so misses count against the client, and are counted before the lookup.
  @Sendable func follow(_ context: RequestContext) async throws -> Response {
    let id = try await limits.clients.countingMisses(of: context.client) {
      do {
        return try await stores.announcements.id(shortCode: context.parameter("code"))
      } catch AnnouncementError.closed {
        throw ErrorResponse.erased
      }
    }
    _ = try await Self.openAnnouncement(id, context, in: stores)
    return .empty(.found, [.location: "/announcements/" + id, .cacheControl: "no-store"])
  }

  /// Returns the list that the reader comes from, with its search.
  private static func list(_ context: RequestContext) -> String {
    guard let from = context.header(.referer).flatMap(URLComponents.init(string:)),
      from.path == "/announcements", let query = from.percentEncodedQuery
    else { return "/announcements" }
    return LocalPath("/announcements?" + query).text
  }

  /// Returns the announcement that visitors see under an ID.
  ///
  /// - Throws: 404; 410 with the text of its page if the announcement was closed, taken down or erased.
  static func openAnnouncement(
    _ id: String, _ context: RequestContext, in stores: Stores
  ) async throws -> Announcement {
    let announcement: Announcement
    do {
      announcement = try await stores.announcements.announcement(id: id)
    } catch AnnouncementError
      .closed
    {
      throw ErrorResponse.erased
    }
    do { try announcement.requireOpen() } catch {
      guard let answer = ErrorResponse(cause: error) else { throw error }
      throw GoneAnnouncement(response: answer, announcement: announcement, base: context.base)
    }
    return announcement
  }
}

extension ShareView {
  /// Creates the preview that messengers and other sites show of a link. Its language is the announcement's if known,
  /// because their requests don't name the language of their users.
  init(_ announcement: Announcement, base: String, reader: Language) {
    let words = Words(announcement.details.language.flatMap(Language.init(rawValue:)) ?? reader)
    let card = AnnouncementCard(announcement, readerLocation: nil, words: words)
    let isClosed = announcement.status == .closed
    let closedTitle = announcement.details.isHome ? card.closedTitle : card.closedText
    self.init(
      title: isClosed ? closedTitle : card.shareTitle,
      text: isClosed ? card.closedText : card.shareText,
      message: isClosed ? card.closedText : card.shareMessage,
      address: base + "/announcements/" + announcement.id, locale: words.language,
      picture: (isClosed ? nil : announcement.sharedSize).map {
        SharedPicture($0, base: base, text: words("photo.of", ["name": card.title]))
      })
  }
}

/// The data of an announcement's page.
struct AnnouncementView {
  struct Fact {
    let name, text: String
    /// The field of the report's form, for the review.
    var change: String?
  }

  let address, short, title, status, statusName: String
  /// The place and date of the disappearance in one line.
  let spot: String
  let facts: [Fact]
  let more, reward: String?
  /// The URL of a map of the place, the text of its link, and on Android a link to the map app.
  let map, mapText: String?
  var mapApp: String?
  /// The list that the reader comes from.
  var back = "/announcements"
  /// The date of publication.
  let published: String
  let contactName, contactPhone, call: String
  /// The question whether the reader has seen the pet.
  let question: String
  /// Links that call the number and send it a message.
  let dial, message: String
  let picture: PictureView?
  /// The picture in its largest size.
  let largest: String?

  init(_ announcement: Announcement, place: Coordinate? = nil, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: place, words: words)
    let details = announcement.details
    address = "/announcements/" + announcement.id
    short = announcement.shortPath ?? address
    title = card.title
    status = card.statusText
    statusName = announcement.status.rawValue.lowercased()
    spot = [card.nearText, card.friendlyDateText()].compactMap { $0 }.joined(separator: " · ")
    let candidates: [(TextKey, String?, FormField?)] = [
      ("announcement.species", card.speciesText, .species),
      ("announcement.breed", card.distinctBreedText, .race),
      ("gender.label", details.sex?.displayName(in: words), .gender),
      ("announcement.age", details.age.map { words("age.years", count: $0) }, .age),
      ("announcement.since", card.fullDateText(), .date),
      ("announcement.seen", card.nearText ?? card.locationText, .near),
      ("announcement.distance", card.distanceText, nil),
    ]
    facts = candidates.compactMap { key, text, field in
      text.map {
        let change = field.map { FlowStep.description.path + "#" + $0.rawValue }
        return Fact(name: words(key), text: $0, change: change)
      }
    }
    more = announcement.description
    reward = card.rewardText
    map = announcement.location?.coordinate.map(Self.map)
    mapText = card.nearText == nil ? nil : card.locationText
    published = words(
      "announcement.published",
      ["date": words.day(CalendarDay(announcement.createdAt, in: .current))])
    contactName = announcement.contactName
    contactPhone = announcement.contactPhone
    question = card.question
    call = words("announcement.call", ["phone": contactPhone])
    let number = contactPhone.filter { $0.isASCII && $0.isNumber || $0 == "+" }
    dial = "tel:" + number
    message = "sms:" + number
    picture = PictureView(announcement, .page, text: words("photo.of", ["name": card.title]))
    largest = announcement.largestSize()?.path
  }

  private static func map(_ place: Coordinate) -> String {
    let latitude = CoordinateText.fiveDecimals(place.latitude)
    let longitude = CoordinateText.fiveDecimals(place.longitude)
    return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)"
      + "#map=16/\(latitude)/\(longitude)"
  }

  /// Returns a `geo:` URI (RFC 5870), which Android opens with a marker at the place.
  static func mapApp(_ place: Coordinate) -> String {
    let text =
      CoordinateText.fiveDecimals(place.latitude) + ","
      + CoordinateText.fiveDecimals(place.longitude)
    return "geo:\(text)?q=\(text)"
  }
}
