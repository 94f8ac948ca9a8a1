import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// One sheet to print, with strips to tear off. Its parts have sizes relative to the sheet, so that a screen shows
/// what will be printed; texts get smaller with their length, and a description that fits in no size is
/// continued at the announcement's address.
struct PosterPage: Sendable {
  let site: Site

  /// `GET /announcements/{id}/poster`, with `?paper=letter` for the paper of North America.
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let announcement = try await site.openAnnouncement(context.parameter("id"), context)
    let renderer = PageRenderer(context, on: site)
    let isLetter = try context.query()["paper"] == "letter"
    let view = PosterView(
      announcement, base: context.base, isLetter: isLetter, in: renderer.words)
    var head = PageHead(renderer.words("announcement.poster") + ": " + view.name)
    head.paper = isLetter ? "letter" : "a4"
    return renderer.page("poster", view, head)
  }
}

/// What a poster says. On paper no day is "2 days ago": that would not stay true.
struct PosterView {
  /// A QR code as a path of SVG.
  struct Code {
    let path: String
    let width: Int
  }

  /// The announcement's page.
  let address: String
  let isLetter: Bool
  let missing, name: String
  /// The animal in one line.
  let animal: String
  let facts: [AnnouncementView.Fact]
  let more, reward: String?
  /// Whether the description goes on at the address.
  let isCut: Bool
  let question, phone: String
  let picture: SharedPicture?
  /// Whether the photo is higher than wide, so that words fit beside it.
  let isTall: Bool
  /// How large name, phone and other texts are: 1 is the largest.
  let nameSize, phoneSize, textSize: Int
  /// What strips say beside the phone.
  let stripTitle, stripLink: String
  let strips: [Int]
  /// The announcement's short address, and its code; nil where the address is too long for one.
  let link: String
  let code: Code?

  init(_ announcement: Announcement, base: String, isLetter: Bool, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: nil, words: words)
    let details = announcement.details
    address = "/announcements/" + announcement.id
    self.isLetter = isLetter
    missing = card.missingText
    // The species of a pet without a name is its title.
    name = details.petNameGiven ? card.title : card.speciesText
    animal = [
      details.petNameGiven ? card.speciesText : nil, card.tellingBreedText,
      details.sex?.displayName(in: words).lowercased(),
      details.age.map { words("age.years", count: $0) },
    ].compactMap { $0 }.joined(separator: ", ")
    facts =
      [
        AnnouncementView.Fact(name: words("announcement.since"), text: card.longDateText)
      ]
      + (card.nearText.map { [.init(name: words("announcement.seen"), text: $0)] } ?? [])
    reward = card.rewardText
    picture = announcement.sharedSize.map {
      SharedPicture($0, text: words("photo.of", ["name": card.title]))
    }
    isTall = picture.map { $0.width * 10 < $0.height * 9 } ?? false
    // Lines would take room that words need.
    let whole = (announcement.description ?? "").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let others = [animal, reward ?? ""] + facts.map(\.text)
    let taken = others.map(Self.width).reduce(0, +)
    let kept = Self.beginning(
      of: whole, width: max(120, (isTall ? 700 : 420) - taken))
    isCut = kept != whole
    let end = String(kept.reversed().drop { $0.isPunctuation }.reversed())
    more = kept.isEmpty ? nil : isCut ? end + "…" : kept
    question = Self.width(name) <= 30 ? card.question : words("share.questionUnnamed")
    phone = announcement.contactPhone
    nameSize = Self.size(Self.width(name), [14, 28, 55])
    phoneSize = Self.size(Self.width(phone), [15, 21, 32])
    textSize = Self.size(taken + Self.width(kept), [140, 260, 400])
    stripTitle = Self.width(name) <= 16 ? name : missing
    strips = Array(1...(Self.width(phone) <= 20 ? 8 : 6))
    link = base + (announcement.shortPath ?? address)
    stripLink = link.replacing(#/^https?:\/\//#, with: "")
    code = QRCode(link).map { Code(path: $0.path, width: $0.width) }
  }

  private static func size(_ width: Int, _ limits: [Int]) -> Int {
    1 + (limits.firstIndex { width <= $0 } ?? limits.count)
  }

  /// How wide a text is, in small letters: capitals take more, signs of East Asia twice as much.
  private static func width(_ text: String) -> Int {
    let halves = text.reduce(0) { sum, character in
      let isWide = character.unicodeScalars.contains { $0.value >= 0x1100 }
      return sum + (isWide ? 4 : character.isUppercase ? 3 : 2)
    }
    return (halves + 1) / 2
  }

  /// The words at the beginning of a text that are at most so wide.
  private static func beginning(of text: String, width limit: Int) -> String {
    if width(text) <= limit { return text }
    var (kept, left) = ("", limit)
    for word in text.split(separator: " ") {
      let needed = width(String(word)) + 1
      guard needed <= left else {
        // Where words have no spaces between them, any character may be the last.
        return kept.isEmpty ? String(word.prefix(left / 2)) : kept
      }
      left -= needed
      kept += (kept.isEmpty ? "" : " ") + word
    }
    return kept
  }
}
