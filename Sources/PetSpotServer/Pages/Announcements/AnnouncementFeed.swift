import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoIngestion
import PhotoUploads
import ReportFlow

/// A list as a feed, for readers who follow new announcements without an account. It contains no data of owners.
struct AnnouncementFeed: Sendable {
  let stores: Stores
  let gates: Gates

  /// `GET /announcements.atom`, with the parameters of the list (RFC 4287, GeoRSS Simple).
  @Sendable func showAtom(_ context: RequestContext) async throws -> Response {
    let feed = try await feed(context)
    return answer(context, "application/atom+xml", Data(feed.atom.utf8))
  }

  /// `GET /announcements.json`, a JSON Feed 1.1 with the parameters of the list.
  @Sendable func showJSON(_ context: RequestContext) async throws -> Response {
    let feed = try await feed(context)
    return answer(context, "application/feed+json", Data(Response.encoded(feed)))
  }

  private func feed(_ context: RequestContext) async throws -> Feed {
    let wanted = ListQuery(try context.query(), taxonomy: await stores.species.taxonomy)
    let list = try await stores.list(wanted.list(limit: 20), in: gates, for: context)
    return Feed(
      list, wanted, base: context.base, isAtom: context.request.uri.path.hasSuffix(".atom"),
      in: PageRenderer(context).words)
  }

  private func answer(
    _ context: RequestContext, _ type: String, _ body: Data
  ) -> Response {
    let tag = "\"\(sha256(of: Array(body)).prefix(32))\""
    // No `Last-Modified`, because it wouldn't change if an announcement is removed.
    let headers: HTTPFields = [
      .contentType: type + "; charset=utf-8", .eTag: tag,
      .cacheControl: "public, max-age=300, must-revalidate", .vary: "Accept-Language, Cookie",
    ]
    if let tags = context.header(.ifNoneMatch), EntityTags.match(tags, tag) {
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

/// The content of a feed, in the structure of JSON Feed.
struct Feed: Encodable {
  let version = "https://jsonfeed.org/version/1.1"
  let title, home_page_url, feed_url, language: String
  let next_url: String?
  let items: [Item]

  struct Item: Encodable {
    let id, url, title, content_text, date_published, date_modified: String
    let image: String?
    let tags: [String]
    let _georss: Point?
    struct Point: Encodable { let point: String }
  }

  /// The time of the latest change in the feed, or the beginning of 1970 if the feed is empty. Only Atom has it.
  let updated: String

  private enum CodingKeys: CodingKey {
    case version, title, home_page_url, feed_url, language, next_url, items
  }

  init(
    _ list: AnnouncementList, _ wanted: ListQuery, base: String, isAtom: Bool, in words: Words
  ) {
    let path = isAtom ? ListQuery.atom : ListQuery.json
    title = "PetSpot: " + wanted.title(in: words)
    language = words.language.rawValue
    home_page_url = base + wanted.text
    feed_url = base + wanted.address(path)
    next_url = list.next.map { next in
      var following = wanted
      following.after = next
      return base + following.address(path)
    }
    items = list.announcements.map { Item($0, base: base, in: words) }
    let changes = list.announcements.map(\.updatedAt)
    updated = Self.moment(changes.max() ?? Date(timeIntervalSince1970: 0))
  }

  /// The feed as Atom, without characters that XML 1.0 doesn't allow.
  var atom: String {
    let allowed = Templates.render("atom", self).unicodeScalars.filter {
      ($0.value >= 0x20 || [0x9, 0xA, 0xD].contains($0.value)) && $0.value & 0xFFFE != 0xFFFE
    }
    return String(String.UnicodeScalarView(allowed))
  }

  static func moment(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

extension Feed.Item {
  fileprivate init(_ announcement: Announcement, base: String, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: nil, words: words)
    id = announcement.id
    url = base + "/announcements/" + announcement.id
    title = card.shareTitle
    content_text = card.shareText
    date_published = Feed.moment(announcement.createdAt)
    date_modified = Feed.moment(announcement.updatedAt)
    image = announcement.largestSize(960).map { base + $0.path }
    tags = [card.speciesText]
    _georss = announcement.location?.coordinate.map {
      .init(point: Self.degrees($0.latitude) + " " + Self.degrees($0.longitude))
    }
  }

  private static func degrees(_ value: Double) -> String {
    // Adding 0 turns -0 into 0.
    let rounded = (value * 1000).rounded() / 1000 + 0
    return rounded.formatted(
      .number.precision(.fractionLength(3)).grouping(.never)
        .locale(Locale(identifier: "en_US_POSIX")))
  }
}
