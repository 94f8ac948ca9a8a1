import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoIngestion
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

  /// The time of the latest change in the feed. `nil` if the feed is empty.
  let updated: Date?

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
    updated = list.announcements.map(\.updatedAt).max()
  }

  /// The feed as Atom.
  var atom: String {
    func element(_ name: String, _ text: String) -> String {
      "<\(name)>\(text.escapedForXML)</\(name)>\n"
    }
    func link(_ relation: String, _ address: String, _ type: String) -> String {
      "<link rel=\"\(relation)\" type=\"\(type)\" href=\"\(address.escapedForXML)\"/>\n"
    }
    let entries = items.map { item in
      "<entry>\n" + element("id", "urn:uuid:" + item.id) + element("title", item.title)
        + link("alternate", item.url, "text/html")
        + (item.image.map { link("enclosure", $0, "image/jpeg") } ?? "")
        + element("published", item.date_published) + element("updated", item.date_modified)
        + item.tags.map { "<category term=\"\($0.escapedForXML)\"/>\n" }.joined()
        + element("summary", item.content_text)
        + (item._georss.map { element("georss:point", $0.point) } ?? "") + "</entry>\n"
    }
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss" \
      xml:lang="\(language)">

      """ + element("id", feed_url) + element("title", title)
        + element("updated", Self.moment(updated ?? Date(timeIntervalSince1970: 0)))
        + "<author><name>PetSpot</name></author>\n"
        + link("self", feed_url, "application/atom+xml")
        + link("alternate", home_page_url, "text/html")
        + (next_url.map { link("next", $0, "application/atom+xml") } ?? "")
        + entries.joined() + "</feed>\n"
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
    let seen = card.nearText.map { words("announcement.seen") + ": " + $0 + "." }
    content_text = [card.shareText, seen].compactMap { $0 }.joined(separator: " ")
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

extension String {
  /// The text for elements and quoted attributes of XML 1.0. Characters that XML doesn't allow are removed.
  fileprivate var escapedForXML: String {
    let allowed = unicodeScalars.filter {
      ($0.value >= 0x20 || [0x9, 0xA, 0xD].contains($0.value)) && $0.value & 0xFFFE != 0xFFFE
    }
    return String(String.UnicodeScalarView(allowed)).escapedForHTML
  }
}
