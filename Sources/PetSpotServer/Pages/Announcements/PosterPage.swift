import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// A sheet to print, with strips to tear off. All sizes are relative to the sheet, so the screen shows the printed
/// result. Longer texts are smaller. A description that doesn't fit even in the smallest size is cut, and the poster
/// refers to the announcement's URL.
struct PosterPage: Sendable {
  let stores: Stores

  /// `GET /announcements/{id}/poster`. With `?paper=letter`, uses the paper of North America.
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let announcement = try await AnnouncementPage.openAnnouncement(
      context.announcementID, context, in: stores)
    let renderer = PageRenderer(context)
    let isLetter = try context.query()["paper"] == "letter"
    let view = PosterView(
      announcement, base: context.base, isLetter: isLetter, in: renderer.words)
    var head = PageHead(renderer.words("announcement.poster") + ": " + view.name)
    head.paper = isLetter ? "letter" : "a4"
    return renderer.page("poster", view, head)
  }
}

/// The data of a poster. Its dates are absolute, because "2 days ago" would soon be wrong on paper.
struct PosterView {
  /// A QR code as an SVG path.
  struct Code {
    let path: String
    let width: Int
  }

  /// The path of the announcement's page.
  let address: String
  let isLetter: Bool
  let missing, name: String
  /// The animal in one line.
  let animal: String
  let facts: [AnnouncementView.Fact]
  let more, reward: String?
  /// `true` if the description was cut.
  let isCut: Bool
  let question, phone: String
  let picture: SharedPicture?
  /// `true` if the photo is taller than wide, so that text fits beside it.
  let isTall: Bool
  /// The size classes of the name, the phone number, and other texts. 1 is the largest.
  let nameSize, phoneSize, textSize: Int
  /// Texts on the strips beside the phone number.
  let stripTitle, stripLink: String
  /// One element for each strip to tear off.
  let strips: [Int]
  /// The announcement's short URL, and its QR code. The code is `nil` if the URL is too long.
  let link: String
  let code: Code?

  init(_ announcement: Announcement, base: String, isLetter: Bool, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: nil, words: words)
    let details = announcement.details
    address = "/announcements/" + announcement.id
    self.isLetter = isLetter
    missing = card.missingText
    // If the pet has no name, the title is its species.
    name = details.petNameGiven ? card.title : card.speciesText
    animal = [
      details.petNameGiven ? card.speciesText : nil, card.distinctBreedText,
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
    // Line breaks would take space that words need.
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

  /// Returns the width of a text in lowercase letters. Capitals are wider, and East Asian characters twice as wide.
  private static func width(_ text: String) -> Int {
    let halves = text.reduce(0) { sum, character in
      let isWide = character.unicodeScalars.contains { $0.value >= 0x1100 }
      return sum + (isWide ? 4 : character.isUppercase ? 3 : 2)
    }
    return (halves + 1) / 2
  }

  /// Returns as many of a text's first words as fit into a width.
  private static func beginning(of text: String, width limit: Int) -> String {
    if width(text) <= limit { return text }
    var (kept, left) = ("", limit)
    for word in text.split(separator: " ") {
      let needed = width(String(word)) + 1
      guard needed <= left else {
        // In scripts without spaces, the text may end after any character.
        return kept.isEmpty ? String(word.prefix(left / 2)) : kept
      }
      left -= needed
      kept += (kept.isEmpty ? "" : " ") + word
    }
    return kept
  }
}
