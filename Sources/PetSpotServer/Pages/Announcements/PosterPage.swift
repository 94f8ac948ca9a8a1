import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// A sheet to print, with strips to tear off. All sizes are relative to the sheet, so the screen shows the printed
/// result. Longer texts are smaller. A description that doesn't fit even in the smallest size is cut, and the poster
/// refers to the announcement's URL.
struct PosterPage: Sendable {
  let stores: Stores

  /// `GET /announcements/{id}/poster?paper=a4|a3|letter`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let announcement = try await AnnouncementPage.openAnnouncement(
      context.announcementID, context, in: stores)
    let renderer = PageRenderer(context)
    let paper = try context.query()["paper"].flatMap { Self.papers.contains($0) ? $0 : nil } ?? "a4"
    let view = PosterView(announcement, base: context.base, paper: paper, in: renderer.words)
    var head = PageHead(renderer.words("announcement.poster") + ": " + view.name)
    head.paper = paper
    return renderer.page("poster", view, head)
  }

  fileprivate static let papers = ["a4", "a3", "letter"]
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
  /// Links to the poster for other papers.
  let papers: [ChoiceView]
  let missing, name: String
  /// The animal in one line.
  let animal: String
  /// The place and the day.
  let spot: String?
  let since: String
  let more, reward: String?
  /// `true` if the description was cut.
  let isCut: Bool
  let question, phone: String
  let picture: SharedPicture?
  /// `true` if the photo is taller than wide, so that text fits beside it.
  let isTall: Bool
  /// The size classes of the name, the phone number, and other texts. 1 is the largest.
  let nameSize, spotSize, rewardSize, phoneSize, textSize: Int
  /// Texts on the strips beside the phone number.
  let stripTitle, stripLink: String
  /// One element for each strip to tear off.
  let strips: [Int]
  /// The announcement's short URL, and its QR code. The code is `nil` if the URL is too long.
  let link: String
  let code: Code?

  init(_ announcement: Announcement, base: String, paper: String, in words: Words) {
    let card = AnnouncementCard(announcement, readerLocation: nil, words: words)
    let details = announcement.details
    address = "/announcements/" + announcement.id
    let path = address
    papers = PosterPage.papers.filter { $0 != paper }.map {
      ChoiceView(
        id: $0, name: words("poster.paper", ["paper": $0.count == 2 ? $0.uppercased() : "Letter"]),
        address: "\(path)/poster?paper=\($0)", isChosen: false)
    }
    missing = card.missingText
    // If the pet has no name, the title is its species.
    name = details.petNameGiven ? card.title : card.speciesText
    animal = [
      details.petNameGiven ? card.speciesText : nil, card.distinctBreedText,
      details.sex?.displayName(in: words).lowercased(),
      details.age.map { words("age.years", count: $0) },
    ].compactMap { $0 }.joined(separator: ", ")
    since = card.longDateText
    spot = card.nearText
    reward = card.rewardText
    picture = announcement.sharedSize.map {
      SharedPicture($0, text: words("photo.of", ["name": card.title]))
    }
    isTall = picture.map { $0.width * 10 < $0.height * 9 } ?? false
    // Line breaks would take space that words need.
    let whole = (announcement.description ?? "").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let others = [animal, since, reward ?? "", spot ?? ""]
    let taken = others.map(Self.width).reduce(0, +)
    // More would be too small to be read from two meters.
    let kept = Self.beginning(of: whole, width: max(90, 250 - taken))
    isCut = kept != whole
    let end = String(kept.reversed().drop { $0.isPunctuation }.reversed())
    more = kept.isEmpty ? nil : isCut ? end + "…" : kept
    question = Self.width(name) <= 30 ? card.question : words("share.questionUnnamed")
    phone = announcement.contactPhone
    nameSize = Self.size(Self.width(name), [14, 28, 55])
    phoneSize = Self.size(Self.width(phone), [15, 21, 32])
    spotSize = Self.size(Self.width(spot ?? ""), [40, 60])
    rewardSize = Self.size(Self.width(reward ?? ""), [40, 60])
    textSize = Self.size(taken + Self.width(kept), [260, 340, 480])
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
    var kept = ""
    var left = limit
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
