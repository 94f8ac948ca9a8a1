import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import ReportFlow

/// One announcement, and its poster.
struct AnnouncementPage: Sendable {
  let site: Site

  /// `GET /announcements/{id}`; 410 once it is closed or taken down.
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    try await page(context, try await open(context))
  }

  /// `GET /announcements/{id}/poster`: one sheet to print.
  @Sendable func poster(_ context: RequestContext) async throws -> Response {
    let announcement = try await open(context)
    let renderer = PageRenderer(context, on: site)
    var view = AnnouncementView(announcement, place: nil, isPrinted: true, in: renderer.words)
    view.poster = shared(announcement, view.title, in: renderer.words)
    var head = PageHead(renderer.words("announcement.poster") + ": " + view.posterTitle)
    head.isPoster = true
    let address = context.base + view.address
    let code = QRCode(address)
    return renderer.page(
      "poster",
      PosterView(
        announcement: view, link: address, code: code.map { .init(path: $0.path, width: $0.width) }),
      head)
  }

  private func open(_ context: RequestContext) async throws -> Announcement {
    let announcement = try await site.announcement(context.parameter("id"))
    do { try announcement.requireOpen() } catch {
      // Whoever has its code can still erase it.
      guard var answer = ErrorResponse(cause: error) else { throw error }
      answer.owner = OwnerPage.path(announcement.id)
      throw answer
    }
    return announcement
  }

  private func page(
    _ context: RequestContext, _ announcement: Announcement
  ) async throws -> Response {
    let renderer = PageRenderer(context, on: site)
    let place = ReaderLocation((try? context.query()) ?? [:])
    var view = AnnouncementView(announcement, place: place.coordinate, in: renderer.words)
    if context.header(.userAgent)?.contains("Android") == true {
      view.mapApp = announcement.location?.coordinate.map(AnnouncementView.mapApp)
    }
    var head = PageHead("\(view.title) – \(view.status)")
    // A closed one is gone at once, also for Back.
    head.caching = "no-store"
    head.returnTo = view.address
    let share = ShareView(
      title: view.shareTitle, text: view.shareText, address: context.base + view.address,
      picture: shared(announcement, view.title, base: context.base, in: renderer.words))
    return renderer.page("announcement", view, head, share: share)
  }

  private func shared(
    _ announcement: Announcement, _ title: String, base: String = "", in words: Words
  ) -> SharedPicture? {
    announcement.sharedSize.map {
      SharedPicture($0, base: base, text: words("photo.of", ["name": title]))
    }
  }
}

/// An announcement as its page and its poster show it.
struct AnnouncementView {
  struct Fact { let name, text: String }

  let address, title, status, statusName: String
  /// The name on a poster, where the species stands for a missing one.
  let posterTitle: String
  /// What stands at the top of a poster.
  let missing: String
  let facts: [Fact]
  let more, reward: String?
  /// Where a map of the place is, and on a phone that has one, a link to its app for maps.
  let map: String?
  var mapApp: String?
  /// What previews of a link to the page say.
  let shareTitle, shareText: String
  let contactName, contactPhone, call: String
  /// Whether the reader has seen it.
  let question: String
  /// The number as a link dials it.
  let dial: String
  let picture: PictureView?
  /// Its picture on a poster.
  var poster: SharedPicture?
  /// As many as there are strips to tear off a poster.
  let strips: [Int]

  init(
    _ announcement: Announcement, place: Coordinate?, isPrinted: Bool = false, in words: Words
  ) {
    let card = AnnouncementCard(announcement, readerLocation: place, words: words)
    let details = announcement.details
    address = "/announcements/" + announcement.id
    (title, status, statusName) = (
      card.title, card.statusText, announcement.status.rawValue.lowercased()
    )
    // On a poster the species of a pet without a name is its title.
    let species = isPrinted && !details.petNameGiven ? nil : card.speciesText
    let candidates: [(TextKey, String?)] = [
      ("announcement.species", species), ("announcement.breed", card.tellingBreedText),
      ("gender.label", details.sex?.displayName(in: words)),
      ("announcement.age", details.age.map { words("age.years", count: $0) }),
      ("announcement.since", isPrinted ? card.longDateText : card.fullDateText()),
      ("announcement.seen", card.seenText),
      ("announcement.distance", card.distanceText),
    ]
    facts = candidates.compactMap { key, text in text.map { Fact(name: words(key), text: $0) } }
    (more, reward) = (announcement.description, card.rewardText)
    missing = card.missingText
    posterTitle = details.petNameGiven ? card.title : card.speciesText
    map = announcement.location?.coordinate.map(Self.map)
    (shareTitle, shareText) = (card.shareTitle, card.shareText)
    (contactName, contactPhone) = (announcement.contactName, announcement.contactPhone)
    question = card.question
    call = words("announcement.call", ["phone": contactPhone])
    dial = "tel:" + contactPhone.filter { $0.isASCII && $0.isNumber || $0 == "+" }
    picture = PictureView(announcement, .page, text: words("photo.of", ["name": card.title]))
    strips = Array(1...8)
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

/// A poster. On paper no day is "2 days ago": that would not stay true.
struct PosterView {
  /// A QR code as a path of SVG.
  struct Code {
    let path: String
    let width: Int
  }

  let announcement: AnnouncementView
  /// The announcement's address, and its code; nil where the address is too long for one.
  let link: String
  let code: Code?
}
