import Foundation
import Testing

/// Tests of strangers' texts on pages: what they cost, and how a browser interprets them.
@Suite("Texts of strangers on pages")
struct HostileTextTests {
  private let server: ServedPetspot

  init() throws { server = try ServedPetspot() }

  /// In Swift, each of these is one character together with the one before it, but not in a browser.
  private static let marks = ["\u{0301}", "\u{200D}", "\u{FE0F}", "\u{20E3}", "\u{034F}"]
  private static let special = ["&", "<", ">", "\"", "'"]
  private static let pairs = special.flatMap { one in marks.map { one + $0 } }
  private static let hostile = "x" + pairs.joined()

  /// Returns whether a page contains the typed text and no unescaped special characters.
  private func isEscaped(_ page: Page) -> Bool {
    let raw = Self.pairs.filter { pair in page.answer.body.range(of: Data(pair.utf8)) != nil }
    let shown = page.answer.body.range(of: Data("&quot;\u{0301}".utf8)) != nil
    return raw.isEmpty && shown
  }

  @Test("A mark after a quote, a bracket or an ampersand doesn't affect its escape")
  func escaping() async throws {
    let texts = ["petName", "breed", "description", "ownerName", "reward"]
    var fields: [String: Any] = Dictionary(uniqueKeysWithValues: texts.map { ($0, Self.hostile) })
    fields["near"] = Self.hostile
    let made = try await server.post(
      "/api/v1/announcements", json: ServedPetspot.report.merging(fields) { $1 })
    let id = try #require(made.json["id"] as? String)
    let code = try #require(made.json["managementPassword"] as? String)
    _ = try await server.upload(
      try ServedPetspot.photo("orientation-1.jpg"), to: id, ServedPetspot.basic(id, code))
    let browser = PageBrowser(server)
    let search = try #require(
      Self.hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    for path in [
      "/", "/announcements", "/announcements?q=" + search, "/announcements/\(id)",
      "/announcements/\(id)/poster",
    ] {
      #expect(isEscaped(try await browser.open(path)), "\(path)")
    }
    let page = try await browser.open("/announcements/\(id)")
    #expect(page.html.contains("property=\"og:title\""))
    #expect(isEscaped(try await browser.post("/announcements/\(id)/owner", ["code": code])))
  }

  @Test("Each step of a report and its review escape marks in the same way")
  func steps() async throws {
    let browser = PageBrowser(server)
    let description = [
      "date": "2025-12-01", "petName": Self.hostile, "species": "dog", "race": Self.hostile,
      "gender": "male", "age": Self.hostile, "near": Self.hostile, "description": Self.hostile,
      "latitude": Self.hostile, "longitude": Self.hostile, "action": "next",
    ]
    #expect(isEscaped(try await browser.post("/report/description", description)))
    let contact = [
      "name": Self.hostile, "phone": Self.hostile, "email": Self.hostile, "reward": Self.hostile,
      "action": "next",
    ]
    #expect(isEscaped(try await browser.post("/report/contact", contact)))
    #expect(isEscaped(try await browser.open("/report/contact")))
    #expect(isEscaped(try await browser.open("/report/description")))
    // Fills in a whole report, up to its review.
    let photo = try await browser.open("/report/photo")
    _ = try await browser.submit(
      photo, photo: ("a.jpg", try ServedPetspot.photo("orientation-1.jpg")))
    let good = description.merging(["age": "3", "latitude": "", "longitude": ""]) { $1 }
    #expect(try await browser.post("/report/description", good).path == "/report/contact")
    let reachable = contact.merging(["phone": "600 100 200", "email": ""]) { $1 }
    let review = try await browser.post("/report/contact", reachable)
    #expect(review.has("review.publishButton") && isEscaped(review))
  }

  @Test("A form with unordered marks costs milliseconds, and is an error of its field")
  func marks() async throws {
    let piles = "a" + String(repeating: "\u{0315}\u{0300}", count: 19_000)
    let browser = PageBrowser(server)
    for language in ["en", "pl"] {
      let reader = PageBrowser(server, language: language)
      let page = try await reader.post(
        "/report/description",
        [
          "date": "2025-12-01", "species": "dog", "race": "x", "gender": "male",
          "description": piles, "action": "next",
        ])
      #expect(page.has("errorSummary") && page.html.contains("id=\"description-error\""))
      #expect(page.html.contains(language == "en" ? "too many marks" : "zbyt wiele znaków"))
    }
    _ = try await browser.post("/language", ["language": piles, piles: "x"])
    _ = try await browser.open(
      "/announcements?q=" + String(repeating: "%CC%95%CC%80", count: 1000))
    let names = ["petName", "breed", "description", "near", "reward", "ownerName", "ownerPhone"]
    for name in names + ["email", "species", "sex", "microchipNumber"] {
      let answer = try await server.post(
        "/api/v1/announcements", json: ServedPetspot.report.merging([name: piles]) { $1 })
      #expect(answer.status == 400 && answer.code == "INVALID_FORMAT", "\(name)")
      #expect(answer.error["field"] as? String == name)
    }
    for (count, isTaken) in [(9, true), (10, false), (4000, false)] {
      let marks = String(piles.unicodeScalars.prefix(1 + count))
      for name in ["X-Any", "Cookie"] {
        let answer = try await server.send("GET", "/", [name: marks])
        #expect(answer.status == (isTaken ? 200 : 400), "\(name), \(count)")
        #expect(isTaken || answer.code == "INVALID_HEADER")
      }
    }
  }

  @Test("Families of emoji and every script pass through a form unchanged")
  func welcome() async throws {
    let text = "Rex 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 क्षत्रिय नִקּוּד\nŻółć"
    let browser = PageBrowser(server)
    let page = try await browser.post(
      "/report/description",
      [
        "date": "2025-12-01", "species": "dog", "race": "x", "gender": "male",
        "description": text.replacingOccurrences(of: "\n", with: "\r\n"), "action": "next",
      ])
    #expect(page.path == "/report/contact")
    let again = try await browser.open("/report/description")
    #expect(again.answer.body.range(of: Data((text + "</textarea>").utf8)) != nil)
  }
}
