import Announcements
import Foundation
import HTTPTypes
import Hummingbird
import PhotoAttachments
import ReportFlow

/// One announcement, with a form to close it.
struct AnnouncementPage: Sendable {
  let site: Site

  /// `GET /announcements/{id}`; 410 once it is closed or taken down.
  @Sendable func show(_ exchange: Exchange) async throws -> Response {
    try await page(exchange, try await open(exchange), problem: nil, .ok)
  }

  /// `GET /announcements/{id}/poster`: one sheet to print.
  @Sendable func poster(_ exchange: Exchange) async throws -> Response {
    let announcement = try await open(exchange)
    let reader = Reader(exchange, on: site)
    let view = try await view(announcement, reader, place: nil, problem: nil)
    var head = PageHead(reader.words(.announcementPoster) + ": " + view.title)
    head.isPoster = true
    return reader.page("poster", view, head)
  }

  /// `POST /announcements/{id}/close` with `password`.
  @Sendable func close(_ exchange: Exchange) async throws -> Response {
    let announcement = try await open(exchange)
    let words = Reader(exchange, on: site).words
    let password = try await PostedForm.receive(exchange)["password"]
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard !password.isEmpty else {
      return try await page(
        exchange, announcement, problem: words(.announcementCodeMissing), .unprocessableContent)
    }
    do {
      _ = try await site.announcements.close(
        id: announcement.id, managementPassword: password, client: exchange.client.text)
      return .see("/announcements/" + announcement.id)
    } catch let error as AnnouncementError {
      guard let answer = ErrorAnswer(cause: error), answer.status != .notFound else { throw error }
      var response = try await page(
        exchange, announcement, problem: error.message(in: words, now: Date()), answer.status)
      response.headers[.retryAfter] = answer.headers[.retryAfter]
      return response
    }
  }

  private func open(_ exchange: Exchange) async throws -> Announcement {
    let announcement = try await site.announcement(exchange.parameter("id"))
    try announcement.requireOpen()
    return announcement
  }

  private func page(
    _ exchange: Exchange, _ announcement: Announcement, problem: String?,
    _ status: HTTPResponse.Status
  ) async throws -> Response {
    let reader = Reader(exchange, on: site)
    // The reader's position counts where it is asked for: not in an address that was posted to.
    let place = ReaderPlace((try? exchange.query()) ?? [:])
    var view = try await view(announcement, reader, place: place.coordinate, problem: problem)
    if exchange.header(.userAgent)?.contains("Android") == true {
      view.mapApp = announcement.location?.coordinate.map(AnnouncementView.mapApp)
    }
    var head = PageHead("\(view.title) – \(view.status)")
    // Its form is for the owner.
    (head.status, head.caching) = (status, "no-store")
    head.errors = problem.map { [ErrorLine(text: $0, field: "password")] } ?? []
    head.returnTo = view.address
    let share = ShareView(
      title: view.shareTitle, text: view.shareText, address: exchange.base + view.address,
      picture: announcement.photoAddress(base: exchange.base)?.absoluteString)
    return reader.page("announcement", view, head, share: share)
  }

  private func view(
    _ announcement: Announcement, _ reader: Reader, place: Coordinate?, problem: String?
  ) async throws -> AnnouncementView {
    var photo: StoredPicture?
    if let id = announcement.details.photoID {
      photo = try await site.photos.photo(id: id)?.blob
    }
    return AnnouncementView(announcement, photo, place: place, problem: problem, in: reader.words)
  }
}

/// An announcement as its page and its poster show it.
struct AnnouncementView {
  struct Fact { let name, text: String }
  struct Picture {
    let address, text: String
    let width, height: Int
  }

  let address, title, status, statusName: String
  /// The name on a poster, where the species stands for a missing one.
  let posterTitle: String
  let facts: [Fact]
  let more, reward: String?
  /// Where a map of the place is, and on a phone that has one, a link to its app for maps.
  let map: String?
  var mapApp: String?
  /// What previews of a link to the page say.
  let shareTitle, shareText: String
  let contactName, contactPhone, call: String
  /// The number as a link dials it.
  let dial: String
  let picture: Picture?
  let problem: String?
  /// As many as there are strips to tear off a poster.
  let strips: [Int]

  init(
    _ announcement: Announcement, _ photo: StoredPicture?, place: Coordinate?, problem: String?,
    in words: Words
  ) {
    let card = AnnouncementCard(announcement, readerLocation: place, words: words)
    let details = announcement.details
    address = "/announcements/" + announcement.id
    (title, status, statusName) = (
      card.title, card.statusText, announcement.status.rawValue.lowercased()
    )
    let told: [(TextKey, String?)] = [
      (.announcementSpecies, card.speciesText), (.announcementBreed, card.tellingBreedText),
      (.genderLabel, details.sex?.displayName(in: words)),
      (.announcementAge, details.age.map { words(.ageYears, count: $0) }),
      (.announcementSince, card.fullDateText()), (.announcementSeen, card.locationText),
      (.announcementDistance, card.distanceText),
    ]
    facts = told.compactMap { key, text in text.map { Fact(name: words(key), text: $0) } }
    (more, reward) = (announcement.description, card.rewardText)
    posterTitle = details.petNameGiven ? card.title : card.speciesText
    map = announcement.location?.coordinate.map(Self.map)
    (shareTitle, shareText) = (card.shareTitle, card.shareText)
    (contactName, contactPhone) = (announcement.contactName, announcement.contactPhone)
    call = words(.announcementCall, ["phone": contactPhone])
    dial = "tel:" + contactPhone.filter { $0.isASCII && $0.isNumber || $0 == "+" }
    picture = details.photoID.flatMap { id in
      photo.map {
        Picture(
          address: "/images/" + PictureName(photo: id, isPreview: false).text,
          text: words(.photoOf, ["name": card.title]), width: $0.pixelWidth,
          height: $0.pixelHeight)
      }
    }
    self.problem = problem
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
